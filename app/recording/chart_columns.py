"""`ChartColumns`: Live's charts epoch after epoch: a row of each column; ranges, ticks and words.

What is shown at epoch t is every charted row up to t, then the row of t itself, as Live shows it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.live.charts.columns import NAMES, columns
from app.live.charts.event_marks import TEXT_TOKEN, choose_texts
from app.live.charts.stack import FIRST_EPOCH, ChartStack
from app.live.history import is_charted
from app.recording.figure_parts import describe
from app.recording.film import Epoch
from app.recording.packing import Blocks
from sampler.algorithms import PLAIN

WIDTHS = (150, 220, 300, 400, 520)
"""Widths of an epoch axis, pixels, for which the texts of the events are placed; a wider one has room for the same."""
STRIDE = 3
"""Epochs between two rows where the axis is a lesson's window: those of Live's last minute."""


class ChartColumns:
    """Feeds Live's own `ChartStack` each epoch and writes down what it then shows."""

    def __init__(self, span: tuple[int, int] | None = None) -> None:
        self.stack, self._fine = ChartStack(), span is not None
        if span is not None:  # a lesson's own window
            self.stack.span = span
            self.stack.set_window("span")
        self._rows: list[list[float]] = []
        self._states: list[dict[str, Any]] = []
        self._last: dict[str, Any] = {}

    def add(self, epoch: Epoch) -> None:
        """Take in the end of an epoch; the charts start at `FIRST_EPOCH`."""
        if epoch.t < FIRST_EPOCH or not len(epoch.series.t):
            return
        series, config = epoch.series, epoch.snapshot_config
        self.stack.update(series, epoch.t, config.chains, config.settings.variance_reduction, config.algorithm)
        recent = series.recent if self._fine else None
        shown = series if recent is None or not len(recent.t) else recent
        newest = columns(shown)
        peak = shown.exits_t[-1] if len(shown.exits_t) and shown.farthest[-1] > 1.0 else np.nan
        charted = epoch.t % STRIDE == 0 if self._fine else is_charted(epoch.t)
        self._rows.append([*(newest[name][-1] for name in NAMES), peak, charted])
        self._write(self._shown(epoch))

    def _shown(self, epoch: Epoch) -> dict[str, Any]:
        """What the charts show besides the columns."""
        stack, series, config = self.stack, epoch.series, epoch.snapshot_config
        start, end = stack.x_range.start, stack.x_range.end
        labels = stack.labels(stack.source.data)
        state: dict[str, Any] = {"start": start, "end": round(end, 4), "ticks": list(stack.axes[-1].axis.ticker.ticks)}
        for panel, found in zip(stack.panels, labels, strict=True):
            ticks = panel.figure.yaxis[0].major_label_overrides
            state[panel.name] = {
                "low": panel.low, "high": panel.high,
                "ticks": [[tick, ticks.get(tick, f"{tick:g}")] for tick in panel.y_ticker.ticks]}
            state[f"{panel.name} labels"] = [[_short(label.value), label.text, label.token, int(label.bold), label.shift]
                                             for label in found]
        state["lines"] = [round(t, 3) for event in series.events for t in (event.t, event.t_end) if t is not None]
        state["bands"] = [[round(e.t, 3), round(min(e.t_end, end), 3)] for e in series.events if e.t_end is not None]
        state["texts"] = [[[round(x / width, 4), text, TEXT_TOKEN.get(kind, "ink")]
                           for x, text, kind in choose_texts(series.events, start, end, width)] for width in WIDTHS] \
            if series.events else []
        state["plain"] = config.algorithm == PLAIN
        return state

    def _write(self, state: dict[str, Any]) -> None:
        self._states.append({key: value for key, value in state.items() if self._last.get(key) != value})
        self._last = state

    def pack(self, blocks: Blocks) -> dict[str, Any]:
        """Add the rows, and what changes from epoch to epoch, to a file; return the charts' description."""
        rows = np.array(self._rows, np.float32).reshape(-1, len(NAMES) + 2)
        for name, column in zip(("chart_t", *NAMES[1:], "peak_t"), rows.T[:-1], strict=True):
            blocks.add(name, "f4", column)
        blocks.add("charted", "u1", rows[:, -1])
        blocks.add_words("chart_states", self._states)
        return {**describe(self.stack), "columns": list(NAMES[1:]), "widths": list(WIDTHS)}


def _short(value: float) -> float:
    return float(f"{value:.6g}")
