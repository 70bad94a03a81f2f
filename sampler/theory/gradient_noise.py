"""Covariance of the stochastic gradient near the mode, and the stationary covariance of the chain.

Near the mode a chain is X <- X - eta (H X + zeta) + sqrt(2 eta) xi with E zeta zeta' = N(S), which grows
with the chain's covariance S. In H's eigenbasis, eigenvalues lambda_i, the stationary covariance solves

    S_ij = (2 eta delta_ij + eta^2 N_ij) / (1 - (1 - eta lambda_i) (1 - eta lambda_j)).

With rows u_k, curvatures h_k, gradients g_k at the mode and H_l = sum_k h_k u_k u_k':

    SGLD     b N = t sum g_k g_k' - (sum g)(sum g)' + t sum h_k^2 (u_k' S u_k) u_k u_k' - H_l S H_l,
    SAGA-LD  b N = t sum h_k^2 (u_k' A u_k) u_k u_k' - H_l B H_l,

    A_ij = S_ij (1 - e_i + 1 - e_j),           e_i = E rho_i^age = p rho_i / (1 - (1-p) rho_i),
    B_ij = S_ij times the mean of 1 - 2 e + e2 over i and j,    e2_i = E rho_i^|difference of two ages|,

where rho_i = 1 - eta lambda_i and a cached gradient is a geometric number of steps old, p = 1 - (1 - 1/t)^b.
B differs from A, since two anchors of different ages share only part of their paths. N_ii is affine in the variances S_jj
for diagonal S, so these are solved directly; the covariances follow by fixed-point iteration. They matter most in a metric
with all lambda near 1: there the eigenbasis is arbitrary, and the noise of a few uneven rows spreads over all of it.

A preconditioned sampler steps in y = L' X, P^-1 = L L': there H is L^-1 H L^-T, and all of the above holds with a step
that is not divided by t + c. Eigenvectors v of H v = lambda P^-1 v, scaled to v' P^-1 v = 1, express it in X's coordinates.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from sampler.arguments import positive_matrix, sample_array, square_matrix, vector
from sampler.kernels.gradient_noise import MOST_ROWS
from sampler.kernels.stationary_covariance import CLOSE, MOST_PASSES, SMALL
from sampler.problems.base import Posterior
from sampler.problems.glm import GlmPosterior
from sampler.settings import Settings


@dataclass(frozen=True)
class Stationary:
    """Law of the chain about the mode, in the eigenbasis of H.

    Attributes
    ----------
    stable : bool
        False if the variance has no finite solution; the others are then infinite.
    covariance : (d, d) array
        S.
    noise : (d, d) array
        N, covariance of the stochastic gradient.
    """

    stable: bool
    covariance: np.ndarray
    noise: np.ndarray

    @property
    def variances(self) -> np.ndarray:
        """S_ii, (d,)."""
        return np.diagonal(self.covariance)


class GradientNoise:
    """N as a function of the spread S of the chains, for one posterior at its mode.

    Parameters
    ----------
    hessian : (d, d) array
        H at the mode, positive definite.
    rows, curvatures : (m, d), (m,) arrays, optional
        u_k and h_k = d2 f_k / d score^2 of all or of some rows; both None means terms with equal Hessians.
    gradients : (m, d) array, optional
        grad f_k at the mode, for SGLD.
    likelihood_hessian : (d, d) array, optional
        H without the prior; H if None.
    covariance : (d, d) array, optional
        A measured N, used for every S.
    metric : (d, d) array, optional
        P^-1 of a preconditioned sampler, positive definite; None for steps along g itself.

    Attributes
    ----------
    eigenvalues, vectors : (d,), (d, d) arrays
        Of H in the metric, smallest first; vectors are columns in X's coordinates.
    preconditioned : bool
        Whether there is a metric, so that a step is eta0 itself.
    """

    def __init__(
        self, hessian: ArrayLike, rows: np.ndarray | None = None, curvatures: np.ndarray | None = None,
        gradients: np.ndarray | None = None, likelihood_hessian: np.ndarray | None = None,
        covariance: np.ndarray | None = None, metric: np.ndarray | None = None,
    ) -> None:
        hessian = square_matrix("hessian", hessian)
        self.preconditioned = metric is not None
        if metric is None:
            self.eigenvalues, self.vectors = np.linalg.eigh(hessian)
            self._to_modes = self.vectors
        else:
            metric = positive_matrix("metric", metric, len(hessian), "use precision_matrix(chain) of the sampler")
            self.eigenvalues, self.vectors = eigh(hessian, metric)
            self._to_modes = metric @ self.vectors
        if self.eigenvalues[0] <= 0:
            raise ValueError(f"hessian must be positive definite, its smallest eigenvalue is {self.eigenvalues[0]:g}; "
                             "observe data in every direction, or use a prior")
        self.dim, v = len(hessian), self.vectors
        if likelihood_hessian is None:
            likelihood_hessian = hessian
        self._likelihood = v.T @ square_matrix("likelihood_hessian", likelihood_hessian, self.dim) @ v
        self._fixed = None if covariance is None else v.T @ square_matrix("covariance", covariance, self.dim) @ v
        self._rows = self._floor = None
        if rows is not None:
            checked = sample_array("rows", rows, dim=self.dim)
            self._rows = checked @ v
            self._curvatures = vector("curvatures", () if curvatures is None else curvatures, len(checked),
                                      "one number per row")
            weighted = self._curvatures[:, None] * self._rows**2
            self._fourth = weighted.T @ weighted / len(rows)  # mean_k h_k^2 u_ki^2 u_kj^2
        if gradients is not None:
            turned = sample_array("gradients", gradients, dim=self.dim) @ v
            turned = turned - turned.mean(axis=0)
            self._floor = turned.T @ turned / len(turned)  # covariance of the terms' gradients

    @classmethod
    def of_posterior(
        cls, posterior: Posterior, mode: np.ndarray, hessian: np.ndarray | None = None, max_rows: int = MOST_ROWS,
        metric: np.ndarray | None = None,
    ) -> "GradientNoise":
        """Create from a posterior at its mode, in O(t d^2) up to ``max_rows`` rows and O(max_rows d^2) beyond.

        The terms of a GradientOracle are assumed to have equal Hessians, which gives a lower bound on the noise.

        Parameters
        ----------
        posterior : Posterior
        mode : (dim,) array
        hessian : (dim, dim) array, optional
            At the mode; None computes it.
        max_rows : int >= 1
            Maximum number of rows used.
        metric : (dim, dim) array, optional
            H of a preconditioned sampler.

        Raises
        ------
        ValueError
            For a mode of another shape or not finite, and without data.
        """
        mode = np.asarray(mode, float)
        if mode.shape != (posterior.dim,) or not np.isfinite(mode).all():
            raise ValueError(f"mode must be finite, of shape ({posterior.dim},), got {mode!r}; use find_mode")
        if posterior.t < 1:
            raise ValueError("posterior must have t >= 1 data, got 0; observe one first")
        hessian = posterior.hessian(mode) if hessian is None else hessian
        every = -(-posterior.t // max_rows)
        chosen = slice(0, posterior.t, every)
        if not isinstance(posterior, GlmPosterior):
            gradients = posterior.term_gradients(mode, np.arange(posterior.t)[chosen])
            return cls(hessian, gradients=gradients, metric=metric)
        problem, rows = posterior.problem, posterior.rows[chosen]
        scores = rows @ mode
        slopes = problem.mean_function(scores) - posterior.targets[chosen]
        return cls(hessian, rows, problem.score_curvature(scores), slopes[:, None] * rows,
                   np.asarray(hessian) - np.diag(problem.prior_precision), metric=metric)

    def in_modes(self, deviations: np.ndarray) -> np.ndarray:
        """Return ``deviations`` X - x*, (n, d), in the basis of ``vectors``, (n, d)."""
        return deviations @ self._to_modes

    def step_size(self, settings: Settings, t: int) -> float:
        """Return the step size of epoch ``t`` for ``settings``: eta0/(t + c), or eta0 itself in a metric."""
        return settings.eta0 if self.preconditioned else settings.step_size(t)

    def stationary(self, t: int, step_size: float, batch_size: int, variance_reduction: bool) -> Stationary:
        """Solve for S and N jointly, in O(d^3) and a few passes over the rows.

        ``t`` data, ``step_size`` > 0, ``batch_size`` >= 1. ValueError without both
        ``variance_reduction`` by cached gradients and ``gradients`` of the terms.
        """
        lam, eta, b = self.eigenvalues, step_size, batch_size
        infinite = Stationary(False, np.full((self.dim, self.dim), np.inf), np.full((self.dim, self.dim), np.inf))
        if not eta * lam[-1] < 2:
            return infinite
        injected = 2.0 * eta * np.eye(self.dim)
        lost = eta * (lam[:, None] + lam) - eta**2 * np.multiply.outer(lam, lam)  # 1 - rho_i rho_j without its rounding
        if self._fixed is not None:
            return Stationary(True, (injected + eta**2 * self._fixed) / lost, self._fixed)
        spread, common = self._anchor_factors(t, eta, b, variance_reduction)
        floor = np.zeros((self.dim, self.dim))
        if not variance_reduction:
            if self._floor is None:
                raise ValueError("gradients must be given for SGLD (variance_reduction=False); "
                                 "use GradientNoise.of_posterior")
            floor = t * t * self._floor / b
        fourth = self._likelihood**2 if self._rows is None else t * t * self._fourth
        gain = (fourth * spread - self._likelihood**2 * common) / b  # N_ii = floor_ii + gain_ij S_jj of a diagonal S
        base = 1.0 / (lam * (1.0 - eta * lam / 2))
        feedback = 0.5 * eta * base[:, None] * gain
        if np.abs(np.linalg.eigvals(feedback)).max() >= 1:
            return infinite
        source = base * (1.0 + 0.5 * eta * np.diagonal(floor))
        covariance = np.diag(np.linalg.solve(np.eye(self.dim) - feedback, source))
        growth, before = 0.0, np.inf
        for _ in range(MOST_PASSES if self.dim <= SMALL else 2):
            noise = floor + self._noise_of(covariance, t, spread, common) / b
            change = (injected + eta**2 * noise) / lost - covariance
            covariance = covariance + change
            size = float(np.abs(np.linalg.eigvalsh(change * np.sqrt(np.multiply.outer(lam, lam)))).max())
            growth, before = size / before if size > 0 else 0.0, size
            if size <= CLOSE * (1.0 - min(growth, 0.99)):
                break
        if growth >= 1.0 or size > 1.0:  # later changes grow, or the last one is as large as the target's variance
            return infinite
        covariance = covariance + change * growth / (1.0 - growth)  # the changes left, in geometric progression
        return Stationary(True, covariance, floor + self._noise_of(covariance, t, spread, common) / b)

    def _noise_of(self, covariance: np.ndarray, t: int, spread: np.ndarray, common: np.ndarray) -> np.ndarray:
        """Return b N of chains with this covariance, minus SGLD's part at the mode."""
        anchored, shared = (covariance * (part[:, None] + part) / 2 for part in (spread, common))
        if self._rows is None:
            return self._likelihood @ (anchored - shared) @ self._likelihood
        scale = self._curvatures**2 * np.einsum("ki,ki->k", self._rows @ anchored, self._rows)
        return (t * t / len(self._rows) * (self._rows * scale[:, None]).T @ self._rows
                - self._likelihood @ shared @ self._likelihood)

    def _anchor_factors(self, t: int, eta: float, b: int, variance_reduction: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return A_i / S_i and B_i / S_i of the module docstring; both 1 for SGLD."""
        if not variance_reduction:
            return np.ones(self.dim), np.ones(self.dim)
        rho = 1.0 - eta * self.eigenvalues
        p = -np.expm1(b * np.log1p(-1.0 / t)) if t > 1 else 1.0
        e = p * rho / (1.0 - (1.0 - p) * rho)
        e2 = p / (2.0 - p) * (1.0 + 2.0 * (1.0 - p) * rho / (1.0 - (1.0 - p) * rho))
        return 2.0 * (1.0 - e), 1.0 - 2.0 * e + e2
