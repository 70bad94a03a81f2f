"""The paper's Figures 1, 4, 5, 6 and 7: which runs each needs, at a chosen scale, and what it draws of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from app.coreset.models import SOURCES
from app.state.coreset import MODELS


@dataclass(frozen=True)
class Scale:
    """How much of the paper's experiment is run."""

    key: str
    label: str
    n: int  #: most data
    iterations: int
    trials: int
    sizes: tuple[int, ...]  #: M of Figures 1 and 7
    size: int  #: M of Figures 4, 5 and 6
    reaches: tuple[float, ...]  #: r of Hot DoG
    rates: tuple[float, ...]  #: of ADAM


SCALES: dict[str, Scale] = {scale.key: scale for scale in (
    Scale("small", "small", 2_000, 3_000, 2, (50, 200), 100, (1e-3, 0.1, 10.0), (0.01, 0.1, 1.0, 10.0, 100.0)),
    Scale("medium", "medium", 20_000, 20_000, 3, (100, 500), 500, (1e-3, 0.1, 10.0), (0.01, 0.1, 1.0, 10.0, 100.0)),
    Scale("paper", "the paper’s", 200_000, 200_000, 10, (100, 500, 1000), 1000, (1e-3, 1e-2, 0.1, 1.0, 10.0),
          (1e-3, 0.01, 0.1, 1.0, 10.0, 100.0)),
)}
"""Key -> scale."""

WARM_UP = "warm_up"
"""In place of an optimizer: Hot DoG until its weights are trained."""
RIVALS = {"dog": 1e-3, "dowg": 1e-3, "prodigy": 1e-6, "adam_sqrt": 1.0, "d_adaptation": 1e-6}
"""Optimizer -> its rate or first guess in Figure 7."""
FIGURES: dict[str, tuple[str, str]] = {
    "1": ("ADAM against Hot DoG", "last z² of ADAM ÷ that of Hot DoG, against ADAM’s rate"),
    "4": ("With and without the hot start", "z-scores of Hot DoG; solid: hot start, dashed: none; a line for each r"),
    "5": ("The warm-up", "statistic of the hot-start test, its threshold, and gradient norms ÷ their last median"),
    "6": ("Any r against the best ADAM", "z-scores of Hot DoG for each r, and of the ADAM with the best rate, all with the"
          " hot start"),
    "7": ("Other rules against Hot DoG", "last z² ÷ that of Hot DoG; filled: with the hot start, open: without"),
}
"""Key -> title, subtitle."""


@dataclass(frozen=True, order=True)
class Cell:
    """One run that a figure needs."""

    model: str
    size: int
    optimizer: str
    rate: float
    hot: bool
    trial: int

    def cost(self, scale: Scale) -> float:
        """Seconds it takes, roughly."""
        part = 0.1 if self.optimizer == WARM_UP else 1.0
        return part * SOURCES[self.model].cost * (0.15 + 0.85 * self.size / 1000) * scale.iterations / 1000


@dataclass(frozen=True, eq=False)
class CellResult:
    """What is kept of a run."""

    iterations: np.ndarray
    z: np.ndarray
    norms: np.ndarray
    statistic: np.ndarray  #: (s, 2) iteration, hot-start statistic; of warm-ups only
    hot_at: int | None
    passed: bool | None
    fault: str = ""


@dataclass(frozen=True, eq=False)
class Series:
    """One line or one set of points of a panel."""

    name: str
    x: np.ndarray
    y: np.ndarray
    role: str  #: its colour
    dashed: bool = False
    width: float = 1.8
    dots: bool = False  #: points rather than a line
    open: bool = False


@dataclass(frozen=True, eq=False)
class PanelResult:
    """One model's part of a figure."""

    key: str
    title: str
    series: tuple[Series, ...] = ()
    level: float | None = None
    ticks: dict[float, str] = field(default_factory=dict)  #: names instead of numbers on the x axis
    note: str = ""


@dataclass(frozen=True, eq=False)
class FigureResult:
    """A figure as far as its runs are done."""

    figure: str
    scale: Scale
    panels: tuple[PanelResult, ...]
    done: int  #: runs
    whole: int
    notes: tuple[str, ...] = ()


AXES = {"1": "ADAM’s rate (÷ √t)", "4": "iteration", "5": "iteration", "6": "iteration", "7": ""}
"""What is on the horizontal axis of each figure."""


def axis_of(result: FigureResult, panel: PanelResult) -> tuple[str, float, float]:
    """Return words, start and end of the horizontal axis of one panel."""
    words, known = AXES[result.figure], [series.x for series in panel.series if len(series.x)]
    if result.figure == "1":
        ends = (min(x[0] for x in known) / 2, max(x[-1] for x in known) * 2) if known else (1e-3, 1e2)
    elif result.figure == "5":
        ends = 1.0, max([30.0, *(float(x[-1]) for x in known)])
    else:
        ends = 10.0, float(result.scale.iterations)
    return words, *ends


def cells_of(figure: str, scale: Scale) -> list[Cell]:
    """Return the runs that a figure needs, one trial of every line before the next."""
    cells = []
    for trial in range(scale.trials):
        for model in MODELS:
            size = min(scale.size, MODELS[model].n)
            if figure == "4":
                cells += [Cell(model, size, "hot_dog", r, hot, trial) for r in scale.reaches for hot in (True, False)]
            elif figure == "5":
                cells += [Cell(model, size, WARM_UP, 1e-3, True, trial)] if trial == 0 else []
            elif figure == "6":
                cells += [Cell(model, size, "hot_dog", r, True, trial) for r in scale.reaches]
                cells += [Cell(model, size, "adam_sqrt", rate, True, trial) for rate in scale.rates]
            else:
                cells += _ratios(figure, model, scale, trial)
    return cells


def _ratios(figure: str, model: str, scale: Scale, trial: int) -> list[Cell]:
    cells = [Cell(model, size, "hot_dog", 1e-3, True, trial) for size in scale.sizes]
    if figure == "1":
        return cells + [Cell(model, size, "adam_sqrt", rate, True, trial) for size in scale.sizes for rate in scale.rates]
    return cells + [Cell(model, size, rival, rate, hot, trial)
                    for size in scale.sizes for rival, rate in RIVALS.items() for hot in (True, False)]


def seconds_of(figure: str, scale: Scale) -> float:
    """Return how long a figure takes, roughly."""
    return 4.0 + sum(cell.cost(scale) for cell in cells_of(figure, scale))
