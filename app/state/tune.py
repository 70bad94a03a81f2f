"""`TuneState`: user settings of the Tune page: the rows of a stream, the sweep on them, and the selected cell."""

from __future__ import annotations

import math
from typing import Any

from app.state.page_state import Frozen, PageState, frozen_copy_of
from app.state.parameters.advised_knob import (
    AdvisedKnob,
    ChosenCell,
    ColumnNames,
    KnobRange,
    KnobValues,
    MaybeSwitch,
    Stream,
)
from app.state.parameters.advised_knob import CellKey as CellKey
from app.state.parameters.knob import Choice, Knob, Switch
from app.state.parameters.knob_values import LinkReader
from sampler.algorithms import ONLINE_ALGORITHMS
from sampler.tuning import Grid, around, spaced

STREAMS = ("logistic2", "paper21", "linear2", "poisson2", "logistic2-drifting")
"""Keys of the built-in streams; the page opens on the first."""
KINDS = {"logistic": "logistic, built in", "linear": "linear, built in", "poisson": "Poisson, built in"}
"""Built-in gradient -> label."""
CHOICES = ("kind", "response", "positive", "features", "intercept", "scale")
"""Parameters for reading a file."""
REFERENCES = {"auto": "Exact, or a long chain", "laplace": "Laplace (mode, curvature)"}
"""Reference method for the target -> label."""
BOTH = "both"
ALGORITHMS = {"saga-ld": "SAGA-LD", "preconditioned": "preconditioned", BOTH: "both"}
"""Swept algorithm, or both -> label."""
BATCHES = (4, 9, 16, 32, 64)
"""Batch sizes offered for a sweep."""
MOST_CELLS = 2000
ETA0_A_DECADE = 4.0
"""Values of eta0 per decade."""
I_MAX_A_DECADE = 3.6
"""Values of i_max per decade."""


def eta0_values(pair: tuple[float, float]) -> tuple[float, ...]:
    """Return the step sizes swept in a range."""
    low, high = pair
    inner = spaced(low, high, 1 + round(ETA0_A_DECADE * math.log10(high / low)))[1:-1]
    return tuple(sorted({float(f"{low:.3g}"), float(f"{high:.3g}")} | {float(f"{value:.2g}") for value in inner}))


def i_max_values(pair: tuple[int, int]) -> tuple[int, ...]:
    """Return the epoch lengths swept in a range."""
    low, high = pair
    count = 1 + round(I_MAX_A_DECADE * math.log10(high / low))
    inner = spaced(low, high, count, whole=True)[1:-1] if count > 2 else ()
    rounded = {max(low, min(high, v)) for value in inner for v in around(value, (1.0,), whole=True)}
    return tuple(sorted({low, high} | {int(v) for v in rounded}))


class TuneState(PageState):
    """Settings of a sweep over eta0, i_max and b on the first rows of a stream. None: inferred from the data, or advised."""

    data = Stream(STREAMS, key="tdata", label="data")
    kind = Choice("", ("", *KINDS), "gradient", "Model of the response; empty: inferred from the data.", key="tkind")
    response = ColumnNames(key="ty", doc="Response column; None: one named y, label, ..., or the last.")
    positive = ColumnNames(key="tpos", doc="Value of the response coded as 1, all others as 0; None: it has two values.")
    features = ColumnNames(key="tx", many=True, doc="Feature columns; None: all other numeric columns."
                           " A column of a few distinct words becomes indicator columns.")
    intercept = Switch(True, "intercept", "Add a feature that is always 1.", key="tones")
    scale = MaybeSwitch("scaling", "Standardise features as they arrive; None: if their scales differ much.",
                        key="tscale")
    algorithm = Choice("saga-ld", tuple(ALGORITHMS), "algorithm", "SAGA-LD, preconditioned SAGA-LD, or both side by side: on"
                       " the same rows, by the same rules, at the same numbers of steps and gradients.", key="talg")
    rows = AdvisedKnob(1000, 16, 5000, "rows to tune on", "Number of first rows that cells run on; they are judged on the"
                       " second half.", plain="T", key="tT", whole=True)
    eta0 = KnobRange(1e-6, 1000.0, "step size", "Step sizes to try: η₀/(t + c) in epoch t.",
                     symbol="η<sub>0</sub>", plain="η₀", key="teta")
    i_max = KnobRange(1, 5000, "steps per epoch", "Maximum steps per epoch to try.", symbol="i<sub>max</sub>", plain="iₘₐₓ",
                      key="timax", whole=True)
    batches = KnobValues(1, 1024, "batch per step", "Data drawn at each step to estimate the gradient.", most=5, plain="b",
                         key="tb")
    acceptance_radius = AdvisedKnob(22.0, 0.1, 10_000.0, "reset beyond", "Acceptance radius: a chain farther than"
                                    " C′/√(t + c) from its checkpoint is reset to it.", symbol="C′", plain="C′", key="tC",
                                    token="acc")
    whitened_eta0 = KnobRange(1e-4, 2.0, "step size, preconditioned", "Step sizes to try in whitened coordinates: η₀ in"
                              " every epoch.", symbol="η<sub>0</sub>", plain="η₀", key="tweta")
    whitened_radius = AdvisedKnob(20.0, 1.0, 1000.0, "reset beyond, sd", "Acceptance radius in posterior"
                                  " standard deviations.", symbol="C′", plain="C′", key="twC", token="acc")
    chains = AdvisedKnob(64, 4, 1024, "chains per cell", "Independent chains in every cell: more are more precise and cost"
                         " more.", plain="chains", key="tchains", whole=True)
    seed = Knob(2, 0, 999_999, "seed", "Seed of the chains, the same in every cell.", plain="seed", key="tseed",
                scale="none", whole=True)
    reference = Choice("auto", tuple(REFERENCES), "reference", "Reference for the target by which cells are judged.",
                       key="tref")
    prune = Switch(True, "Give poor cells up early", "Cells worse than half of the others are not run to the end.",
                   key="tprune")
    going = Switch(False, "sweeping", "Whether a sweep was requested and not cancelled.", key="tgo")
    chosen = ChosenCell(key="tcell", doc="Selected cell; None: the best.")
    plane = AdvisedKnob(9, 1, 1024, "batch shown", "Batch size of the cells shown; None: that of the best cell.", plain="b",
                        key="tplane", whole=True)

    length: int | None = None
    """Number of rows of the stream; None until they are read."""

    ADVISED = ("rows", "eta0", "i_max", "batches", "acceptance_radius", "chains")
    """Parameters set by the advisor unless the user sets them."""
    WHITENED = ("whitened_eta0", "whitened_radius")
    """The same, for the preconditioned algorithm only."""

    @classmethod
    def from_query(cls, query: dict[str, Any] | None) -> tuple[TuneConfig, list[str]]:
        """Return the configuration in URL parameters, and one warning per invalid value."""
        link = LinkReader(query)
        link.texts = {key: text for key, text in link.texts.items() if text}
        return cls.read_query(link, TuneConfig()), link.words

    def set_source(self, **source: Any) -> None:
        """Set other data: all ranges are advised again, and no sweep runs until the user starts one."""
        left = dict.fromkeys((*self.ADVISED, *self.WHITENED, "chosen", "plane"))
        self.param.update(**left, **source, going=False)

    def choose(self, name: str, value: Any) -> None:
        """Set the parameter of a menu or switch and update its dependents."""
        if getattr(self, name) == value:
            return
        if name == "data":
            self.set_source(data=value, kind="", response=None, positive=None, features=None, intercept=True, scale=None)
        elif name == "kind":
            self.set_source(kind=value)
        elif name == "algorithm":  # unless the user set them, lengths and batches are advised for the algorithm
            left = [knob for knob in ("i_max", "batches") if getattr(self, knob) == getattr(self.base, knob, None)]
            self.param.update(**dict.fromkeys((*left, "chosen", "plane")), algorithm=value)
        else:
            self.param.update(**{name: value})

    def changes_for(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Refuse more rows than the stream has; a change of the rows resets the selected cell."""
        if name != "rows":
            return {name: value}
        if self.length is not None and value > self.length:
            raise ValueError(f"There are {self.length:,} rows. Kept {self.param.rows.format_value(self.rows)}.")
        return {name: value, "chosen": None}

    def put_range(self, name: str, low: object, high: object) -> None:
        """Set both ends of a range from a slider's numbers or from typed text.

        Raises
        ------
        ValueError
            If the range is refused, with a message for the user: error, range and value kept. Nothing has changed.
        """
        present = getattr(self, name)
        pair = self.param[name].read(low, high, present)
        self._set_few({name: pair, "chosen": None}, f" Kept {self.param[name].format_value(present)}.")

    def add_batch(self, batch: int) -> None:
        """Add a batch size to the sweep and show it; raise ValueError, with a message for the user, if refused."""
        if batch not in (self.batches or ()):
            self._set_few({"batches": self.param.batches.added(self.batches, batch), "plane": batch, "chosen": None})

    def remove_batch(self, batch: int) -> None:
        """Remove a batch size from the sweep, unless it is the last one."""
        left = tuple(b for b in self.batches or () if b != batch)
        if left:
            self.param.update(batches=left, plane=None, chosen=None)

    def _set_few(self, changes: dict[str, Any], kept: str = "") -> None:
        config = self.frozen().replace(**changes)
        if config.settled and config.cells > MOST_CELLS:
            raise ValueError(f"That would be {config.cells:,} cells; {MOST_CELLS:,} at most.{kept}")
        self.param.update(**changes)


@frozen_copy_of(TuneState)
class TuneConfig(Frozen):
    """Configuration of a sweep and of its display, for a worker."""

    @property
    def settled(self) -> bool:
        """Whether every range is set."""
        whitened = TuneState.WHITENED if "preconditioned" in self.algorithms else ()
        return all(getattr(self, name) is not None for name in (*TuneState.ADVISED, *whitened))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the swept algorithms."""
        return tuple(ONLINE_ALGORITHMS) if self.algorithm == BOTH else (self.algorithm,)

    def etas_of(self, algorithm: str) -> tuple[float, ...]:
        """Return an algorithm's values of eta0, ascending: both ends, and values of two digits between them."""
        return eta0_values(self.eta0 if algorithm == "saga-ld" else self.whitened_eta0)

    def radius_of(self, algorithm: str) -> float:
        """Return the acceptance radius of an algorithm's cells."""
        return self.acceptance_radius if algorithm == "saga-ld" else self.whitened_radius

    @property
    def lengths(self) -> tuple[int, ...]:
        """Values of i_max, ascending: both ends, and round numbers between them."""
        return i_max_values(self.i_max)

    @property
    def grids(self) -> tuple[Grid, ...]:
        """One grid per algorithm: the same i_max and b, hence the same costs, with the algorithm's own step sizes."""
        return tuple(Grid(self.etas_of(name), self.lengths, self.batches, (self.radius_of(name),), name)
                     for name in self.algorithms)

    @property
    def cells(self) -> int:
        """Number of cells in the sweep."""
        return sum(len(self.etas_of(name)) for name in self.algorithms) * len(self.lengths) * len(self.batches)

    @property
    def swept(self) -> TuneConfig:
        """Copy with default display parameters, equal for two views of one sweep."""
        return self.replace(chosen=None, plane=None, going=False)

    @property
    def source(self) -> tuple:
        """Values that determine the data."""
        return self.data, self.kind, self.response, self.positive, self.features, self.intercept, self.scale
