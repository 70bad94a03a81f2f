"""`PreconditionedForecast`: the Gaussian model of `Forecast` for the preconditioned sampler, in whitened coordinates.

With P = M^-1, M the precision matrix of the sampler at the mode, and V'MV = I, V'HV = diag(l), X = x* + V y, a step is

    y <- (1 - eta_0 l) y - eta_0 V'zeta + sqrt(2 eta_0) xi:

that of SAGA-LD with Hessian diag(l), rows V'u_k and step eta_0. So the equations of GradientNoise apply unchanged,

    S_i = (1 + eta_0 N_ii/2)/(l_i (1 - eta_0 l_i/2)),      b N = t sum h_k^2 (v_k'A v_k) v_k v_k' - ...,   v_k = V'u_k.

For a correct model, l is near 1. With e = b/(b + eta_0 t), the share of its deviation that a datum's anchor retains, A is
2 (1 - e) I and B is (1 - e) I; for normal rows b N is near (1 - e)(2 (d + 2) - 1) I, and so to first order in eta_0

    S - 1 = eta_0 (1/2 + (1 - e)(d + 3/2)/b),

for any covariance of the rows. An epoch leaves the share E (1 - eta_0 l)^n of a deviation at every t, since P tracks H_t.
"""

from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import PLAIN, online_algorithm
from sampler.algorithms.glm_metric import metric_rank, weighting_of
from sampler.kernels.refresh_calendar import ITEM
from sampler.kernels.whitening import weigh_all
from sampler.settings import Settings
from sampler.theory.gradient_noise import GradientNoise
from sampler.threads import one_blas_thread
from sampler.tuning.forecast import Forecast, check_forecast


def forecast_of(algorithm: str, plain: Forecast) -> Forecast:
    """Return the forecast of an algorithm on the stream of ``plain``, the forecast of SAGA-LD.

    Raises
    ------
    ValueError
        For an unknown algorithm, and for one that does not support the problem.
    """
    sampler = online_algorithm(algorithm)
    check_forecast(plain, "plain")
    if algorithm == PLAIN:
        return plain
    if refused := sampler.refusal(plain.problem):
        raise ValueError(refused)
    return PreconditionedForecast(plain)


class PreconditionedForecast(Forecast):
    """Forecasts of settings of the preconditioned sampler; reuses the modes of a plain `Forecast`.

    Parameters
    ----------
    plain : Forecast
        Forecast of SAGA-LD on the same stream.
    """

    algorithm = "preconditioned"

    @one_blas_thread()
    def __init__(self, plain: Forecast) -> None:
        self.problem, self.horizon, self.mode = plain.problem, plain.horizon, plain.mode
        self.posterior, self._precision, self._walk = plain.posterior, plain._precision, plain._walk
        metric = precision_at(self.posterior, self.mode)
        rank = metric_rank(None, self.problem.dim) if hasattr(self.posterior, "scores") else None
        metric = metric if rank is None else low_rank_of(metric, rank, self.horizon)
        # Terms of an oracle are assumed to have equal Hessians, as for SAGA-LD.
        self.noise = GradientNoise.of_posterior(self.posterior, self.mode, metric=metric)
        self._set_coordinates(self.noise.vectors, np.linalg.inv(self.noise.vectors))

    def divisor(self, settings: Settings) -> float:
        """Return 1: the step is eta0 itself."""
        return 1.0

    def _rate(self, eta0: Any, offset: Any, curvature: np.ndarray, away: Any, s: int) -> np.ndarray:
        grown = self._first + (1.0 - self._first) * s / self.horizon  # M_s in these coordinates
        return 1.0 - eta0 * curvature / grown


def low_rank_of(precision: np.ndarray, rank: int, t: int) -> np.ndarray:
    """Return the sampler's metric of rank ``rank`` for H, (d, d); see ``kernels.low_rank_metric``."""
    root = np.sqrt(np.diagonal(precision))
    values, vectors = np.linalg.eigh(precision / np.outer(root, root))
    kept = vectors[:, len(root) - rank:]
    level = max(values[-rank - 1], 0.5 * len(root) / t)
    inside = level * np.eye(len(root)) + (kept * np.maximum(values[len(root) - rank:] - level, 0.0)) @ kept.T
    return root[:, None] * inside * root


def precision_at(posterior: Any, theta: np.ndarray) -> np.ndarray:
    """Return the sampler's H, (d, d), with all curvatures at ``theta``: the prior precision plus sum_k w_k u_k u_k'.

    Parameters
    ----------
    posterior : Posterior
        Posterior of a problem that the preconditioned sampler supports.
    theta : (d,) array
    """
    problem = posterior.problem
    if problem.kind == "gaussian_mean":
        return posterior.hessian(theta)
    if problem.kind == "oracle":
        parts = [problem.curvatures.of(np.arange(k, min(k + 64, posterior.t)), theta).sum(axis=0)
                 for k in range(0, posterior.t, 64)]
        total = np.sum(parts, axis=0)
        return np.diag(problem.curvatures.prior) + (total if total.ndim == 2 else np.diag(total))
    items, precision = np.zeros(posterior.t, ITEM), np.empty((problem.dim, problem.dim))
    items["value"] = problem.mean_function(posterior.rows @ theta)
    weigh_all(problem.kind_code, posterior.rows, posterior.targets, items, np.empty(posterior.t), precision,
              problem.prior_precision, posterior.t, weighting_of(problem))
    return precision
