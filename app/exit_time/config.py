"""`ExitConfig`: everything that defines one exit-time picture, in one frozen value."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

LIMITS: dict[str, tuple[float, float]] = {
    "radius": (0.01, 100.0),
    "step_size": (1e-8, 1.0),
    "dim": (1, 100),
    "steps": (1, 100_000),
    "curvature": (0.0, 10_000.0),
    "noise": (0.0, 100_000.0),
    "truncation": (0.0, 60.0),
    "distance": (0.0, 100.0),
    "chains": (100, 20_000),
}
"""Range of each knob, both ends included. Truncation 0 stands for "the best"."""

TARGETS = ("quadratic", "live")
STARTS = ("mode", "distance", "live")
DEFAULT_PRESET = "printed"


@dataclass(frozen=True)
class ExitConfig:
    """Chains through one epoch: X' = X - eta (grad F + zeta) + sqrt(2 eta) xi, from X_0 to X_n."""

    radius: float = 2.5  #: r
    step_size: float = 5e-5  #: eta
    dim: int = 2  #: d
    steps: int = 10_000  #: n = i_max
    curvature: float = 0.0  #: m of F = m ||x||^2 / 2; 0 is a flat F
    noise: float = 0.0  #: S, length of zeta
    truncation: float = 0.0  #: C_xi; 0 takes the best
    start: str = "mode"  #: "mode", "distance" or "live" (where the Live page's chains stand)
    distance: float = 1.0  #: rho_0 of the start "distance"
    chains: int = 10_000
    target: str = "quadratic"  #: "quadratic", or "live": the posterior as the Live page left it
    chain: int | None = None  #: chain whose sums are shown; None: one that left, if any
    adopt: bool = False  #: take r, eta, d, i_max, m and S from the Live page's state before computing

    def replace(self, **changes: object) -> ExitConfig:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    @property
    def plain(self) -> ExitConfig:
        """The same without the chain looked at."""
        return self.replace(chain=None, adopt=False)

    @property
    def needs_live(self) -> bool:
        """Whether it takes a state of the Live page to compute this."""
        return self.target == "live" or self.start == "live"

    @property
    def start_distance(self) -> float:
        """rho_0 where it is one number: 0 at the mode."""
        return self.distance if self.start == "distance" else 0.0

    @property
    def least_truncation(self) -> float:
        """sqrt(2 d), below which eq. 38 does not hold."""
        return math.sqrt(2 * self.dim)

    @property
    def cutoff(self) -> float | None:
        """C_xi as the library takes it: None for the best; never below what eq. 38 needs."""
        return None if self.truncation == 0.0 else max(self.truncation, self.least_truncation * (1 + 1e-9))

    @property
    def stable(self) -> bool:
        """Whether eta <= 2/m: a gradient step of the quadratic does not move a chain outward."""
        return self.step_size * self.curvature <= 2.0
