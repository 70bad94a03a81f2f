"""CV-ULD: SVRG's control variate inside underdamped Langevin dynamics (Chatterji et al. 2018; LMV-n section 3).

    dv = -gamma v dt - u g dt + sqrt(2 gamma u) dB,   dx = v dt,   stationary: x ~ exp(-F), v ~ N(0, u I)

with g frozen during a step of length delta: the step is then Gaussian and sampled exactly (Cheng et al. 2018). With
h = gamma delta, p = (1 - e^-h)/gamma and independent normals xi, zeta,

    v' = e^-h v - u p g             + sqrt(V) xi,                V = u (1 - e^-2h)
    x' = x + p v - (u/gamma)(delta - p) g + (C/sqrt(V)) xi + sqrt(W - C^2/V) zeta,
    C = (u/gamma) (1 - e^-h)^2,   W = (u/gamma^2) (2 h - 3 + 4 e^-h - e^-2h)

g is SVRG-LD's estimator, anchored every m steps on B terms. Chatterji et al. use ONE anchor near the mode: start there
and set ``anchor_every`` above the number of steps. Chains start with zero velocity.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.offline_langevin import AnchoredSampler
from sampler.algorithms.offline_sampler import curvature
from sampler.arguments import positive_number
from sampler.kernels.offline_chains import Law


def position_noise(h: float) -> float:
    """Return 2h - 3 + 4 e^-h - e^-2h for h > 0, by its series where the terms would cancel."""
    if h > 0.5:
        return 2 * h - 3 + 4 * math.exp(-h) - math.exp(-2 * h)
    return sum((-h) ** k * (4 - 2**k) / math.factorial(k) for k in range(3, 26))


def underdamped(step_size: float, friction: float, inverse_mass: float) -> Law:
    """Return the exact step of length ``step_size`` for a frozen gradient (module formulas; square roots of the noise)."""
    h = friction * step_size
    gone = -math.expm1(-h)
    reach = gone / friction
    velocity = math.sqrt(-inverse_mass * math.expm1(-2 * h))
    shared = inverse_mass / friction * gone**2 / velocity
    own = math.sqrt(max(0.0, inverse_mass / friction**2 * position_noise(h) - shared**2))
    # delta - p = (h - 1 + e^-h)/gamma, by its series where it would cancel
    lag = h - gone if h > 0.5 else sum((-h) ** k / math.factorial(k) for k in range(2, 26))
    return Law(True, inverse_mass / friction**2 * lag, 0.0, math.exp(-h), reach, inverse_mass * reach, velocity,
               shared, own)


@dataclass(frozen=True)
class CvULD(AnchoredSampler):
    """Control-variate underdamped Langevin chains on a fixed data set (see OfflineSampler for ``sample``).

    Parameters
    ----------
    step_size : float > 0, optional
        delta, the duration of a step; None is 0.2 / friction.
    batch_size : int >= 1
        b.
    anchor_batch, anchor_every, store_anchor
        As in AnchoredSampler.
    friction : float > 0
        gamma.
    inverse_mass : float > 0, optional
        u; None is 1 / (largest eigenvalue + trace/batch_size) of the Hessian (Chatterji et al.: 1/smoothness).
    """

    friction: float = 2.0
    inverse_mass: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        number = positive_number("friction", self.friction, 1e9, "2 is the paper's choice")
        object.__setattr__(self, "friction", number)
        if self.inverse_mass is not None:
            number = positive_number("inverse_mass", self.inverse_mass, 1e12, "1/smoothness is the paper's choice")
            object.__setattr__(self, "inverse_mass", number)

    def law(self, terms: Any, start: np.ndarray) -> tuple[Law, float]:
        """Return the exact step on the ``terms`` from ``start`` (chains, dim), and its length."""
        step = 0.2 / self.friction if self.step_size is None else self.step_size
        mass = self.inverse_mass
        if mass is None:
            largest, trace = curvature(terms, start, "inverse_mass", "1")
            mass = 1.0 / (largest + trace / self.batch_size)
        return underdamped(step, self.friction, mass), step
