"""What was measured at every epoch: flat columns to the horizon, read out at a few hundred of them."""

from __future__ import annotations

import numpy as np

from app.live.snapshot import HORIZON, Event, Series

FIRST = 8
"""The time axes start here."""
RECENT = 480
"""Epochs in "last minute": a minute at 8 epochs a second."""
_POINTS = 230
_AT_FIRST = 1024
_EVERY = (
    "accuracy",
    "ceiling_low",
    "ceiling_high",
    "predicted",
    "tv",
    "median",
    "q95",
    "farthest",
    "memory",
    "cost",
    "full",
)
_VARIANCE = ("saga", "sgld", "bound")
_COUNTS = ("exits", "resets")
_LOG_EPOCHS = np.unique(np.geomspace(FIRST, HORIZON, _POINTS).round().astype(int))


class History:
    """Columns of one number an epoch (float32, NaN where not measured), as long as the run: 4 MB at the horizon."""

    def __init__(self) -> None:
        self._columns = np.full((len(_EVERY) + len(_VARIANCE), _AT_FIRST), np.nan, dtype=np.float32)
        self._counts = np.zeros((len(_COUNTS), _AT_FIRST), dtype=np.int32)
        self._row = {name: row for row, name in enumerate(_EVERY + _VARIANCE)}
        self.t = 0

    def record(self, t: int, exits: int, resets: int, **values: float | None) -> None:
        """Write epoch t: counts over all chains, and the named columns (None or not finite: not measured)."""
        self.t = max(self.t, t)
        length = self._columns.shape[1]
        if t >= length:
            more = min(max(2 * length, t + 1), HORIZON + 1) - length
            self._columns = np.pad(self._columns, ((0, 0), (0, more)), constant_values=np.nan)
            self._counts = np.pad(self._counts, ((0, 0), (0, more)))
        self._counts[:, t] = exits, resets
        for name, value in values.items():
            if value is not None and np.isfinite(value):
                self._columns[self._row[name], t] = value

    def truncate(self, t: int) -> None:
        """Forget everything after epoch t."""
        self._columns[:, t + 1 :] = np.nan
        self._counts[:, t + 1 :] = 0
        self.t = min(self.t, t)

    def copy(self) -> History:
        """Return a copy, as long as what has been recorded."""
        other = History()
        other._columns, other._counts = self._columns[:, :self.t + 1].copy(), self._counts[:, :self.t + 1].copy()
        other.t = self.t
        return other

    def column(self, name: str, upto: int) -> np.ndarray:
        """Values of epochs 0..upto as recorded, NaN where not measured; a view."""
        return self._columns[self._row[name], : upto + 1]

    def count(self, name: str, upto: int, window: int = RECENT) -> int:
        """Sum of "exits" or "resets" over the last `window` epochs up to `upto`."""
        return int(self._counts[_COUNTS.index(name), max(0, upto + 1 - window) : upto + 1].sum())

    def series(self, upto: int, events: tuple[Event, ...]) -> Series:
        """Read out the run up to epoch `upto` at log-spaced epochs, and its last minute evenly."""
        recent = None
        if upto > FIRST:
            first = max(FIRST, upto - RECENT)
            evenly = np.arange(first - first % 3 + 3, upto + 1, 3)
            recent = self._read(evenly, upto, events, None)
        return self._read(_LOG_EPOCHS, upto, events, recent)

    def _read(self, epochs: np.ndarray, upto: int, events: tuple[Event, ...], recent: Series | None) -> Series:
        epochs = epochs[epochs <= upto]
        if upto >= FIRST and (epochs.size == 0 or epochs[-1] != upto):
            epochs = np.append(epochs, upto)
        values = {name: _carried(self._columns[self._row[name], : upto + 1], epochs) for name in _EVERY}
        exits_t, exits_value = [], []
        if epochs.size:
            farthest = self._columns[self._row["farthest"], : upto + 1]
            starts = np.append(max(FIRST, epochs[0] - 2), epochs[:-1] + 1)
            peaks = np.array([_peak(farthest, low, high) for low, high in zip(starts, epochs, strict=True)])
            values["farthest"] = np.where(np.isfinite(farthest[peaks]), farthest[peaks], values["farthest"])
            out = values["farthest"] > 1.0
            exits_t, exits_value = peaks[out], values["farthest"][out]
        powers = 2 ** np.arange(3, 17)
        saga, sgld, bound = (self._columns[self._row[name], : upto + 1] for name in _VARIANCE)
        known = np.flatnonzero(np.isfinite(saga) & np.isfinite(sgld))
        known = known[known >= (epochs[0] if epochs.size else FIRST)]
        known = known[_spread(known, epochs)] if known.size and epochs.size else known
        accuracy = np.flatnonzero(np.isfinite(self._columns[self._row["accuracy"], : upto + 1]))
        return Series(
            t=epochs.astype(float),
            **values,
            exits_t=np.asarray(exits_t, dtype=float),
            exits_value=np.asarray(exits_value, dtype=float),
            variance_t=known.astype(float),
            saga=saga[known].astype(float),
            sgld=sgld[known].astype(float),
            bound=bound[known].astype(float) if np.isfinite(bound[known]).all() and known.size else None,
            events=events,
            checkpoints=powers[powers <= upto],
            known_from=int(accuracy[0]) if accuracy.size else None,
            recent=recent,
        )


def _carried(column: np.ndarray, epochs: np.ndarray) -> np.ndarray:
    """Read the newest known value at each epoch, the first known before it, and zeros if none is known."""
    known = np.flatnonzero(np.isfinite(column))
    if known.size == 0:
        return np.zeros(len(epochs))
    last = np.searchsorted(known, epochs, side="right") - 1
    return column[known[np.maximum(last, 0)]].astype(float)


def _peak(column: np.ndarray, low: int, high: int) -> int:
    """Epoch in low..high of the largest known value; high when none is known."""
    part = column[low : high + 1]
    return low + int(np.nanargmax(part)) if np.isfinite(part).any() else high


def _spread(known: np.ndarray, epochs: np.ndarray) -> np.ndarray:
    """Positions in `known` of the newest measurement at or before each epoch, without repeats."""
    positions = np.searchsorted(known, epochs, side="right") - 1
    return np.unique(positions[positions >= 0])


def is_charted(t: int) -> bool:
    """Whether epoch t is one of the log-spaced points of the time axes."""
    place = np.searchsorted(_LOG_EPOCHS, t)
    return t < FIRST or bool(place < len(_LOG_EPOCHS) and _LOG_EPOCHS[place] == t)
