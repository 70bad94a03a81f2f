"""Student-t priors of coefficients: heavy tails, which shrink a few large effects less than a normal prior does."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import LARGEST, SMALLEST, instance_of, real_number, shown
from sampler.problems.base import coordinate_numbers, one_point, points, quiet, whole_dim
from sampler.problems.glm import GeneralizedLinearModel
from sampler.problems.gradient_oracle import GradientOracle


class StudentTPrior:
    """f_0 of independent Student-t priors centred at 0, up to a constant.

        f_0(theta) = sum_j (df + 1)/2 log(1 + theta_j^2 / (df scale_j^2))

    Its curvature along coordinate j, at x = theta_j with s = scale_j, is (df + 1)(df s^2 - x^2)/(df s^2 + x^2)^2: largest at
    0, negative for abs(x) > s sqrt(df). So f_0 is smooth but not convex. F_t is convex where the data's curvature exceeds
    ``concavity``; otherwise it may have several modes, and theorems that assume convex terms do not apply.

    Parameters
    ----------
    dim : int >= 1
    df : float in [1e-50, 1e50]
        Degrees of freedom; 1 is the Cauchy prior, which has no mean.
    scale : float or (dim,) array in [1e-50, 1e50]
        2.5 is usual for logistic coefficients of features with standard deviation 1/2, 10 for their intercept.

    Attributes
    ----------
    scale : (dim,) array
    smoothness : float
        Largest curvature, (df + 1)/(df s^2) at the smallest scale s: the L of f_0 in assumption 1.
    concavity : float
        Largest negative curvature, (df + 1)/(8 df s^2), at abs(x) = s sqrt(3 df) for the same s.

    References
    ----------
    Gelman, Jakulin, Pittau, Su, "A weakly informative default prior distribution for logistic and other regression models",
    Annals of Applied Statistics 2(4), 2008.
    """

    def __init__(self, dim: int, df: float = 3.0, scale: float | np.ndarray = 2.5) -> None:
        self.dim = whole_dim(dim)
        self.df = real_number("df", df, "3 is usual, 1 is the Cauchy prior", least=SMALLEST, most=LARGEST)
        self.scale = coordinate_numbers(scale, self.dim, "scale", "2.5 is usual", SMALLEST)
        self._width = np.sqrt(self.df) * self.scale
        self._curvature = (self.df + 1) / self._width**2  # at 0, the largest
        self.smoothness = float(self._curvature.max())
        self.concavity = self.smoothness / 8

    def __repr__(self) -> str:
        return f"StudentTPrior(dim={self.dim}, df={self.df:g}, scale={shown(self.scale.tolist())})"

    def potential(self, theta: ArrayLike) -> np.ndarray | float:
        """Return f_0 at ``theta``, 0 at the origin: (n, dim) -> (n,), or one point -> a number."""
        theta, single = points(theta, self.dim)
        with quiet():
            total = 0.5 * (self.df + 1) * np.log1p(np.square(theta / self._width)).sum(axis=1)
        return float(total[0]) if single else total

    def gradient(self, theta: ArrayLike) -> np.ndarray:
        """Return the gradient of f_0 at ``theta``: (n, dim) -> (n, dim), or one point -> (dim,)."""
        theta, single = points(theta, self.dim)
        with quiet():
            slope = self._curvature * theta / (1 + np.square(theta / self._width))
        return slope[0] if single else slope

    def hessian(self, theta: ArrayLike) -> np.ndarray:
        """Return the Hessian of f_0 at one ``theta``: (dim,) -> (dim, dim), diagonal; ValueError for several points."""
        theta = one_point(theta, self.dim)
        with quiet():
            weight = 1 / (1 + np.square(theta / self._width))
        return np.diag(self._curvature * weight * (2 * weight - 1))

    def problem(self, model: Any, features: ArrayLike, labels: ArrayLike) -> GradientOracle:
        """Return a problem with this prior and the model's terms, for samplers that use gradients only.

        Call ``observe()`` n times. F_t is ``model.posterior(features[:t], labels[:t]).potential(theta)`` plus
        ``prior.potential(theta)``. For PreconditionedSagaLD the curvature of a term is (h + a^2)/2, with h its second and a
        its first derivative in the score; the curvature of the prior is its largest.

        Parameters
        ----------
        model : LogisticRegression, LinearRegression or PoissonRegression
            Must have ``prior_precision=0``: this prior replaces the normal one.
        features : (n, dim) array
        labels : (n,) array
            Labels valid for the model.

        Raises
        ------
        ValueError
            For another model or dimension, a normal prior in any coordinate, or data invalid for the model; in ``observe``
            after the last row.
        """
        instance_of("model", model, GeneralizedLinearModel, "a GradientOracle takes prior_gradient=prior.gradient itself")
        if model.dim != self.dim:
            raise ValueError(f"model must have the prior's dim {self.dim}, got {model.dim}; the intercept column counts too")
        if np.any(model.prior_precision):
            raise ValueError(f"model must have prior_precision=0, got {model!r}; this prior replaces its own")
        terms = model.posterior(features, labels)

        def gradients(indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
            if indices.max(initial=-1) >= terms.t:
                raise ValueError(f"observe must be called at most {terms.t} times, once per row; pass more rows")
            rows = terms.rows[indices]  # not by `term_gradients`, which checks its arguments
            return (model.mean_function(rows @ theta) - terms.targets[indices])[:, None] * rows

        def factor(indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
            rows = terms.rows[indices]
            scores = rows @ theta
            slopes = model.mean_function(scores) - terms.targets[indices]
            return np.sqrt(0.5 * (model.score_curvature(scores) + slopes**2))[:, None] * rows

        return GradientOracle(gradients, self.dim, self.gradient, factor=factor, prior_curvature=self._curvature)
