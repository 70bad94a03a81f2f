"""The four time panels on one epoch axis, fed by one source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bokeh.model import Model

from app.csv_text import result_rows
from app.live.charts.panel_models import SharedModels
from app.live.charts.panels import AccuracyPanel, CostPanel, DistancePanel, VariancePanel
from app.live.charts.view import FIRST_EPOCH, ChartView, empty
from app.live.snapshot import COLUMNS
from app.theme import Paint
from sampler.algorithms import PLAIN

if TYPE_CHECKING:
    from app.live.snapshot import Series


class ChartStack:
    """Accuracy, squared distance, gradient variance and cost; built once, then only what a `ChartView` says is set."""

    def __init__(self) -> None:
        self.paint, self.view = Paint(), ChartView()
        self.models = models = SharedModels(self.paint, FIRST_EPOCH, 2 * FIRST_EPOCH)
        self.sources = {name: models.source(columns) for name, columns in {
            "series": empty(), "ghost": empty(), "checkpoints": {"t": []}, "exits": {"t": [], "value": []},
            "events": {"t": [], "t_end": []}}.items()}
        self.panels = tuple(panel(place, models, self.sources) for panel, place in zip(
            (AccuracyPanel, DistancePanel, VariancePanel, CostPanel), self.view.panels, strict=True))
        self.named: dict[str, Model] = {**self.sources, "x_range": models.x_range, "x_ticker": models.x_ticker}
        for panel in self.panels:
            self.named |= panel.named()
        self._set: dict[tuple[str, str], Any] = {}  # what each property was set to
        self.show()

    @property
    def figures(self) -> list:
        """The four Bokeh figures, top to bottom."""
        return [panel.figure for panel in self.panels]

    @property
    def titles(self) -> list[list[str]]:
        """Title, subtitle and short title of each."""
        return [[panel.title, panel.subtitle, panel.short_title] for panel in self.panels]

    @property
    def terms(self) -> list[list[str]]:
        """Term of the glossary that each title is, and what is drawn."""
        return [[panel.term, panel.says] for panel in self.panels]

    @property
    def accuracy_shown(self) -> str:
        """The accuracy that the chart names at its right end; empty while it is not measured."""
        return self.view.accuracy_shown

    def show(self) -> None:
        """Set what has changed."""
        for name, properties in self.view.properties().items():
            new = {key: value for key, value in properties.items() if self._set.get((name, key)) != value}
            self._set |= {(name, key): value for key, value in new.items()}
            self.named[name].update(**new)

    def update(self, series: Series, now: int, chains: int, reduced: bool, algorithm: str = PLAIN,
               held: bool = False) -> None:
        """Show a new series, see `ChartView.update`."""
        self.view.update(series, now, chains, reduced, algorithm, held)
        self.show()

    def set_ghost(self, series: Series | None) -> None:
        """Draw the curves of another run beneath; None: of none."""
        self.view.ghost = empty() if series is None else series.columns
        self.show()

    def release(self) -> None:
        """Name the accuracies of the series that is shown."""
        if self.view.release():
            self.show()

    def set_window(self, window: str, span: tuple[int, int] | None = None) -> None:
        """Show the whole run ("all"), the last minute ("recent") or the epochs of `span`."""
        self.view.set_window(window, span)
        self.show()

    def resize(self, width: float, height: float, compact: bool) -> None:
        """Fit the panels into a card of this size (pixels); compact: one panel at a time, as on a phone."""
        self.view.resize(width, height, compact)
        self.show()

    def restyle(self, dark: bool) -> None:
        """Repaint everything for the dark or the light theme."""
        self.models.restyle(dark)

    def csv(self) -> str:
        """Return what the panels show as CSV text."""
        return to_csv(self.sources["series"].data, self.view.algorithm)


def to_csv(data: Mapping[str, Sequence[float]], algorithm: str) -> str:
    """Return the columns as CSV text, a row an epoch with six digits of each number and the algorithm's name."""
    rows = zip(*(data[name] for name in COLUMNS), strict=True)
    return result_rows((*COLUMNS, "algorithm"), ([*(float(f"{value:.6g}") for value in row), algorithm] for row in rows))
