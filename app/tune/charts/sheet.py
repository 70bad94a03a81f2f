"""All charts of the page together: what a picture changes, sizes, theme."""

from __future__ import annotations

from collections.abc import Callable

from app.tune.charts.heat_map import HeatMap
from app.tune.charts.slice_chart import SliceChart
from app.tune.charts.watch_charts import CalibrationChart, ScoreChart
from app.tune.picture import Key, TunePicture
from app.tune.watching import Watched


class TuneSheet:
    """Built once; `show` replaces data. `chosen(key)` is called when a cell or a dot is clicked."""

    def __init__(self, chosen: Callable[[Key], None]) -> None:
        self.map, self.slice = HeatMap(chosen), SliceChart(chosen)
        self.score, self.calibration = ScoreChart(), CalibrationChart()
        self.charts = (self.map, self.slice, self.score, self.calibration)
        self.dark = False
        self._picture: tuple[TunePicture, int] | None = None

    def show(self, picture: TunePicture, batch: int) -> None:
        """Draw a sweep on the map and the slice."""
        self._picture = picture, batch
        self.map.show(picture, batch)
        self.slice.show(picture)

    def show_watched(self, watched: Watched) -> None:
        """Draw a rehearsal."""
        self.score.show(watched)
        self.calibration.show(watched)

    def fit_map(self, width: float, height: float, compact: bool) -> None:
        """Fit the map into its card."""
        sides = self.map.compact_left + self.map.compact_right if compact else self.map.left + self.map.right
        self.map.room = max(100.0, width - sides)
        self._fit((self.map,), height or (330.0 if compact else 500.0), compact)

    def fit_slice(self, width: float, height: float, compact: bool) -> None:
        """Fit the slice into its card."""
        self._fit((self.slice,), height or (200.0 if compact else 220.0), compact)

    def fit_watch(self, width: float, height: float, compact: bool) -> None:
        """Fit both charts of the rehearsal into their card."""
        self._fit((self.score, self.calibration), height or 200.0, compact)

    def _fit(self, charts: tuple, height: float, compact: bool) -> None:
        for chart in charts:
            chart.resize(height, compact)
        if self._picture is not None and charts[0] in (self.map, self.slice):
            self.show(*self._picture)

    def restyle(self, dark: bool) -> None:
        """Repaint everything for the dark or the light theme."""
        self.dark = dark
        for chart in self.charts:
            chart.restyle(dark)
