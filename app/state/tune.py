"""What the user can set on the Tune page: the rows of a stream, what is swept on them, and which cell is looked at."""

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
"""Keys of the streams that are there from the start; the page opens on the first."""
KINDS = {"logistic": "logistic, built in", "linear": "linear, built in", "poisson": "Poisson, built in"}
"""Built-in gradients -> words."""
CHOICES = ("kind", "response", "positive", "features", "intercept", "scale")
"""What is chosen about a file, beside the file itself."""
REFERENCES = {"auto": "Exact, or a long chain", "laplace": "Laplace (mode, curvature)"}
"""How the truth is known -> words."""
BOTH = "both"
ALGORITHMS = {"saga-ld": "SAGA-LD", "preconditioned": "preconditioned", BOTH: "both"}
"""What is swept -> words."""
BATCHES = (4, 9, 16, 32, 64)
"""Batches that can be added to a sweep with one click."""
MOST_CELLS = 2000
ETA0_A_DECADE = 4.0
"""Values of eta0 for each factor of ten."""
I_MAX_A_DECADE = 3.6
"""Values of i_max for each factor of ten."""


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
    """A sweep over eta0, i_max and b on the first rows of a stream. None: as the data and the advisor say."""

    data = Stream(STREAMS, key="tdata", label="data")
    kind = Choice("", ("", *KINDS), "gradient", "Model of the response; empty: as the data say.", key="tkind")
    response = ColumnNames(key="ty", doc="Column to explain; None: one called y, label, ..., or the last.")
    positive = ColumnNames(key="tpos", doc="Value of the response that means 1 where every other means 0; None: it has two.")
    features = ColumnNames(key="tx", many=True, doc="Columns to explain it with; None: all others that hold numbers."
                           " One that holds a few words becomes columns of 0 and 1.")
    intercept = Switch(True, "intercept", "Add a feature that is always 1.", key="tones")
    scale = MaybeSwitch("scaling", "Standardise features as they arrive; None: where their sizes differ much.",
                        key="tscale")
    algorithm = Choice("saga-ld", tuple(ALGORITHMS), "algorithm", "SAGA-LD, the preconditioned one, or both side by side: on"
                       " the same rows, by the same rules, at the same numbers of steps and gradients.", key="talg")
    rows = AdvisedKnob(1000, 16, 5000, "rows to tune on", "Cells run on the first so many rows, and are judged on the second"
                       " half of them.", plain="T", key="tT", whole=True)
    eta0 = KnobRange(1e-6, 1000.0, "step size", "Step sizes to try: a step of epoch t is η₀/(t + c) long.",
                     symbol="η<sub>0</sub>", plain="η₀", key="teta")
    i_max = KnobRange(1, 5000, "steps an epoch", "Longest epochs to try.", symbol="i<sub>max</sub>", plain="iₘₐₓ",
                      key="timax", whole=True)
    batches = KnobValues(1, 1024, "batch a step", "Data drawn at each step to guess the gradient.", most=5, plain="b",
                         key="tb")
    acceptance_radius = AdvisedKnob(22.0, 0.1, 10_000.0, "reset beyond", "Acceptance radius: a chain farther than"
                                    " C′/√(t + c) from its checkpoint is put back there.", symbol="C′", plain="C′", key="tC",
                                    token="acc")
    whitened_eta0 = KnobRange(1e-4, 2.0, "step size, preconditioned", "Step sizes to try in whitened coordinates: a step is"
                              " η₀ long at every epoch.", symbol="η<sub>0</sub>", plain="η₀", key="tweta")
    whitened_radius = AdvisedKnob(20.0, 1.0, 1000.0, "reset beyond, sd", "Acceptance radius in posterior"
                                  " standard deviations.", symbol="C′", plain="C′", key="twC", token="acc")
    chains = AdvisedKnob(64, 4, 1024, "chains a cell", "Independent chains in every cell: more of them measure more exactly,"
                         " and cost more.", plain="chains", key="tchains", whole=True)
    seed = Knob(2, 0, 999_999, "seed", "Seed of the chains, the same in every cell.", plain="seed", key="tseed",
                scale="none", whole=True)
    reference = Choice("auto", tuple(REFERENCES), "reference", "How the truth is known that cells are judged by.",
                       key="tref")
    prune = Switch(True, "Give poor cells up early", "Cells worse than half of the others are not run to the end.",
                   key="tprune")
    going = Switch(False, "sweeping", "Whether a sweep was asked for, and not cancelled.", key="tgo")
    chosen = ChosenCell(key="tcell", doc="Cell looked at; None: the best.")
    plane = AdvisedKnob(9, 1, 1024, "batch shown", "b whose cells are shown; None: the best cell's.", plain="b",
                        key="tplane", whole=True)

    length: int | None = None
    """Rows the stream has, once they are read."""

    ADVISED = ("rows", "eta0", "i_max", "batches", "acceptance_radius", "chains")
    """What the advisor fills in where the user chose nothing."""
    WHITENED = ("whitened_eta0", "whitened_radius")
    """The same for the preconditioned algorithm alone."""

    @classmethod
    def from_query(cls, query: dict[str, Any] | None) -> tuple[TuneConfig, list[str]]:
        """Return what URL parameters describe, and a sentence for each thing that was wrong with them."""
        link = LinkReader(query)
        link.texts = {key: text for key, text in link.texts.items() if text}
        return cls.read_query(link, TuneConfig()), link.words

    def bring(self, **source: Any) -> None:
        """Take other data: every range is advised afresh, and nothing is swept until the user asks."""
        left = dict.fromkeys((*self.ADVISED, *self.WHITENED, "chosen", "plane"))
        self.param.update(**left, **source, going=False)

    def choose(self, name: str, value: Any) -> None:
        """Set what a menu or a switch sets, with what follows from it."""
        if getattr(self, name) == value:
            return
        if name == "data":
            self.bring(data=value, kind="", response=None, positive=None, features=None, intercept=True, scale=None)
        elif name == "kind":
            self.bring(kind=value)
        elif name == "algorithm":  # where nobody chose otherwise, another algorithm has other lengths and batches
            left = [knob for knob in ("i_max", "batches") if getattr(self, knob) == getattr(self.base, knob, None)]
            self.param.update(**dict.fromkeys((*left, "chosen", "plane")), algorithm=value)
        else:
            self.param.update(**{name: value})

    def taken_along(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Refuse more rows than there are; other rows have another best cell."""
        if name != "rows":
            return {name: value}
        if self.length is not None and value > self.length:
            raise ValueError(f"There are {self.length:,} rows. Kept {self.param.rows.say(self.rows)}.")
        return {name: value, "chosen": None}

    def put_range(self, name: str, low: object, high: object) -> None:
        """Set both ends of a range from a slider's numbers or from what was typed.

        Raises
        ------
        ValueError
            Words for the user: what is wrong, the allowed range, what was kept. Nothing has changed.
        """
        present = getattr(self, name)
        pair = self.param[name].read(low, high, present)
        self._set_few({name: pair, "chosen": None}, f" Kept {self.param[name].say(present)}.")

    def add_batch(self, batch: int) -> None:
        """Sweep one more b and show it; ValueError in words when that is not possible."""
        if batch not in (self.batches or ()):
            self._set_few({"batches": self.param.batches.added(self.batches, batch), "plane": batch, "chosen": None})

    def remove_batch(self, batch: int) -> None:
        """Leave a b out; the last one stays."""
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
    """A sweep and what of it is looked at, as a worker takes it."""

    @property
    def settled(self) -> bool:
        """Whether every range is known."""
        whitened = TuneState.WHITENED if "preconditioned" in self.algorithms else ()
        return all(getattr(self, name) is not None for name in (*TuneState.ADVISED, *whitened))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms that are swept."""
        return tuple(ONLINE_ALGORITHMS) if self.algorithm == BOTH else (self.algorithm,)

    def etas_of(self, algorithm: str) -> tuple[float, ...]:
        """Values of an algorithm's eta0, rising: both ends, and values of two digits between them."""
        return eta0_values(self.eta0 if algorithm == "saga-ld" else self.whitened_eta0)

    def radius_of(self, algorithm: str) -> float:
        """Acceptance radius of an algorithm's cells."""
        return self.acceptance_radius if algorithm == "saga-ld" else self.whitened_radius

    @property
    def lengths(self) -> tuple[int, ...]:
        """Values of i_max, rising: both ends, and round numbers between them."""
        return i_max_values(self.i_max)

    @property
    def grids(self) -> tuple[Grid, ...]:
        """What is swept of each algorithm: the same i_max and b, that is the same costs, and step sizes of its own."""
        return tuple(Grid(self.etas_of(name), self.lengths, self.batches, (self.radius_of(name),), name)
                     for name in self.algorithms)

    @property
    def cells(self) -> int:
        """Number of settings."""
        return sum(len(self.etas_of(name)) for name in self.algorithms) * len(self.lengths) * len(self.batches)

    @property
    def swept(self) -> TuneConfig:
        """The same without what is only looked at: equal for two views of one sweep."""
        return self.replace(chosen=None, plane=None, going=False)

    @property
    def source(self) -> tuple:
        """What the data depend on."""
        return self.data, self.kind, self.response, self.positive, self.features, self.intercept, self.scale
