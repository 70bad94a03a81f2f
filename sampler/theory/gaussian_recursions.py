"""Exact mean, covariance and W2 of SGLD, SAGA-LD, SVRG-LD, SVRG-LD+ and CV-ULD on a Gaussian target.

The experiment is that of Zou, Xu and Gu 2018 (ZXG), section 5.1.

f = (1/n) sum_k (x - y_k)' L (x - y_k)/2, L = diag(l), so the target is N(ybar, L^-1). In centred coordinates
x - ybar, with A = I - eta L, S the data's covariance (divisor n) and b draws with replacement, every gradient is
linear in the state, so two moments close exactly (elementwise in the coordinates i, j):

    all          mean <- A mean
    SGLD         C <- A C A + 2 eta I + eta^2 L S L / b
    SVRG-LD      grad f_k(x) - grad f_k(x~) = L (x - x~)/n for every k, so it IS full-gradient Langevin:
                 C <- A C A + 2 eta I
    SVRG-LD+     as SVRG-LD plus one error for all m steps of an epoch, e = L (ybar - mean over I_j),
                 Cov e = L S L (n - B) / (B (n - 1))
    SAGA-LD      g = L (x + ubar - mean over the batch of u_k), u_k the point where G^k was computed: see
                 ``_saga_map``; it depends on past positions only, not on the data
    CV-ULD       full-gradient underdamped Langevin, as for SVRG-LD: each coordinate's (x, v) is a bivariate AR(1)

Constant maps are raised to the k-th power, so k = 500,000 steps cost no more than 20 multiplications.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.optimize import minimize_scalar

from sampler.algorithms.cv_uld import CvULD, underdamped
from sampler.algorithms.offline_langevin import OfflineSGLD, SagaLD, SvrgLD
from sampler.algorithms.offline_sampler import OfflineSampler, gradient_budget
from sampler.arguments import seed_number, whole_number
from sampler.kernels.offline_chains import Plan
from sampler.metrics.distances import gaussian_wasserstein
from sampler.problems.gaussian_mean import GaussianAverage


@dataclass(frozen=True, eq=False)
class GaussianExperiment:
    """Data, curvatures and start of one Gaussian experiment.

    Attributes
    ----------
    data : (n, d) array
        y_k, called theta_i by ZXG.
    curvatures : (d,) array, > 0
    start : (d,) array
        x_0 of every chain.
    """

    data: np.ndarray
    curvatures: np.ndarray
    start: np.ndarray

    @property
    def problem(self) -> GaussianAverage:
        """Problem for a sampler, with ``data`` as its features."""
        return GaussianAverage(self.curvatures)

    @property
    def target(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and covariance of the target."""
        return self._center, np.diag(1.0 / self.curvatures)

    @cached_property
    def _center(self) -> np.ndarray:
        return self.data.mean(axis=0)

    @cached_property
    def _noise(self) -> np.ndarray:
        """L S L: covariance of one term's gradient, times n."""
        spread = np.cov(self.data, rowvar=False, bias=True).reshape(self.start.size, -1)
        return self.curvatures[:, None] * spread * self.curvatures

    def moments(self, sampler: OfflineSampler, passes: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the exact mean (d,) and covariance (d, d) of a chain of ``sampler`` after ``passes`` over the data.

        ``sampler`` is an OfflineSGLD, SagaLD, SvrgLD or CvULD (anchored on all data) with its step size and the
        gradient budget of its ``sample``.
        """
        if not isinstance(sampler, OfflineSGLD | SagaLD | SvrgLD | CvULD):
            raise ValueError("sampler must be an OfflineSGLD, SagaLD, SvrgLD or CvULD, got "
                             f"{type(sampler).__name__}; others have no recursion here")
        if sampler.step_size is None:
            raise ValueError("step_size must be a number here, got None; use best_step_size")
        if not passes >= 0:
            raise ValueError(f"passes must be in [0, inf), got {passes!r}")
        n = len(self.data)
        plan = sampler.plan(n)
        budget = gradient_budget(passes, n)
        start = self.start - self._center, np.zeros((self.start.size,) * 2)
        dynamics = _Dynamics(self.curvatures, sampler.step_size)
        with np.errstate(over="ignore", invalid="ignore"):  # too large a step size diverges to inf or nan
            if isinstance(sampler, SagaLD):
                mean, covariance = _saga(dynamics, start, n, plan.batch_size, max(0, budget - n) // plan.batch_size)
            elif isinstance(sampler, OfflineSGLD):
                mean, covariance = dynamics.steps(start, budget // plan.batch_size, self._noise / plan.batch_size)
            elif isinstance(sampler, CvULD):
                mean, covariance = _underdamped(dynamics, sampler, start[0], n, plan, budget)
            else:
                mean, covariance = _svrg(dynamics, start, n, plan, self._noise, budget)
        return self._center + mean, covariance

    def wasserstein(self, sampler: OfflineSampler, passes: float) -> float:
        """Return the exact W2 between the chain after ``passes`` and the target; inf if it has diverged."""
        mean, covariance = self.moments(sampler, passes)
        if not np.isfinite(covariance).all() or np.abs(covariance).max() > 1e12:
            return float("inf")
        return gaussian_wasserstein(mean, covariance, *self.target)

    def best_step_size(self, sampler: OfflineSampler, passes: float, smallest: float = 1e-7) -> float:
        """Return the step size >= ``smallest`` of least W2 after ``passes``: a grid in log eta, then a bounded search."""
        largest = np.log(2.0 / self.curvatures.max())

        def distance(log_step: float) -> float:
            return self.wasserstein(replace(sampler, step_size=float(np.exp(log_step))), passes)

        grid = np.linspace(np.log(smallest), largest - 1e-3, 33)
        values = [distance(g) for g in grid]
        i = int(np.argmin(values))
        low, high = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
        search = minimize_scalar(distance, bounds=(low, high), method="bounded", options={"xatol": 1e-3})
        return float(np.exp(search.x if search.fun < values[i] else grid[i]))


def gaussian_experiment(n: int, dim: int = 10, seed: int = 1) -> GaussianExperiment:
    """Return ZXG's section 5.1: ``n`` >= 2 standard normal data, ``dim`` curvatures from 1/2 to 2, start at zero.

    The same ``seed`` gives the same data.
    """
    n, dim = whole_number("n", n, 2, 10_000_000), whole_number("dim", dim, 1, 1000)
    data = np.random.default_rng(seed_number(seed)).standard_normal((n, dim))
    return GaussianExperiment(data, np.linspace(0.5, 2.0, dim), np.zeros(dim))


def chains_wasserstein(positions: np.ndarray, experiment: GaussianExperiment) -> tuple[float, float]:
    """Return W2 from the Gaussian with the chains' moments to the target, and its floor for exact draws.

    The floor of K exact draws has mean square (tr P + sum_ij p_i p_j / (2 (p_i + p_j)) (1 + [i = j])) / K, P =
    diag(p) the target's covariance: values below about twice the floor are not informative. ``positions`` is (K, d), K > d.
    """
    positions = np.asarray(positions, float)
    if positions.ndim != 2 or len(positions) <= positions.shape[1]:
        raise ValueError(f"positions must be (K, d) with K > d, got {positions.shape}; run more chains")
    p = 1.0 / experiment.curvatures
    spread = np.outer(p, p) / (2.0 * np.add.outer(p, p)) * (1.0 + np.eye(p.size))
    floor = np.sqrt((p.sum() + spread.sum()) / len(positions))
    value = gaussian_wasserstein(positions.mean(axis=0), np.cov(positions, rowvar=False), *experiment.target)
    return value, float(floor)


Moments = tuple[np.ndarray, np.ndarray]
"""Mean (d,), centred, and covariance (d, d)."""


class _Dynamics:
    """Closed form of k full-gradient steps of size eta."""

    def __init__(self, curvatures: np.ndarray, step_size: float) -> None:
        self.curvatures, self.step_size = curvatures, step_size
        self.contraction = 1.0 - step_size * curvatures
        self.pairs = np.outer(self.contraction, self.contraction)

    def steps(self, moments: Moments, k: int, gradient_noise: np.ndarray | float = 0.0,
              shared_noise: np.ndarray | float = 0.0) -> Moments:
        """Apply k steps with independent gradient noise of this covariance, and one error shared by all k."""
        added = 2 * self.step_size * np.eye(self.curvatures.size) + self.step_size**2 * gradient_noise
        power = self.pairs**k
        reach = (1.0 - self.contraction**k) / self.curvatures  # eta (I + A + ... + A^(k-1))
        gap = 1.0 - self.pairs  # 0 where both eta l are 0 or 2 only
        series = np.where(np.abs(gap) > 1e-14, (1.0 - power) / np.where(gap == 0, 1.0, gap), float(k))
        mean, covariance = moments
        return self.contraction**k * mean, power * covariance + added * series + np.outer(reach, reach) * shared_noise


def steps_within(plan: Plan, budget: int) -> int:
    """Return the steps of an anchored chain within ``budget`` evaluations: epochs of one anchor (B) and m steps."""
    whole, rest = divmod(budget, plan.anchor_batch + plan.anchor_every * plan.step_cost)
    return whole * plan.anchor_every + max(0, rest - plan.anchor_batch) // plan.step_cost


def _svrg(dynamics: _Dynamics, moments: Moments, n: int, plan: Plan, noise: np.ndarray, budget: int) -> Moments:
    """Apply epochs, each with the error of its anchor, truncated at the end of the budget."""
    if plan.store and plan.anchor_batch < n:
        raise ValueError("store_anchor must be False when anchor_batch < n here, got True: the number of evaluations "
                         "is then random")
    missing = (n - plan.anchor_batch) / (plan.anchor_batch * (n - 1)) if n > 1 else 0.0
    left = steps_within(plan, budget)
    while left:
        k = min(plan.anchor_every, left)
        moments, left = dynamics.steps(moments, k, shared_noise=noise * missing), left - k
    return moments


def _underdamped(dynamics: _Dynamics, sampler: CvULD, mean: np.ndarray, n: int, plan: Plan, budget: int) -> Moments:
    """Start at rest and map (x, v) of a coordinate by a 2 x 2 matrix, its second moments (xx, xv, vv, 1) by a 4 x 4 one."""
    if plan.anchor_batch < n:
        raise ValueError("anchor_batch must be None (all data) for CvULD here, got "
                         f"{plan.anchor_batch}; only then is its gradient free of noise")
    k, curvatures = steps_within(plan, budget), dynamics.curvatures
    mass = sampler.inverse_mass or 1.0 / (curvatures.max() + curvatures.sum() / sampler.batch_size)
    law = underdamped(dynamics.step_size, sampler.friction, mass)
    shared, cross = law.noise_velocity, law.noise_shared
    added = np.array([cross**2 + law.noise_own**2, cross * shared, shared**2])
    means, variances = np.empty_like(mean), np.empty_like(mean)
    for i, curvature in enumerate(curvatures):
        (a, b), (c, d) = step = np.array([[1.0 - law.drift * curvature, law.reach],
                                          [-law.pull * curvature, law.decay]])
        moments = np.zeros((4, 4))
        moments[:3, :3] = [[a * a, 2 * a * b, b * b], [a * c, a * d + b * c, b * d], [c * c, 2 * c * d, d * d]]
        moments[:3, 3], moments[3, 3] = added, 1.0
        means[i] = np.linalg.matrix_power(step, k)[0, 0] * mean[i]
        variances[i] = np.linalg.matrix_power(moments, k)[0, 3]
    return means, np.diag(variances)


def _saga(dynamics: _Dynamics, start: Moments, n: int, b: int, k: int) -> Moments:
    """Apply k steps of SAGA-LD from a fresh table: the k-th power of a linear map of second moments for each i, j."""
    if k == 0:
        return start
    power = np.linalg.matrix_power(_saga_map(dynamics, n, b), k)
    square = start[1] + np.outer(start[0], start[0])
    squares = np.stack([square, square, square, square, square, np.ones_like(square)], axis=-1)
    mean = dynamics.contraction**k * start[0]
    return mean, np.einsum("ijrs,ijs->ijr", power, squares)[..., 0] - np.outer(mean, mean)


def _saga_map(dynamics: _Dynamics, n: int, b: int) -> np.ndarray:
    """Return the map of (P, U, V, R, R', 1) in one step, (d, d, 6, 6), where ubar is the mean of the u_k and

    P = E x x', U = E mean_k u_k u_k', V = E ubar ubar', R = E ubar x', R' its transpose.

    p, q2: probabilities that a fixed term, or pair of terms, is in the batch; r: that it is among b - 1 draws.
    A step is  x <- A x - eta L (ubar - batch mean of u) + noise,  u_k <- x for k in the batch.
    """
    eta, curvatures, a = dynamics.step_size, dynamics.curvatures, dynamics.contraction
    d = curvatures.size
    p = 1.0 - (1.0 - 1.0 / n) ** b
    q2 = 1.0 - 2.0 * (1.0 - 1.0 / n) ** b + max(0.0, 1.0 - 2.0 / n) ** b
    r = 1.0 - (1.0 - 1.0 / n) ** (b - 1)
    step = np.zeros((d, d, 6, 6))
    P, U, V, R, T, ONE = range(6)
    step[..., P, P] = dynamics.pairs
    step[..., P, U] = eta**2 / b * np.outer(curvatures, curvatures)
    step[..., P, V] = -step[..., P, U]
    step[..., P, ONE], step[..., ONE, ONE] = 2.0 * eta * np.eye(d), 1.0
    step[..., U, U], step[..., U, P] = 1.0 - p, p
    alone = (p - q2) / n  # from the terms of E |sum over the batch of (x - u_k)|^2 / n^2 with equal indices
    step[..., V, P] = alone + q2
    step[..., V, R] = step[..., V, T] = p - alone - q2
    step[..., V, U] = alone
    step[..., V, V] = 1.0 - 2.0 * p + q2
    sides = (R, a[None, :], curvatures[None, :]), (T, a[:, None], curvatures[:, None])
    for row, contraction, curvature in sides:
        step[..., row, P] = p * contraction
        step[..., row, row] = (1.0 - p) * contraction
        step[..., row, U] = -eta / n * (1.0 - r) * curvature
        step[..., row, V] = eta / n * (1.0 - r) * curvature
    return step
