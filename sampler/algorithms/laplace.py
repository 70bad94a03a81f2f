"""Laplace approximations, exact and online: a Gaussian is fitted to F_t in each epoch, and each chain draws from it.

Full Laplace approximation: X^t ~ N(x*_t, H_t^-1), mode and Hessian of F_t recomputed for every datum.

Newton's method starts at the last mode. A pass over the data computes gradient and Hessian at one point and counts t
evaluations; a GradientOracle has no Hessian, and the central differences used instead count 2 dim t more.

Online Laplace for logistic regression (Chapelle and Li 2011, Algorithm 3): a diagonal Gaussian, O(d) per datum.

With q the precisions and m the means, and u the datum's row with its label's sign, p(z) = 1/(1 + exp(-z)):

    w = argmin 1/2 sum_i q_i (w_i - m_i)^2 + log(1 + exp(u . w));   m <- w;   q_i += u_i^2 p(u . w) p(-u . w)

Each datum is used once, and the correlations of pi_t are neglected: cheap, with an error that depends on them.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit

from sampler.algorithms.chain_states import ChainBlock
from sampler.algorithms.langevin import DrawSampler, proper_precision
from sampler.arguments import has_parts, positive_number, vector, whole_number
from sampler.kernels import glm_langevin
from sampler.problems.base import Posterior, central_differences, quiet
from sampler.problems.term_faults import not_finite

FLAT = 1e-6  # largest negative curvature of rounding errors, relative to the largest


def find_mode(posterior: Any, start: np.ndarray | None = None, iterations: int = 100,
              tolerance: float = 1e-10) -> np.ndarray:
    """Find the minimiser x*_t of F_t to rounding by damped Newton steps, O(t d^2) per step.

    A step is halved until the slope along it has changed sign by no more than half, which requires only gradients
    and cannot overshoot on a convex F_t.

    Parameters
    ----------
    posterior : Posterior
    start : (d,) array, optional
        Initial point; zeros if None. The mode of nearly the same data saves most steps.
    iterations : int
        Largest number of Newton steps.
    tolerance : float in (0, 1]
        Squared length of the last step in posterior widths, at convergence.

    Returns
    -------
    (d,) array

    Raises
    ------
    ValueError
        If the iteration does not converge: separable data under a flat prior have no mode. A gradient of a GradientOracle
        that is not finite is reported with its index.
    """
    has_parts("posterior", posterior, ("dim", "gradient", "hessian"), "make one with problem.posterior(data)")
    x = np.zeros(posterior.dim) if start is None else np.array(vector("start", start, posterior.dim, "None is zeros"))
    iterations = whole_number("iterations", iterations, 1, 10**6, "100 are usual")
    tolerance = positive_number("tolerance", tolerance, 1.0, "1e-10 finds the mode to rounding")
    with quiet():
        gradient = posterior.gradient(x)
        for _ in range(iterations):
            try:
                hessian = posterior.hessian(x)
                step = -np.linalg.solve(hessian, gradient)
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
            # On separable data F flattens while the steps keep their length: both must converge.
            if abs(decrement) < tolerance and np.linalg.norm(step) <= 1e-3 * (1.0 + np.linalg.norm(x)):
                curvatures = np.linalg.eigvalsh(hessian) if _is_oracle(posterior) else np.ones(1)
                if curvatures[0] >= -FLAT * curvatures[-1]:
                    return x
                break  # a saddle point
        raise ValueError(_no_mode(posterior, x, f"none found in {iterations} Newton steps (reached |theta| = "
                                  f"{np.linalg.norm(x):.3g}, |gradient| = {np.linalg.norm(gradient):.3g})"))


def _is_oracle(posterior: Any) -> bool:
    """Return whether the gradients are a user's."""
    return getattr(getattr(posterior, "problem", None), "kind", "") == "oracle"


def _no_mode(posterior: Any, x: np.ndarray, how: str) -> str:
    """Return the message of a search without a result: for user gradients a fault of theirs, else a flat direction."""
    if not _is_oracle(posterior):
        return (f"posterior must have a mode, {how}; separable data and directions without data have none under a flat "
                "prior: set prior_precision above 0")
    return not_finite(posterior.problem, posterior.t, x) or (
        f"posterior must have a mode, {how}; a gradient has the wrong sign or value, or the terms have none: check them "
        "with check_gradient or python -m sampler check")


class GaussianFitSampler(DrawSampler):
    """Base of samplers that fit a Gaussian by ``_fit`` and ``_root``; an epoch is one draw per chain.

    The fit is shared by all chains and its cost is counted once, regardless of their number. The knobs of Langevin steps
    are not used, there are no resets, and ``start`` has no effect after the first draw.

    Attributes
    ----------
    mean : (dim,) array
        Mean of the Gaussian of epoch t.
    """

    def _allocate(self) -> None:
        super()._allocate()
        self.mean = np.zeros(self.dim)

    def _fit(self, posterior: Posterior, counts: np.ndarray) -> None:
        """Fit to F_t and add the gradient evaluations to ``counts[0]``; on an error the rest of the state is unchanged."""
        raise NotImplementedError

    def _root(self) -> np.ndarray:
        """Return R with R R' the fitted covariance: (dim, dim), or the diagonal of R, (1, dim)."""
        raise NotImplementedError

    @property
    def covariance(self) -> np.ndarray:
        """Covariance of the fitted Gaussian, (dim, dim)."""
        root = self._root()
        return root @ root.T if len(root) == self.dim else np.diag(root[0] ** 2)

    def _open(self, t: int, counts: np.ndarray) -> None:
        self._fit(self._rows.posterior(t), counts)
        super()._open(t, counts)

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        root = self._root()

        def run(block: ChainBlock) -> bool:
            glm_langevin.draw(self._lanes, block.chains, self.t, self.mean, root, self._center, block.counts)
            return True

        return self._in_blocks(run, self.chains * len(root), counts)


class CountedPosterior:
    """Gradient and Hessian of F_t; the evaluations are added to ``counts[0]``."""

    def __init__(self, posterior: Posterior, counts: np.ndarray) -> None:
        self._posterior, self.problem, self.dim, self.t = posterior, posterior.problem, posterior.dim, posterior.t
        self._counts = counts

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of F_t at ``theta``, (dim,) -> (dim,)."""
        gradient = self._posterior.gradient(theta)
        self._counts[0] += self.t
        return gradient

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Return the Hessian of F_t at ``theta``: not counted after a gradient, unless computed from gradients."""
        if self.problem.kind != "oracle":
            return self._posterior.hessian(theta)
        rows = central_differences(self.gradient, theta)
        return 0.5 * (rows + rows.T)


class Laplace(GaussianFitSampler):
    """Independent draws from N(mode, Hessian^-1), ``chains`` of them per epoch."""

    _tolerance = 1e-10  # of the mode, see `find_mode`
    _kept_arrays = ("mean", "_whitener")

    def _allocate(self) -> None:
        super()._allocate()
        self._whitener = np.eye(self.dim)  # L^-1, with L L' the Hessian at the mode

    def _fit(self, posterior: Posterior, counts: np.ndarray) -> None:
        counted = CountedPosterior(posterior, counts)
        try:
            mode = find_mode(counted, self.mean, tolerance=self._tolerance)
            lower = np.linalg.cholesky(counted.hessian(mode))
        except np.linalg.LinAlgError:
            raise ValueError("problem must have a positive definite Hessian at its mode for Laplace; set "
                             "prior_precision above 0, or use a sampler that requires only gradients") from None
        self.mean, self._whitener = mode, solve_triangular(lower, np.eye(self.dim), lower=True)

    def _root(self) -> np.ndarray:
        return np.ascontiguousarray(self._whitener.T)


ITERATIONS = 60  # bisection alone would reach rounding by then


def increasing_root(function: Callable[[float], tuple[float, float]], low: float, high: float, start: float,
                    tolerance: float) -> tuple[float, int]:
    """Find the root of an increasing function by safeguarded Newton steps; return it and the number of evaluations.

    Parameters
    ----------
    function : callable
        Maps a number to the function's value and slope there.
    low, high : float
        Bracket: the function is <= 0 at ``low`` and >= 0 at ``high``.
    start : float
        Initial point, clipped to the bracket.
    tolerance : float
        Largest length of the last step.
    """
    z = min(max(start, low), high)
    made, step = 0, np.inf
    while abs(step) > tolerance and made < ITERATIONS:
        made += 1
        error, slope = function(z)
        step = error / slope
        if abs(step) > tolerance:
            low, high = (low, z) if error > 0 else (z, high)
            inside = low - tolerance <= z - step <= high + tolerance
            z = min(max(z - step, low), high) if inside else 0.5 * (low + high)
    return z, made


def proximal_score(score: float, leverage: float, start: float = 0.0) -> tuple[float, int]:
    """Solve z + leverage p(z) = score for z; return z and the number of evaluations of p.

    The datum moves w along one line only, w = m - p(z) u/q, so the minimiser is a root in one dimension, between
    score - leverage and score. The iteration begins at ``start``.
    """
    def error(z: float) -> tuple[float, float]:
        p = expit(z)
        return z + leverage * p - score, 1.0 + leverage * p * (1.0 - p)

    return increasing_root(error, score - leverage, score, start, 1e-14 * (1.0 + abs(score) + leverage))


def contracted(factor: np.ndarray, along: np.ndarray, weight: float) -> np.ndarray:
    """Return the factor of a covariance after adding ``weight`` u u' to its inverse, O(d^2) (Potter's square-root filter).

    With q^2 = 1 + weight |W u|^2 it is (I - weight/(q^2 + q) (W u)(W u)') W.

    Parameters
    ----------
    factor : (dim, dim) array
        W, with W'W the covariance before the update.
    along : (dim,) array
        W u.
    weight : float >= 0
    """
    square = 1.0 + weight * float(along @ along)
    return factor - np.outer(weight / (square + math.sqrt(square)) * along, along @ factor)


class OnlineLaplace(GaussianFitSampler):
    """Independent draws from N(mean, diag(1/precision)), updated one datum at a time; logistic regression only.

    Each evaluation of the datum's gradient at a new point is counted: about five per datum.

    Attributes
    ----------
    mean, precision : (dim,) arrays
        m and q.
    """

    kinds = ("logistic",)
    needs = "a LogisticRegression"
    _kept_arrays = ("mean", "precision")

    def _allocate(self) -> None:
        super()._allocate()
        self.precision = np.array(proper_precision(self), dtype=float)

    def _fit(self, posterior: Any, counts: np.ndarray) -> None:
        row = posterior.rows[-1]
        ahead = row / self.precision
        z, made = proximal_score(float(row @ self.mean), float(row @ ahead))
        p = expit(z)
        self.mean = self.mean - p * ahead
        self.precision = self.precision + row**2 * p * expit(-z)
        counts[0] += made

    def _root(self) -> np.ndarray:
        return 1.0 / np.sqrt(self.precision)[None, :]
