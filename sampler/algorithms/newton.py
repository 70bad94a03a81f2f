"""The mode of F_t by damped Newton steps."""

from typing import Any

import numpy as np

from sampler.arguments import has_parts, vector, whole_number
from sampler.numpy_warnings import quiet


def find_mode(posterior: Any, start: np.ndarray | None = None, iterations: int = 100) -> np.ndarray:
    """Minimiser x*_t of F_t by damped Newton steps, to rounding, O(t d^2) a step.

    A step is halved until the slope along it has changed sign by no more than half, which needs gradients
    only and cannot overshoot on a convex F_t.

    Parameters
    ----------
    posterior : Posterior
    start : (d,) array, optional
        Where to begin; zeros if None. A mode of nearly the same data saves most steps.
    iterations : int
        Newton steps before giving up.

    Returns
    -------
    (d,) array

    Raises
    ------
    ValueError
        When no mode is found: separable data under a flat prior have none.
    """
    has_parts("posterior", posterior, ("dim", "gradient", "hessian"), "make one with problem.posterior(data)")
    x = np.zeros(posterior.dim) if start is None else np.array(vector("start", start, posterior.dim, "None is zeros"))
    iterations = whole_number("iterations", iterations, 1, 10**6, "100 are usual")
    with quiet():
        return _newton(posterior, x, iterations)


def _newton(posterior: Any, x: np.ndarray, iterations: int) -> np.ndarray:
    """The steps themselves, from a checked start."""
    gradient = posterior.gradient(x)
    for _ in range(iterations):
        try:
            step = -np.linalg.solve(posterior.hessian(x), gradient)
        except np.linalg.LinAlgError:
            break
        decrement = -gradient @ step  # twice the gain a quadratic model promises, in units of F
        if not np.isfinite(decrement):
            break
        shrink = 1.0
        for _ in range(60):
            ahead = posterior.gradient(x + shrink * step)  # a long Poisson step overflows, and is halved
            if np.abs(ahead).max() < 1e100 and ahead @ step <= 0.5 * decrement + 1e-12:
                break
            shrink *= 0.5
        x, gradient = x + shrink * step, ahead
        # On separable data F flattens for ever while the steps keep their length: both must have ended.
        if abs(decrement) < 1e-10 and np.linalg.norm(step) <= 1e-3 * (1.0 + np.linalg.norm(x)):
            return x
    raise ValueError(
        f"posterior must have a mode, none found in {iterations} Newton steps (reached |theta| = "
        f"{np.linalg.norm(x):.3g}, |gradient| = {np.linalg.norm(gradient):.3g}); separable data and "
        "directions without data have none under a flat prior: set prior_precision above 0"
    )
