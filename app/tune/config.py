"""`TuneConfig`: everything that defines a sweep and what of it is looked at, in one frozen value."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from app.tune.reading import Reading
from sampler.tuning import Grid, around, spaced

LIMITS: dict[str, tuple[float, float]] = {
    "eta0": (1e-6, 1000.0),
    "i_max": (1, 5000),
    "batch_size": (1, 1024),
    "acceptance_radius": (0.1, 10_000.0),
    "chains": (4, 1024),
    "rows": (16, 5000),
    "seed": (0, 999_999),
}
"""Range of each knob, both ends included."""

REFERENCES = {"auto": "Exact, or a long chain", "laplace": "Laplace (mode, curvature)"}
"""How the truth is known -> words."""

BATCHES = (4, 9, 16, 32, 64)
"""Batches that can be added to a sweep with one click."""

MOST_CELLS = 2000
FINE = 4.0
"""Values of eta0 a decade."""
COARSE = 3.6
"""Values of i_max a decade."""


@dataclass(frozen=True)
class TuneConfig:
    """A sweep over eta0, i_max and b on the first rows of a stream. None: as the data and the advisor say."""

    data: str = "logistic2"  #: key of EXAMPLES, "given", or "file-<name of a kept upload>"
    kind: str = ""  #: "logistic", "linear", "poisson"; empty: as the data say
    reading: Reading = field(default_factory=Reading)  #: how a file is read
    rows: int | None = None  #: T, rows to tune on, from the first
    eta0: tuple[float, float] | None = None  #: smallest and largest
    i_max: tuple[int, int] | None = None
    batches: tuple[int, ...] | None = None
    acceptance_radius: float | None = None  #: C'
    chains: int | None = None  #: of each cell
    seed: int = 2
    reference: str = "auto"  #: key of REFERENCES
    prune: bool = True  #: give poor cells up early
    going: bool = False  #: a sweep was asked for, and not cancelled
    chosen: tuple[float, int, int] | None = None  #: eta0, i_max, b of the cell looked at; None: the best
    plane: int | None = None  #: b whose cells are shown; None: the best's

    def replace(self, **changes: object) -> TuneConfig:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    @property
    def settled(self) -> bool:
        """Whether every range is known."""
        return None not in (self.eta0, self.i_max, self.batches, self.acceptance_radius, self.rows, self.chains)

    @property
    def etas(self) -> tuple[float, ...]:
        """Values of eta0, rising: both ends, and values of two digits between them."""
        low, high = self.eta0
        inner = spaced(low, high, 1 + round(FINE * math.log10(high / low)))[1:-1]
        return tuple(sorted({float(f"{low:.3g}"), float(f"{high:.3g}")} | {float(f"{value:.2g}") for value in inner}))

    @property
    def lengths(self) -> tuple[int, ...]:
        """Values of i_max, rising: both ends, and round numbers between them."""
        low, high = self.i_max
        count = 1 + round(COARSE * math.log10(high / low))
        inner = spaced(low, high, count, whole=True)[1:-1] if count > 2 else ()
        found = {max(low, min(high, v)) for value in inner for v in around(value, (1.0,), whole=True)}
        return tuple(sorted({low, high} | {int(v) for v in found}))

    @property
    def grid(self) -> Grid:
        """What is swept."""
        return Grid(self.etas, self.lengths, self.batches, (self.acceptance_radius,))

    @property
    def cells(self) -> int:
        """Number of settings."""
        return len(self.etas) * len(self.lengths) * len(self.batches)

    @property
    def swept(self) -> TuneConfig:
        """The same without what is only looked at: equal for two views of one sweep."""
        return self.replace(chosen=None, plane=None, going=False)

    @property
    def source(self) -> tuple:
        """What the data depend on."""
        return self.data, self.kind, self.reading
