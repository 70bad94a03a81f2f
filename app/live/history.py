"""`History`: measurements at every epoch, one column per measure, sampled at a few hundred epochs for the charts."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence

from app.live.snapshot import COLUMNS, JUDGED, Series
from app.live.timeline import HORIZON, Event

FIRST = 8
"""First epoch of the time axes."""
RECENT = 480
"""Number of epochs in the "last minute": a minute at 8 epochs per second."""
_LAST_POINT = 229
_VARIANCE = ("saga", "sgld", "bound")
_CARRIED = [name for name in COLUMNS if name not in ("t", *_VARIANCE)]
_COUNTS = ("exits", "resets")
_CHECKPOINT = "checkpoint"
"""Column of the epoch at the end of which the current checkpoint was taken."""
_LOG_EPOCHS = sorted({round(FIRST * (HORIZON / FIRST) ** (k / _LAST_POINT)) for k in range(_LAST_POINT + 1)})


class History:
    """Columns of one number per epoch from 0, in single precision: 5 MB at the horizon.

    A measure that is not taken at an epoch repeats its latest value; gradient variances, which are interpolated, are NaN
    there.
    """

    def __init__(self) -> None:
        self._columns = {name: array("f", [0.0 if name in _COUNTS else math.nan])
                         for name in (*_CARRIED, *_VARIANCE, *_COUNTS, _CHECKPOINT)}
        self._first: dict[str, int] = {}  # first epoch at which each was measured
        self.t = 0

    def record(self, t: int, values: Mapping[str, float | None]) -> None:
        """Append epoch t: "exits" and "resets" of all chains, other columns (None or not finite: not measured).

        "checkpoint" is the previous epoch if the new checkpoint was taken at its end. Skipped epochs are filled in.
        """
        while self.t < t - 1:
            self.record(self.t + 1, {})
        self.t = t
        for name, column in self._columns.items():
            value = values.get(name)
            if value is not None and math.isfinite(value):
                column.append(value)
                self._first[name] = self._first.get(name, t)
            else:
                column.append(0.0 if name in _COUNTS else math.nan if name in _VARIANCE else column[-1])

    def truncate(self, t: int) -> None:
        """Remove everything after epoch t."""
        self._columns = {name: column[: t + 1] for name, column in self._columns.items()}
        self._first = {name: first for name, first in self._first.items() if first <= t}
        self.t = min(self.t, t)

    def copy(self) -> History:
        """Return a copy of the recorded epochs."""
        other = History()
        other._columns, other._first, other.t = self._columns, self._first, self.t
        other.truncate(self.t)
        return other

    def column(self, name: str, upto: int) -> Sequence[float]:
        """Return the values of epochs 0..upto, as far as recorded."""
        return self._columns[name][: upto + 1]

    def count(self, name: str, upto: int, window: int = RECENT) -> int:
        """Return the sum of "exits" or "resets" over the last `window` epochs up to `upto`."""
        return int(sum(self._columns[name][max(0, upto + 1 - window) : upto + 1]))

    def latest(self, name: str, upto: int) -> float | None:
        """Return the latest measurement up to epoch `upto`; None if there is none."""
        if not self._measured(name, upto):
            return None
        t = min(upto, self.t)
        while math.isnan(self._columns[name][t]):
            t -= 1
        return self._columns[name][t]

    def _measured(self, name: str, upto: int) -> bool:
        return self._first.get(name, HORIZON + 1) <= upto

    def series(self, upto: int, events: Sequence[Event]) -> Series:
        """Return the run up to epoch `upto` at log-spaced epochs, with its last minute at every third epoch."""
        recent = None
        if upto > FIRST:
            first = max(FIRST, upto - RECENT)
            recent = self._read(range(first - first % 3 + 3, upto + 1, 3), upto, events, None)
        return self._read(_LOG_EPOCHS, upto, events, recent)

    def _read(self, grid: Sequence[int], upto: int, events: Sequence[Event], recent: Series | None) -> Series:
        epochs = [t for t in grid if t <= upto]
        if upto >= FIRST and (not epochs or epochs[-1] != upto):
            epochs.append(upto)
        values = {name: self._carried(name, epochs, upto) for name in _CARRIED}
        values = {"t": epochs, **values, **self._variance(epochs, upto)}
        judged, taken = self._first.get("accuracy", HORIZON + 1), self._columns[_CHECKPOINT]
        for name in JUDGED:
            values[name] = [value if t >= judged else math.nan for t, value in zip(epochs, values[name], strict=True)]
        exits_t, exits_value = self._exits(epochs, values["farthest"])
        return Series(
            columns={name: array("f", values[name]) for name in COLUMNS},
            exits_t=exits_t,
            exits_value=exits_value,
            events=events,
            checkpoints=sorted({int(taken[t]) for t in epochs if taken[t] >= FIRST}),
            recent=recent,
        )

    def _carried(self, name: str, epochs: Sequence[int], upto: int) -> list[float]:
        """Return the latest measurement at each epoch, before the first one its value; zeros if there is none."""
        if not self._measured(name, upto):
            return [0.0 for t in epochs]
        column, first = self._columns[name], self._first[name]
        return [column[max(t, first)] for t in epochs]

    def _exits(self, epochs: Sequence[int], farthest: list[float]) -> tuple[list[int], list[float]]:
        """Replace `farthest` by its maximum since the previous epoch; return epochs and values of those above 1."""
        exits_t, exits_value = [], []
        low = max(FIRST, epochs[0] - 2, self._first.get("farthest", HORIZON)) if epochs else 0
        for k, high in enumerate(epochs):
            part = self._columns["farthest"][low : high + 1]
            if len(part):
                farthest[k] = max(part)
                if farthest[k] > 1.0:
                    exits_t.append(low + part.index(farthest[k]))
                    exits_value.append(farthest[k])
            low = max(low, high + 1)
        return exits_t, exits_value

    def _variance(self, epochs: Sequence[int], upto: int) -> dict[str, list[float]]:
        """Interpolate the gradient variances, log against log, between the latest measurements up to each epoch."""
        saga, sgld = self._columns["saga"], self._columns["sgld"]
        nodes: list[int] = []
        before = epochs[0] - 1 if epochs and self._measured("saga", upto) else HORIZON
        for t in epochs:
            node = t
            while node > before and not math.isfinite(saga[node] + sgld[node]):
                node -= 1
            if node > before:
                nodes.append(node)
            before = max(before, t)
        return {name: _interpolated(epochs, nodes, [self._columns[name][t] for t in nodes]) for name in _VARIANCE}


def _interpolated(epochs: Sequence[int], nodes: Sequence[int], values: Sequence[float]) -> list[float]:
    """Interpolate log against log, constant after the last node; NaN before the first, or if any value is not finite."""
    if not nodes or not all(math.isfinite(value) for value in values):
        return [math.nan for t in epochs]
    result, k = [], 0
    for t in epochs:
        while k + 1 < len(nodes) and nodes[k + 1] <= t:
            k += 1
        value = max(values[k], 1e-300) if t >= nodes[0] else math.nan
        if t > nodes[k] and k + 1 < len(nodes):
            value *= (max(values[k + 1], 1e-300) / value) ** (math.log(t / nodes[k]) / math.log(nodes[k + 1] / nodes[k]))
        result.append(value)
    return result


def is_charted(t: int) -> bool:
    """Return whether epoch t is before `FIRST` or one of the log-spaced points of the time axes."""
    return t < FIRST or t in _LOG_EPOCHS
