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
from app.live.charts.time_panel import COMPACT_LEFT, COMPACT_RIGHT, LEFT, RIGHT, EndLabel, TimePanel
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
        self.span = (FIRST_EPOCH, 2 * FIRST_EPOCH)  #: epochs of the window "span"
        self.source = ColumnDataSource(empty())
        self.ghost = ColumnDataSource(empty())  #: of a run that is kept beside this one
        self.x_range = Range1d(start=FIRST_EPOCH, end=2 * FIRST_EPOCH)
        self.width = 396.0
        self.accuracy, self.distance, self.variance, self.cost = self.panels = tuple(
            panel(self.source, self.ghost, self.x_range, self.paint)
            for panel in (AccuracyPanel, DistancePanel, VariancePanel, CostPanel))
        self.axes = [EpochAxis(panel, self.paint) for panel in self.panels]
        self.marks = EventMarks(self.panels, self.paint)
        self._series: Series | None = None
        self._now, self._chains, self._reduced, self._algorithm = 0, 64, True, PLAIN
        self._held = False  #: whether the numbers at the right end are those of an earlier series
        self.resize(578, NATURAL_HEIGHT, compact=False)

    @property
    def figures(self) -> list:
        """The four Bokeh figures, top to bottom."""
        return [panel.figure for panel in self.panels]

    def update(self, series: Series, now: int, chains: int, reduced: bool, algorithm: str = PLAIN,
               held: bool = False) -> None:
        """Show a new series.

        Parameters
        ----------
        now
            The present epoch.
        reduced
            Whether variance reduction is on.
        held
            Whether the accuracies named at the right end stay, because those in the words beside the charts do.
        """
        self._series, self._now, self._chains, self._reduced = series, now, chains, reduced
        self._algorithm, self._held = algorithm, held
        self._show()

    def set_ghost(self, series: Series | None) -> None:
        """Draw the curves of another run beneath; None: of none."""
        self.ghost.data = empty() if series is None else columns(series)
        self._show()

    def release(self) -> None:
        """Name the accuracies of the series that is shown."""
        if self._held:
            self._held = False
            self._show()

    def set_window(self, window: str) -> None:
        """Show the whole run ("all"), the last minute ("recent") or the epochs of `span`."""
        if window not in ("all", "recent", "span"):
            raise ValueError(f"window must be 'all', 'recent' or 'span'; got {window!r}. Choose one of these.")
        self.window = window
        self._show()

    def _show(self) -> None:
        series = self._series
        if series is None:
            return
        shown = self._chosen(series)
        data = columns(shown) if len(shown.t) else empty()
        start, end = self._epochs(shown, data)
        self.source.data = data
        if (self.x_range.start, self.x_range.end) != (start, end):
            self.x_range.update(start=start, end=end)
        ranged = self._with_ghost(data, start, end)
        for panel in self.panels:
            panel.update(ranged, self._now)
        inside = (series.exits_t >= start) & (series.exits_t <= end)
        self.distance.set_exits(*self._thin(series.exits_t[inside], series.exits_value[inside], start, end))
        for axis in self.axes:
            axis.update(start, end, self._now, series.checkpoints)
        self.marks.update(series.events, start, end, self._now, self.width, self.dark)
        self._label(data, end)

    def _chosen(self, series: Series) -> Series:
        """The last minute where it is asked for, or where it is finer and reaches back as far as the span."""
        recent = series.recent
        if recent is None or len(recent.t) == 0 or self.window == "all":
            return series
        return recent if self.window == "recent" or recent.t[0] <= max(self.span[0], FIRST_EPOCH + 3) else series

    def _with_ghost(self, data: dict[str, np.ndarray], start: float, end: float) -> dict[str, np.ndarray]:
        """Return the columns with the ghost's of the epochs shown: the axes have room for both."""
        t = self.ghost.data["t"]
        shown = (t >= start) & (t <= end)
        if not len(data["t"]) or not shown.any():
            return data
        compared = {panel.compared for panel in self.panels}
        return data | {name: np.concatenate([data[name], self.ghost.data[name][shown]]) for name in compared}

    def _epochs(self, shown: Series, data: dict[str, np.ndarray]) -> tuple[float, float]:
        if self.window == "span" and self._now > self.span[0]:
            return float(self.span[0]), max(float(self.span[1]), 1.02 * self._now)
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
        for panel, labels in zip(self.panels, self.labels(data), strict=True):
            held = self._held and panel is self.accuracy
            panel.place_labels([*labels, *self._ghost_label(panel, end)], end, self.dark, held)

    def labels(self, data: dict[str, np.ndarray]) -> list[list[EndLabel]]:
        """Return the end labels of each panel for columns with at least one row."""
        return [self.accuracy.end_labels(data), self.distance.end_labels(data, self._chains),
                self.variance.end_labels(data, self._reduced, self._algorithm == PLAIN), self.cost.end_labels(data)]

    def _ghost_label(self, panel: TimePanel, end: float) -> list[EndLabel]:
        """Name the ghost's line where it leaves the panel; where it ended before, the dashes alone say whose it is."""
        t, values = self.ghost.data["t"], self.ghost.data[panel.compared]
        last = int(np.searchsorted(t, end, side="right")) - 1
        if last < 0 or t[-1] < self._now or not np.isfinite(values[last]):
            return []
        return [EndLabel(float(values[last]), "ghost", "ink2")]

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

    @property
    def accuracy_shown(self) -> str:
        """The accuracy that the chart names at its right end; empty while the target is not known."""
        texts = self.accuracy.labels.data["text"]
        return next((text.removeprefix("measured ") for text in texts if text.startswith("measured ")), "")

    def csv(self) -> str:
        """Return what the panels show as CSV text."""
        return to_csv(self.source.data, self._algorithm)



