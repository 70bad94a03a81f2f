"""Constants of LMV's assumptions, estimated online from the stream, and L of F_t from the rows.

1. smoothness: L = max_k h_max ||u_k||^2 over the rows seen;
2. concentration: C = sqrt(t + c) sqrt(tr Cov + ||mean - mode||^2): pi_t's root second moment about its
   mode is C / sqrt(t + c), and P(||X - x*_t|| >= s / sqrt(t + c)) <= A exp(-k s) for every s;
3. drift: D = max over t in [tau/2, tau] of ||x*_t - x*_tau|| sqrt(t + c), at the current tau and, as in the
   theorem, the maximum over all tau so far.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sampler.arguments import (
    SMALLEST,
    has_parts,
    positive_matrix,
    positive_number,
    real_array,
    real_number,
    square_matrix,
    vector,
    whole_number,
)
from sampler.kernels import mode_drift
from sampler.kernels.tail_probabilities import chi_square_log_tails
from sampler.problems.base import Posterior


def posterior_smoothness(posterior: Posterior, metric: np.ndarray | None = None) -> float | None:
    """Return a certified bound on the curvature of F_t over all theta, from the rows, in O(t d^2).

    For a one-score model this is the largest eigenvalue of diag(prior precision) + h_max sum_k u_k u_k', h_max the
    largest second derivative of a term in its score: never above LMV's L_0 + t L, L = h_max max_k ||u_k||^2. Linear
    regression has this curvature everywhere, logistic regression at theta = 0: the constant is sharp.

    Parameters
    ----------
    posterior : Posterior
    metric : (d, d) or (m, d, d) array, optional
        H of a preconditioned sampler, or of m of its chains: the largest eigenvalue is then that of C^-1 (..) C^-T,
        H = C C', maximized over the m matrices.

    Returns
    -------
    float or None
        inf if the curvature of the terms is unbounded (Poisson); None if it is not known (a user-supplied gradient).

    Examples
    --------
    >>> from sampler import LogisticRegression
    >>> posterior_smoothness(LogisticRegression(2).posterior([[2.0, 0.0], [0.0, 1.0]], [0, 1]))
    2.0
    """
    has_parts("posterior", posterior, ("t", "dim", "problem"), "make one with problem.posterior(data)")
    metrics = None if metric is None else _checked_metrics(metric, posterior.dim)
    bound = getattr(posterior.problem, "curvature_bound", None)
    rows = getattr(posterior, "rows", None)
    if bound is None or rows is None:
        return None
    if not np.isfinite(bound):
        return float("inf")
    if posterior.problem.kind == "gaussian_mean":
        curvature = bound * posterior.t * np.eye(posterior.dim)
    else:
        curvature = np.diag(posterior.problem.prior_precision) + bound * (rows.T @ rows)
    if metrics is not None:  # the eigenvalues of H^-1 times the curvature, which is similar to the symmetric product
        return float(np.linalg.eigvals(np.linalg.solve(metrics, curvature)).real.max())
    return float(np.linalg.eigvalsh(curvature)[-1])


def _checked_metrics(metric: np.ndarray, dim: int) -> np.ndarray:
    """Return one or several positive definite matrices as (m, dim, dim)."""
    wanted, advice = f"numbers of shape ({dim}, {dim}) or (m, {dim}, {dim})", "take precision_matrix(chain) of the sampler"
    array = real_array("metric", metric, wanted, advice)
    if array.ndim not in (2, 3) or not array.size:
        raise ValueError(f"metric must be {wanted}, got shape {array.shape}; {advice}")
    return np.array([positive_matrix("metric", one, dim, advice) for one in array.reshape(-1, *array.shape[-2:])])


TILTS = 2000  # grid points of the tail


@dataclass(frozen=True)
class AssumptionConstants:
    """Current estimates of L, C and D; ``smoothness`` is inf if the curvature is unbounded (Poisson)."""

    t: int
    smoothness: float
    concentration: float
    drift: float


def concentration_constant(
    t: int, offset: float, covariance: np.ndarray, mean: np.ndarray, mode: np.ndarray
) -> float:
    """Return C = sqrt(t + c) sqrt(tr Cov + ||mean - mode||^2) from the posterior's moments and mode.

    Parameters
    ----------
    t : int >= 1
    offset : float >= 0
        c.
    covariance : (d, d) array
    mean, mode : (d,) arrays
        For Laplace's approximation pass the mode for both.

    Raises
    ------
    ValueError
        For a covariance with a negative trace.
    """
    mean = vector("mean", mean)
    mode = vector("mode", mode, len(mean))
    covariance = square_matrix("covariance", covariance, len(mean))
    if np.trace(covariance) < 0:
        raise ValueError(f"covariance must have a trace of 0 or more, got {np.trace(covariance):g}; measure it from draws")
    return concentration_of(whole_number("t", t), _checked_offset(offset), covariance.diagonal(), mean, mode)


def concentration_of(
    t: int, offset: float, variances: Iterable[float], mean: Iterable[float], mode: Iterable[float]
) -> float:
    """Return `concentration_constant` of a covariance diagonal, unchecked; plain Python, which also runs in browsers."""
    away = sum([(one - other) ** 2 for one, other in zip(mean, mode, strict=True)])
    return math.sqrt((t + offset) * (sum(variances) + away))


def tail_rate(t: int, offset: float, covariance: np.ndarray, amplitude: float = np.e) -> float:
    """Return k in P(||X - mode|| >= s / sqrt(t + c)) <= A exp(-k s) for X ~ N(mode, covariance) and fixed A.

    The largest k allowed by the smaller of two tail bounds at each s: Chernoff's, and the chi-square tail with the
    largest variance in every direction (exact for equal variances). With A = 1 no k > 0 is valid for d >= 2, since the
    tail is flat at s = 0.

    Parameters
    ----------
    t : int >= 1
    offset : float >= 0
        c.
    covariance : (d, d) array
        Of pi_t, or of its Laplace approximation.
    amplitude : float > 1
        A.

    Raises
    ------
    ValueError
        For an amplitude not above 1, and a covariance that is not positive definite.
    """
    covariance = square_matrix("covariance", covariance)
    amplitude = real_number("amplitude", amplitude, "e is a fair choice", above=1.0)
    v = np.linalg.eigvalsh(covariance) * (whole_number("t", t) + _checked_offset(offset))
    if not v[0] > SMALLEST:
        raise ValueError(f"covariance must be positive definite, its smallest eigenvalue is {v[0]:g}; observe more data")
    # At tilt f the Chernoff bound is sharpest at s^2 = sum v / (1 - 2 f v); f ranges up to its pole, 1/(2 max v).
    f = (1.0 - np.geomspace(1.0, 1e-5, TILTS)[:, None]) / (2.0 * v[-1])
    room = 1.0 - 2.0 * f * v
    s = np.sqrt((v / room).sum(axis=1))
    chernoff = f[:, 0] * s**2 + 0.5 * np.log(room).sum(axis=1)
    near = np.linspace(0.0, s[0], TILTS)[1:]
    s, rate = np.concatenate([near, s]), np.concatenate([np.zeros(near.size), chernoff])
    log_tail = np.empty(s.size)
    chi_square_log_tails(s**2 / v[-1], v.size, log_tail)
    return float(((np.log(amplitude) + np.maximum(rate, -log_tail)) / s).min())


class RunningSmoothness:
    """Running L = h_max max_k ||u_k||^2 over the rows; plain Python, which also runs in browsers."""

    def __init__(self, curvature_bound: float) -> None:
        self.curvature_bound = curvature_bound
        self._largest_row = 0.0

    def _note_row(self, row_norm: float) -> None:
        """Update with the norm ||u_k|| of the next row."""
        self._largest_row = max(self._largest_row, row_norm)

    @property
    def smoothness(self) -> float:
        """Current L; 0 before the first row."""
        return self.curvature_bound * self._largest_row**2 if self._largest_row else 0.0


class AssumptionMeter(RunningSmoothness):
    """Running L and D of a stream; O(log t) memory, a few microseconds per datum.

    Parameters
    ----------
    curvature_bound : float
        Largest second derivative of a term in its score (``problem.curvature_bound``); inf for Poisson.
    offset : float >= 0
        c; assign ``meter.offset`` to change it: past epochs are then evaluated with the new value.
    """

    def __init__(self, curvature_bound: float, offset: float = 0.0) -> None:
        super().__init__(positive_number("curvature_bound", curvature_bound, np.inf, "use problem.curvature_bound"))
        self.offset = _checked_offset(offset)
        self.t = 0
        self._latest = np.empty(0)
        self._epochs, self._modes = np.empty(mode_drift.CAPACITY), np.empty((mode_drift.CAPACITY, 0))
        self._pairs, self._places = np.zeros((64, 2)), np.array([0, 1, 0])

    def add(self, row_norm: float, mode: np.ndarray) -> None:
        """Record epoch t: ``row_norm`` >= 0 of its encoded row (``posterior.rows``) and the ``mode`` x*_t, (d,).

        For GaussianMean, with the Hessian 2 I of each term, pass 1 as the norm.
        """
        mode = vector("mode", mode, self._latest.size or None)
        row_norm = real_number("row_norm", row_norm, "use np.linalg.norm of the row", least=0.0)
        if not self._latest.size:
            self._modes = np.empty((mode_drift.CAPACITY, len(mode)))
        self.t += 1
        self._note_row(row_norm)
        self._latest = mode.copy()
        if self._places[2] == len(self._pairs):
            self._pairs = np.concatenate([self._pairs, np.zeros_like(self._pairs)])
        mode_drift.remember_mode(self.t, self.offset, self._latest, self._epochs, self._modes, self._pairs, self._places)

    @property
    def drift(self) -> float:
        """D at the current epoch tau: maximum over t in [tau/2, tau] of ||x*_t - x*_tau|| sqrt(t + c)."""
        return self._drift(np.zeros((0, 2)), np.array([self._places[0], 0, 0]))

    @property
    def largest_drift(self) -> float:
        """D of Assumption 3: the largest ``drift`` over the stored epochs and the current one."""
        return self._drift(self._pairs, self._places)

    def _drift(self, pairs: np.ndarray, places: np.ndarray) -> float:
        out = np.empty(1)
        mode_drift.largest_drift(self.t, self.offset, self._latest, self._epochs, self._modes, pairs, places, out)
        return float(out[0])

    def constants(self, covariance: np.ndarray, mean: np.ndarray, mode: np.ndarray) -> AssumptionConstants:
        """Return L, the current C and the largest D, from pi_t's ``covariance`` (d, d), ``mean`` (d,) and ``mode`` (d,).

        ValueError before the first datum.
        """
        if self.t < 1:
            raise ValueError("meter must have seen a datum, got none; call add first")
        concentration = concentration_constant(self.t, self.offset, covariance, mean, mode)
        return AssumptionConstants(self.t, self.smoothness, concentration, self.largest_drift)


def _checked_offset(offset: float) -> float:
    return real_number("offset", offset, "use settings.offset", least=0.0)
