"""The paper's figures as small multiples: a panel a model, one meaning of the axes for each figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bokeh.models import ColumnDataSource

from app.coreset.charts.lines import Curve, Level, LinesChart
from app.coreset.figure_plan import FigureResult, PanelResult, Series
from app.coreset.kinds import KINDS
from app.theme import tokens

X_LABELS = {"1": "ADAM’s rate (÷ √t)", "4": "iteration", "5": "iteration", "6": "iteration", "7": ""}


class PaperPanel(LinesChart):
    """One model: lines, or dots with names under them."""

    left, right, above, below = 44, 14, 6, 42
    compact_left, compact_right = 44, 14
    x_label = "iteration"
    what, x_what = "value", "at"

    def draw(self) -> None:  # noqa: D102
        super().draw()
        self.dotted: list[Series] = []
        self.dots = ColumnDataSource({key: [] for key in ("x", "y", "color", "fill", "name")})
        dots = self.figure.scatter("x", "y", source=self.dots, size=9, line_color="color", fill_color="color",
                                   fill_alpha="fill", line_width=1.6)
        self.hover(dots, (("", "@name"), (self.what, "@y{%.3g}")), "mouse")
        self.figure.tools[-1].formatters = {"@y": "printf"}  # the last: of the dots

    def show(self, panel: PanelResult, figure: str, end: float) -> None:
        """Draw one model's part of a figure."""
        lines = [s for s in panel.series if not s.dots]
        self.dotted = [s for s in panel.series if s.dots]
        start, end = self._ends(figure, panel, end)
        level = None if panel.level is None else Level(np.array([start, end]), np.full(2, panel.level), "")
        values = [y for s in self.dotted for y in s.y] + ([] if panel.level is None else [panel.level])
        self.figure.xaxis[0].axis_label = X_LABELS[figure] or None
        self.show_curves([Curve(s.x, s.y, s.name, "", s.token, s.token, s.width, s.dashed) for s in lines], end, level, (),
                         start, values)
        if panel.ticks:
            self.set_x(start, end, panel.ticks)
        self._fill()

    def _ends(self, figure: str, panel: PanelResult, end: float) -> tuple[float, float]:
        if panel.ticks:
            return min(panel.ticks) / 3, max(panel.ticks) * 3
        known = [s.x for s in panel.series if len(s.x)]
        if figure == "1":
            return (min(x[0] for x in known) / 2, max(x[-1] for x in known) * 2) if known else (1e-3, 1e2)
        if figure == "5":
            return 1.0, max([30.0, *(x[-1] for x in known)])
        return 10.0, end

    def _fill(self) -> None:
        palette, series = tokens(self.dark), self.dotted
        self.dots.data = {
            "x": np.concatenate([[], *(s.x for s in series)]), "y": np.concatenate([[], *(s.y for s in series)]),
            "color": [palette[s.token] for s in series for _ in s.x],
            "fill": [0.0 if s.open else 0.9 for s in series for _ in s.x], "name": [s.name for s in series for _ in s.x]}

    def restyle(self, dark: bool) -> None:
        """Repaint for the dark or the light theme."""
        super().restyle(dark)
        self._fill()


class PaperSheet:
    """Six panels, always the same models in the same places."""

    def __init__(self) -> None:
        self.panels = [PaperPanel() for _ in KINDS]
        self._result: FigureResult | None = None
        self.dark = False

    def show(self, result: FigureResult) -> None:
        """Draw a figure as far as it is done."""
        self._result = result
        for panel, found in zip(self.panels, result.panels, strict=True):
            panel.show(found, result.figure, float(result.scale.iterations))

    def fit(self, width: float, height: float, compact: bool) -> None:
        """Two rows of three; on a phone one under the other."""
        each = (height - 20) / 2 if height else (210.0 if compact else 220.0)
        for panel in self.panels:
            panel.resize(each, compact)
        if self._result is not None:
            self.show(self._result)

    def restyle(self, dark: bool) -> None:
        """Repaint everything for the dark or the light theme."""
        self.dark = dark
        for panel in self.panels:
            panel.restyle(dark)


def legend(result: FigureResult) -> str:
    """Return what the lines and dots are, as HTML."""
    seen: dict[str, Series] = {}
    for panel in result.panels:
        for series in panel.series:
            name = series.name if not series.name.startswith("ADAM, best") else "ADAM at its best rate"
            seen.setdefault(name, series)
    return " &nbsp; ".join(f'<span style="white-space:nowrap"><i style="color:var(--lab-{series.token})">{_sign(series)}</i>'
                           f"{name}</span>" for name, series in seen.items())


def _sign(series: Series) -> str:
    if series.dots:
        return "○" if series.open else "●"
    return "╌╌" if series.dashed else "━━"


def titles(result: FigureResult, head: Sequence[str]) -> list[list[str]]:
    """Return the headings: of the card, then of each panel."""
    return [list(head)] + [[panel.title + (f" · {panel.note}" if panel.note else ""), ""] for panel in result.panels]
