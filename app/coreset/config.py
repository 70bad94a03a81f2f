"""`CoresetConfig`: everything that defines the runs of the Coreset page and what is shown of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

LIMITS: dict[str, tuple[float, float]] = {
    "n": (20, 200_000),
    "dim": (1, 60),
    "size": (1, 20_000),
    "subsample": (0, 20_000),
    "chains": (2, 32),
    "iterations": (100, 200_000),
    "reach": (1e-6, 1e3),
    "adam_rate": (1e-5, 1e4),
    "adam_constant": (1e-5, 1e4),
    "guess": (1e-9, 1e3),
    "threshold": (1e-3, 10.0),
    "cap": (30, 100_000),
    "seed": (0, 999_999),
}
"""Range of each knob, both ends included. Subsample 0 stands for M."""

MODELS = ("gaussian", "sparse", "linear", "logistic", "poisson", "bradley_terry")
OPTIMIZERS = ("hot_dog", "dog", "dowg", "d_adaptation", "prodigy", "adam_sqrt", "adam_const", "untrained")
STARTS = ("default", "near", "far")
HOT = ("on", "off", "both")
KERNELS = ("exact", "ar")
VIEWS = ("response", "principal")
MOST_NUMBERS = 90_000_000
"""Numbers that all runs may keep together, 8 bytes each."""


@dataclass(frozen=True)
class RunKey:
    """One line of the charts: an optimizer, with or without the hot start."""

    optimizer: str
    hot: bool

    @property
    def text(self) -> str:
        """As a link and a table row name it."""
        return f"{self.optimizer}{'' if self.hot else '-cold'}"


@dataclass(frozen=True)
class CoresetConfig:
    """Coreset MCMC with several optimizers on one model, same seed and same coreset for all."""

    model: str = "gaussian"
    data: str = "generated"  #: or "file"
    n: int = 10_000  #: N, of generated data
    dim: int = 20  #: d (features p, teams), of generated data
    size: int = 500  #: M
    subsample: int = 0  #: S; 0 is M
    chains: int = 2  #: K
    iterations: int = 50_000  #: T, warm-up included
    optimizers: tuple[str, ...] = ("hot_dog", "dog", "adam_sqrt", "adam_const")
    reach: float = 1e-3  #: r of Hot DoG, DoG and DoWG
    adam_rate: float = 1.0  #: of ADAM with rate / sqrt(t)
    adam_constant: float = 1e-3  #: of ADAM with a constant rate
    guess: float = 1e-6  #: d_0 of D-Adaptation and Prodigy
    hot: str = "on"  #: hot start "on", "off" or "both", for every optimizer alike
    threshold: float = 0.5
    cap: int = 10_000
    start: str = "default"
    kernel: str = "exact"  #: of the Gaussian model; "ar" has the memory sqrt(0.8)
    seed: int = 0
    focus: str = "hot_dog"  #: `RunKey.text` of the run whose points are drawn
    view: str = "response"

    def replace(self, **changes: object) -> CoresetConfig:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    @property
    def drawn(self) -> int:
        """S as it is run."""
        return self.subsample or self.size

    @property
    def keys(self) -> tuple[RunKey, ...]:
        """The runs, in the order of the table."""
        hots = {"on": (True,), "off": (False,), "both": (True, False)}[self.hot]
        return tuple(RunKey(optimizer, hot) for optimizer in self.optimizers for hot in hots)

    @property
    def shown(self) -> RunKey:
        """The run whose points are drawn: the first when the one named is not run."""
        keys = self.keys
        return next((key for key in keys if key.text == self.focus), keys[0])

    @property
    def numbers(self) -> int:
        """Numbers that the runs will keep: draws and squares, norms, sums and potentials of every iteration."""
        rows = 4096
        while rows < self.iterations:
            rows *= 2
        return len(self.keys) * rows * (2 * (self.dim + 2) + 2 + self.chains)
