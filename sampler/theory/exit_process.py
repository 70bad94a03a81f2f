"""The exponential supermartingale of an epoch as a process of its own: what it is at each step, and where it stops.

``exit_bounds`` shows that exp(theta_i ||D_i||^2 + C_i) is a supermartingale until the chain leaves. Where the chain first
leaves, at a step i of 1..n, the process is at least exp(min_i (theta_i r^2 + C_i)), its *level*; its mean never rises
above exp(theta_0 rho_0^2 + C_0), its *start*. So P(exit) <= start / level. Here with one theta for the whole epoch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sampler.arguments import real_array, shown, whole_number
from sampler.kernels.supermartingale import bounded_noise_path
from sampler.theory.exit_bounds import exit_bounds

THETAS = 160
"""Exponents among which the best is chosen."""
LEAST = -0.01
"""A bound above exp(LEAST), 0.99, is none: the process then hardly moves."""


@dataclass(frozen=True)
class ExitProcess:
    """The process at some steps, made by ``exit_process``; logarithms are natural."""

    steps: np.ndarray  #: (p,) steps i from 0 to n
    exponent: np.ndarray  #: (p,) theta_i, one over a squared length
    cost: np.ndarray  #: (p,) C_i
    log_level: float  #: log of what the process is at least where the chain leaves
    log_start: float  #: log of where it starts, which its mean never exceeds

    @property
    def bound(self) -> float:
        """P(exit by n) is at most this."""
        return float(min(1.0, np.exp(self.log_start - self.log_level)))

    def log_share(self, squared_distance: np.ndarray) -> np.ndarray:
        """Return log(process / level) along paths: (..., p) squared distances at ``steps``; above 0 is past the level.

        Parameters
        ----------
        squared_distance : float or array >= 0
            ||x||^2.
        """
        return self.exponent * np.asarray(squared_distance, float) + self.cost - self.log_level


def exit_process(dim: int, step_size: float, steps: int, radius: float, start: float, at_steps: Sequence[int],
                 noise_bound: float = 0.0, smoothness: float | None = None,
                 strong_convexity: float | None = None) -> ExitProcess | None:
    """Return the process with the best theta; None where none proves anything, as without ``smoothness``.

    Parameters
    ----------
    dim, step_size, steps, radius, start, noise_bound, smoothness, strong_convexity
        As for ``exit_bounds``, which checks them.
    at_steps : (p,) whole numbers from 0 to ``steps``, increasing.
    """
    at = _steps_within(at_steps, whole_number("steps", steps, advice="give the number of steps of the epoch"))
    bounds = exit_bounds(dim, step_size, steps, radius, start, noise_bound, smoothness, strong_convexity)
    if not bounds.stable:
        return None
    dim, steps, step_size, noise_bound = bounds.dim, bounds.steps, bounds.step_size, bounds.noise_bound
    k, r2 = bounds.contraction, bounds.radius**2
    back = np.array([steps - 1, steps] if steps > 1 else [0, 1])
    lasting = min(float(steps), 1.0 / max(1.0 - k, 1e-300))  # steps after which the pull has undone the noise
    largest = min(1.0 / (4.0 * step_size), (dim + 60.0) / (2.0 * step_size * lasting))
    thetas = np.geomspace(1e-3 / r2, max(largest, 2e-3 / r2), THETAS)
    exponent, cost = _walk(thetas, back, dim, step_size, k, noise_bound)
    with np.errstate(invalid="ignore"):
        level = np.minimum(thetas * r2, exponent[0] * r2 + cost[0])  # the minimum stands at one end: block_bounds
        log_start = exponent[1] * float(start) ** 2 + cost[1]
        log_bound = np.where(np.isfinite(log_start), log_start - level, np.inf)
    best = int(np.argmin(log_bound))
    if not log_bound[best] < LEAST:
        return None
    inner = steps - at[::-1]
    exponent, cost = _walk(thetas[best : best + 1], inner, dim, step_size, k, noise_bound)
    return ExitProcess(at, exponent[::-1, 0].copy(), cost[::-1, 0].copy(), float(level[best]), float(log_start[best]))


def _steps_within(at_steps: Sequence[int], steps: int) -> np.ndarray:
    """Checked whole numbers, one or more, increasing in [0, steps], int64."""
    wanted, advice = f"whole numbers of shape (p,), increasing in [0, {steps}]", "give the steps of the curve"
    at = real_array("at_steps", at_steps, wanted, advice)
    fine = at.ndim == 1 and at.size and np.all((at >= 0) & (at <= steps) & (at == np.floor(at)))
    if not fine or np.any(np.diff(at) < 0):
        raise ValueError(f"at_steps must be {wanted}, got {shown(at_steps)}; {advice}")
    return at.astype(np.int64)


def _walk(thetas: np.ndarray, back: np.ndarray, dim: int, step_size: float, contraction: float,
          noise_bound: float) -> tuple[np.ndarray, np.ndarray]:
    exponent, cost = np.empty((back.size, thetas.size)), np.empty((back.size, thetas.size))
    bounded_noise_path(thetas, back.astype(np.int64), dim, step_size, contraction, noise_bound, exponent, cost)
    return exponent, cost
