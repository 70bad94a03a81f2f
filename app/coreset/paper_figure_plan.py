"""The paper's Figures 1 to 13: their runs at a chosen scale, texts, and results."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.coreset.models import SOURCES
from app.coreset.result import RunTrace
from app.plots import Line
from app.state.coreset import MODELS


@dataclass(frozen=True)
class Scale:
    """Size of an experiment relative to the paper's."""

    key: str
    label: str
    n: int  #: maximum number of data
    iterations: int
    trials: int
    sizes: tuple[int, ...]  #: M of Figures 1, 2 and 7
    size: int  #: M of Figures 3, 4, 5 and 6; 8 to 13 set theirs
    reaches: tuple[float, ...]  #: r of Hot DoG, DoG and DoWG
    rates: tuple[float, ...]  #: rates of ADAM
    guesses: tuple[float, ...] = (1e-6, 1e-3, 1.0)  #: initial distances of D-Adaptation and Prodigy


SCALES: dict[str, Scale] = {scale.key: scale for scale in (
    Scale("small", "small", 2_000, 3_000, 2, (50, 200), 100, (1e-3, 0.1, 10.0), (0.01, 0.1, 1.0, 10.0, 100.0),
          (1e-6, 1.0)),
    Scale("medium", "medium", 20_000, 20_000, 3, (100, 500), 500, (1e-3, 0.1, 10.0), (0.01, 0.1, 1.0, 10.0, 100.0)),
    Scale("paper", "the paper’s", 200_000, 200_000, 10, (100, 500, 1000), 1000, (1e-3, 1e-2, 0.1, 1.0, 10.0),
          (1e-3, 0.01, 0.1, 1.0, 10.0, 100.0)),
)}
"""Key -> scale."""

WARM_UP = "warm_up"
"""Value of `Cell.optimizer` for Hot DoG up to the end of the warm-up."""
RIVALS = {"dog": "reaches", "dowg": "reaches", "prodigy": "guesses", "adam_sqrt": "rates", "d_adaptation": "guesses"}
"""Optimizer -> field of `Scale` with its rates in Figures 3 and 7."""
FIRST_GUESS = 1e-6
"""Initial distance of D-Adaptation and Prodigy in Figure 3: their default."""
HOT, COLD, BOTH = (True,), (False,), (True, False)
RUNS: dict[str, list[tuple[str, str | tuple[float, ...], tuple[bool, ...]]]] = {
    "1": [("hot_dog", (1e-3,), HOT), ("adam_sqrt", "rates", HOT)],
    "2": [("adam_sqrt", "rates", HOT)],
    "3": [(rival, (FIRST_GUESS,) if grid == "guesses" else grid, COLD) for rival, grid in RIVALS.items()],
    "4": [("hot_dog", "reaches", BOTH)],
    "5": [(WARM_UP, (1e-3,), HOT)],
    "6": [("hot_dog", "reaches", HOT), ("adam_sqrt", "rates", HOT)],
    "7": [("hot_dog", (1e-3,), HOT), *((rival, grid, BOTH) for rival, grid in RIVALS.items())],
}
"""Kind of a figure -> its optimizers, the rates of each (or the field of `Scale` with them), and its starts."""
TEXT = tomllib.loads(Path(__file__).with_name("paper_figures.toml").read_text(encoding="utf-8"))
"""Texts of the figures."""


@dataclass(frozen=True)
class PaperFigure:
    """One figure of the paper."""

    kind: str  #: key of the figure with the same content at another M, or its own
    title: str
    subtitle: str
    axis: str  #: label of the horizontal axis
    reading: str  #: explanation
    level: float | None = None  #: value of the level line of its panels
    size: int | None = None  #: M; None for that of the scale


def _figures() -> dict[str, PaperFigure]:
    figures = {key: PaperFigure(key, **words) for key, words in TEXT["figure"].items()}
    for key, (kind, size) in TEXT["appendix"].items():
        figures[key] = replace(figures[kind], title=f"{figures[kind].title}, M = {size}", size=size)
    return figures


FIGURES = _figures()
"""Key -> figure."""


@dataclass(frozen=True, order=True)
class Cell:
    """One run of a figure."""

    model: str
    size: int
    optimizer: str
    rate: float
    hot: bool
    trial: int

    def cost(self, scale: Scale) -> float:
        """Return the approximate duration of the run in seconds."""
        part = 0.1 if self.optimizer == WARM_UP else 1.0
        return part * SOURCES[self.model].cost * (0.15 + 0.85 * self.size / 1000) * scale.iterations / 1000


@dataclass(frozen=True, eq=False)
class PanelResult:
    """One model's panel of a figure."""

    key: str
    title: str
    series: tuple[Line, ...] = ()
    level: float | None = None
    ticks: dict[float, str] = field(default_factory=dict)  #: labels that replace numbers on the x axis
    note: str = ""


@dataclass(frozen=True, eq=False)
class FigureResult:
    """A figure of the runs finished so far."""

    figure: str
    scale: Scale
    panels: tuple[PanelResult, ...]
    done: int  #: number of finished runs
    whole: int  #: number of all runs
    notes: tuple[str, ...] = ()
    own: tuple[str, str, str] | None = None  #: key of the model on the user's file, the file's name, the reading's key
    runs: Mapping[Cell, RunTrace] = field(default_factory=dict)  #: runs finished by the job


def axis_of(result: FigureResult, panel: PanelResult) -> tuple[str, float, float]:
    """Return label, start and end of the horizontal axis of one panel."""
    kind, drawn = FIGURES[result.figure].kind, [series.x for series in panel.series if len(series.x)]
    if kind in ("1", "2"):
        ends = (min(x[0] for x in drawn) / 2, max(x[-1] for x in drawn) * 2) if drawn else (1e-3, 1e2)
    elif kind == "5":
        ends = 1.0, max([30.0, *(float(x[-1]) for x in drawn)])
    else:
        ends = 10.0, float(result.scale.iterations)
    return FIGURES[result.figure].axis, *ends


def cells_of(figure: str, scale: Scale) -> list[Cell]:
    """Return the runs of a figure, one trial of every line before the next."""
    kind = FIGURES[figure].kind
    return [
        Cell(model, size, optimizer, rate, hot, trial)
        for trial in range(1 if kind == "5" else scale.trials) for model in MODELS
        for optimizer, rates, starts in RUNS[kind]
        for size in (scale.sizes if kind in "127" else [min(FIGURES[figure].size or scale.size, MODELS[model].n)])
        for rate in (getattr(scale, rates) if isinstance(rates, str) else rates) for hot in starts]


def seconds_of(figure: str, scale: Scale) -> float:
    """Return the approximate duration of a figure in seconds."""
    return 4.0 + sum(cell.cost(scale) for cell in cells_of(figure, scale))
