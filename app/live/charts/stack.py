"""The four time panels on one epoch axis, fed by one source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bokeh.models import ColumnDataSource, Range1d

from app.live.charts.accuracy import AccuracyPanel
from app.live.charts.columns import columns, empty, to_csv
from app.live.charts.cost import CostPanel
from app.live.charts.distance import DistancePanel
from app.live.charts.epoch_axis import EpochAxis
from app.live.charts.event_marks import EventMarks
from app.live.charts.time_panel import COMPACT_LEFT, COMPACT_RIGHT, LEFT, RIGHT
from app.live.charts.variance import VariancePanel
from app.theme import Paint
from sampler.algorithms import PLAIN

if TYPE_CHECKING:
    from app.live.snapshot import Series

FIRST_EPOCH = 8
NATURAL_HEIGHT = 754
"""Height of the stack at scale one, pixels."""


class ChartStack:
    """Accuracy, squared distance, gradient variance and cost; built once, then only data change."""

    def __init__(self) -> None:
        self.paint, self.dark, self.compact, self.window = Paint(), False, False, "all"
        self.source = ColumnDataSource(empty())
        self.x_range = Range1d(start=FIRST_EPOCH, end=2 * FIRST_EPOCH)
        self.width = 396.0
        self.accuracy, self.distance, self.variance, self.cost = self.panels = tuple(
            panel(self.source, self.x_range, self.paint)
            for panel in (AccuracyPanel, DistancePanel, VariancePanel, CostPanel))
        self.axes = [EpochAxis(panel, self.paint) for panel in self.panels]
        self.marks = EventMarks(self.panels, self.paint)
        self._series: Series | None = None
        self._now, self._chains, self._reduced, self._algorithm = 0, 64, True, PLAIN
        self.resize(578, NATURAL_HEIGHT, compact=False)

    @property
    def figures(self) -> list:
        """The four Bokeh figures, top to bottom."""
        return [panel.figure for panel in self.panels]

    def update(self, series: Series, now: int, chains: int, reduced: bool, algorithm: str = PLAIN) -> None:
        """Show a new series; `now` is the present epoch, `reduced` whether variance reduction is on."""
        self._series, self._now, self._chains, self._reduced = series, now, chains, reduced
        self._algorithm = algorithm
        self._show()

    def set_window(self, window: str) -> None:
        """Show the whole run ("all") or the last minute ("recent")."""
        if window not in ("all", "recent"):
            raise ValueError(f"window must be 'all' or 'recent'; got {window!r}. Choose one of these.")
        self.window = window
        self._show()

    def _show(self) -> None:
        series = self._series
        if series is None:
            return
        if self.window == "recent" and series.recent is not None and len(series.recent.t):
            shown = series.recent
        else:
            shown = series
        data = columns(shown) if len(shown.t) else empty()
        start, end = self._epochs(shown, data)
        self.source.data = data
        if (self.x_range.start, self.x_range.end) != (start, end):
            self.x_range.update(start=start, end=end)
        for panel in self.panels:
            panel.update(data, self._now)
        inside = (series.exits_t >= start) & (series.exits_t <= end)
        self.distance.set_exits(*self._thin(series.exits_t[inside], series.exits_value[inside], start, end))
        for axis in self.axes:
            axis.update(start, end, self._now, series.checkpoints)
        self.marks.update(series.events, start, end, self._now, self.width, self.dark)
        self._label(data, end)

    def _epochs(self, shown: Series, data: dict[str, np.ndarray]) -> tuple[float, float]:
        if shown is self._series:
            return FIRST_EPOCH, max(1.5 * FIRST_EPOCH, 1.02 * self._now)
        start = float(data["t"][0])
        return start, max(start + 8, start * (self._now / start) ** 1.02)

    def _thin(self, t: np.ndarray, value: np.ndarray, start: float,
              end: float) -> tuple[np.ndarray, np.ndarray]:
        """Keep the largest exit of every seven pixels."""
        column = (np.log(t / start) / np.log(end / start) * self.width / 7).astype(int)
        best: dict[int, int] = {}
        for i, key in enumerate(column):
            if key not in best or value[i] > value[best[key]]:
                best[key] = i
        chosen = sorted(best.values())
        return t[chosen], value[chosen]

    def _label(self, data: dict[str, np.ndarray], end: float) -> None:
        if len(data["t"]) == 0:
            for panel in self.panels:
                panel.place_labels([], end, self.dark)
            return
        self.accuracy.place_labels(self.accuracy.end_labels(data), end, self.dark)
        self.distance.place_labels(self.distance.end_labels(data, self._chains), end, self.dark)
        self.variance.place_labels(self.variance.end_labels(data, self._reduced, self._algorithm == PLAIN), end, self.dark)
        self.cost.place_labels(self.cost.end_labels(data), end, self.dark)

    def resize(self, width: float, height: float, compact: bool) -> None:
        """Fit the panels into a card of this size (pixels); compact: one panel at a time, as on a phone."""
        self.compact = compact
        left, right = (COMPACT_LEFT, COMPACT_RIGHT) if compact else (LEFT, RIGHT)
        self.width = max(60.0, width - left - right)
        frames = sum(panel.height for panel in self.panels)
        scale = min(max((height - NATURAL_HEIGHT + frames) / frames, 0.62), 2.0)
        for panel, axis in zip(self.panels, self.axes, strict=True):
            lowest = compact or panel is self.cost
            panel.resize(scale, compact, lowest)
            axis.show(lowest, compact)
        self._show()

    def restyle(self, dark: bool) -> None:
        """Repaint everything for the dark or the light theme."""
        self.dark = dark
        self.paint.apply(dark)
        for panel in self.panels:
            panel.recolour(dark)
        self.marks.recolour(dark)

    def csv(self) -> str:
        """Return what the panels show as CSV text."""
        return to_csv(self.source.data, self._algorithm)



