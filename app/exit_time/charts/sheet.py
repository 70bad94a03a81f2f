"""All charts of the page together: what a picture changes, sizes, theme."""

from __future__ import annotations

from collections.abc import Callable

from app.exit_time.charts.good import GoodChart
from app.exit_time.charts.paths import PathsChart
from app.exit_time.charts.pushes import PushChart
from app.exit_time.charts.sums import SumsChart
from app.exit_time.charts.survival import SurvivalChart
from app.exit_time.result import ExitResult

PATHS_SHARE = 0.535
"""Of the room of the first card, what the paths take."""


class Sheet:
    """Built once; `show` replaces data. `chosen(chain)` is called when a path is clicked."""

    def __init__(self, chosen: Callable[[int], None]) -> None:
        from bokeh.models import Range1d

        x_range = Range1d(start=0.0, end=1.0)
        self.paths, self.survival = PathsChart(x_range, chosen), SurvivalChart(x_range)
        self.sums, self.square, self.plain = SumsChart(), PushChart(True), PushChart(False)
        self.good = GoodChart()
        self.charts = (self.paths, self.survival, self.sums, self.square, self.plain, self.good)
        self.paths.figure.xaxis[0].visible = False
        self.dark = False
        self._picture: ExitResult | None = None

    def show(self, picture: ExitResult) -> None:
        """Draw a picture on the five charts it concerns."""
        self._picture = picture
        for chart in self.charts[:5]:
            chart.show(picture)

    def fit_crowd(self, width: float, height: float, compact: bool) -> None:
        """Share the first card's room between paths and survival."""
        top = PATHS_SHARE * height if height else (230.0 if compact else 340.0)
        bottom = (1 - PATHS_SHARE) * height if height else (260.0 if compact else 320.0)
        self._fit((self.paths, top), (self.survival, bottom), compact=compact)

    def fit_sums(self, width: float, height: float, compact: bool) -> None:
        """Fit the sums into their card."""
        self._fit((self.sums, height or (230.0 if compact else 280.0)), compact=compact)

    def fit_pushes(self, width: float, height: float, compact: bool) -> None:
        """Fit both push charts into their card."""
        each = height or (220.0 if compact else 260.0)
        self._fit((self.square, each), (self.plain, each), compact=compact)

    def fit_good(self, width: float, height: float, compact: bool) -> None:
        """Fit the good events into their card."""
        self._fit((self.good, height or 220.0), compact=compact)

    def _fit(self, *sizes: tuple, compact: bool) -> None:
        for chart, height in sizes:
            changed = chart.compact != compact
            chart.resize(height, compact)
            if changed and self._picture is not None and chart is not self.good:
                chart.show(self._picture)

    def restyle(self, dark: bool) -> None:
        """Repaint everything for the dark or the light theme."""
        self.dark = dark
        for chart in self.charts:
            chart.restyle(dark)
