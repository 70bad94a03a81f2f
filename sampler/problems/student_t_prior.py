"""Student-t priors of coefficients: wide tails, so that a few large effects are shrunk less than by a normal prior."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import LARGEST, SMALLEST, instance_of, real_number, shown
from sampler.problems.base import coordinate_numbers, points, quiet, whole_dim
from sampler.problems.glm import GeneralizedLinearModel
from sampler.problems.gradient_oracle import GradientOracle


class StudentTPrior:
    """f_0 of independent Student-t priors about 0, up to a constant.

        f_0(theta) = sum_j (df + 1)/2 log(1 + theta_j^2 / (df scale_j^2))

    Its curvature along coordinate j, at x = theta_j with s = scale_j, is (df + 1)(df s^2 - x^2)/(df s^2 + x^2)^2: largest at
    0, negative from abs(x) = s sqrt(df) on. So f_0 is smooth, not convex. F_t is convex where the data's curvature is above
    ``concavity``; elsewhere it may have several modes, and theorems that assume convex terms do not cover it.

    Parameters
    ----------
    dim : int >= 1
    df : float in [1e-50, 1e50]
        Degrees of freedom; 1 is the Cauchy prior, which has no mean.
    scale : float in [1e-50, 1e50], or (dim,) of them
        2.5 is usual for logistic coefficients of features whose standard deviation is 1/2, 10 for their intercept.

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
        """f_0 at ``theta``, 0 at the origin: (n, dim) -> (n,), or one point -> a number."""
        theta, single = points(theta, self.dim)
        with quiet():
            total = 0.5 * (self.df + 1) * np.log1p(np.square(theta / self._width)).sum(axis=1)
        return float(total[0]) if single else total

    def gradient(self, theta: ArrayLike) -> np.ndarray:
        """Gradient of f_0 at ``theta``: (n, dim) -> (n, dim), or one point -> (dim,)."""
        theta, single = points(theta, self.dim)
        with quiet():
            slope = self._curvature * theta / (1 + np.square(theta / self._width))
        return slope[0] if single else slope

    def hessian(self, theta: ArrayLike) -> np.ndarray:
        """Second derivatives of f_0 at one ``theta``: (dim,) -> (dim, dim), diagonal; ValueError for several points."""
        theta, single = points(theta, self.dim)
        if not single:
            raise ValueError(f"theta must be one point, shape ({self.dim},), got {theta.shape}; ask for one at a time")
        with quiet():
            weight = 1 / (1 + np.square(theta[0] / self._width))
        return np.diag(self._curvature * weight * (2 * weight - 1))

    def problem(self, model: Any, features: ArrayLike, labels: ArrayLike) -> GradientOracle:
        """Return this prior with the model's terms, for the samplers that need gradients alone: call ``observe()`` n times.

        Its F_t is ``model.posterior(features[:t], labels[:t]).potential(theta) + prior.potential(theta)``. For
        PreconditionedSagaLD a term's curvature is (h + a^2)/2, h its own and a its slope in the score; the prior's is its
        largest.

        Parameters
        ----------
        model : LogisticRegression, LinearRegression or PoissonRegression
            With ``prior_precision=0``: this prior takes the place of the normal one.
        features : (n, dim) array
        labels : (n,) array
            As the model takes them.

        Raises
        ------
        ValueError
            For another model or dimension, a normal prior in any coordinate, and data that the model does not take; from
            ``observe`` where there are no more rows.
        """
        instance_of("model", model, GeneralizedLinearModel, "a GradientOracle takes prior_gradient=prior.gradient itself")
        if model.dim != self.dim:
            raise ValueError(f"model must have the prior's dim {self.dim}, got {model.dim}; the intercept column counts too")
        if np.any(model.prior_precision):
            raise ValueError(f"model must have prior_precision=0, got {model!r}; this prior takes the place of its own")
        terms = model.posterior(features, labels)

        def gradients(indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
            if indices.max(initial=-1) >= terms.t:
                raise ValueError(f"observe must be called at most {terms.t} times, once a row; give more rows")
            return terms.term_gradients(theta, indices)

        def factor(indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
            rows = terms.rows[indices]
            scores = rows @ theta
            slopes = model.mean_function(scores) - terms.targets[indices]
            return np.sqrt(0.5 * (model.score_curvature(scores) + slopes**2))[:, None] * rows

        return GradientOracle(gradients, self.dim, self.gradient, factor=factor, prior_curvature=self._curvature)
