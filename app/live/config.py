"""`LiveConfig`: everything that defines a Live run and its picture, in one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from app.user_data import Given
from sampler import Settings

SPEEDS: tuple[tuple[str, str, float], ...] = (
    ("1 step a second", "steps", 1.0),
    ("2 steps a second", "steps", 2.0),
    ("4 steps a second", "steps", 4.0),
    ("10 steps a second", "steps", 10.0),
    ("half an epoch a second", "epochs", 0.5),
    ("1 epoch a second", "epochs", 1.0),
    ("2 epochs a second", "epochs", 2.0),
    ("4 epochs a second", "epochs", 4.0),
    ("8 epochs a second", "epochs", 8.0),
    ("16 epochs a second", "epochs", 16.0),
    ("32 epochs a second", "epochs", 32.0),
    ("64 epochs a second", "epochs", 64.0),
    ("128 epochs a second", "epochs", 128.0),
    ("as fast as it goes", "epochs", float("inf")),
)
"""(label, what the rate counts: "steps" or "epochs", rate a second)."""

DEFAULT_SPEED = 8
"""Index of "8 epochs a second"."""

SLOW_STEPS = 2.0
"""At this many steps a second or fewer the three terms of a step are drawn as arrows."""

LIMITS: dict[str, tuple[float, float]] = {
    "eta0": (0.001, 30.0),
    "batch_size": (1, 256),
    "i_max": (1, 2000),
    "acceptance_radius": (0.1, 3000.0),
    "escape_radius": (0.1, 3000.0),
    "offset": (0.0, 100.0),
    "chains": (1, 512),
    "seed": (0, 999_999),
}
"""Range of each knob on the Live page, both ends included."""

RESTARTING = ("problem", "stream", "chains", "seed", "given")
"""Fields whose change restarts the run; every other one acts at once."""

PAPER_DEFAULTS = Settings(eta0=1.0, batch_size=9, i_max=60, acceptance_radius=22.0, offset=1.0)
"""Live defaults of the logistic problem in two dimensions."""


@dataclass(frozen=True)
class LiveConfig:
    """A run and its picture. See `app.live.presets` for good ones."""

    problem: str = "logistic2"  #: key of PROBLEMS, or "given"
    stream: str = "paper"  #: key of STREAMS
    chains: int = 64  #: 1 to 512
    seed: int = 1  #: of the stream and of the chains, 0 to 999,999
    settings: Settings = field(default=PAPER_DEFAULTS)
    escape_radius: float = 16.0  #: R, 1 to 300
    speed: int = DEFAULT_SPEED  #: index into SPEEDS
    follow: int | None = 0  #: chain shown with its acceptance ball; None: nobody
    axes: tuple[int, int] | str = (0, 1)  #: two coordinates, or "principal"
    rescaled: bool = False  #: draw (x - mode) sqrt(t + c)
    given: Given | None = None  #: a person's own data, for the problem "given"

    def replace(self, **changes: object) -> LiveConfig:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def restarts(self, other: LiveConfig) -> bool:
        """Whether going from here to `other` needs a new run."""
        return any(getattr(self, name) != getattr(other, name) for name in RESTARTING)
