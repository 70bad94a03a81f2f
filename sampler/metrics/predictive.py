"""Held-out log-likelihood of a regression: what ZXG's Figures 3 and 4 plot."""

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import check_size, shown
from sampler.problems.base import points
from sampler.problems.glm import GeneralizedLinearModel


def negative_log_likelihood(problem: GeneralizedLinearModel, features: ArrayLike, labels: ArrayLike,
                            theta: ArrayLike) -> np.ndarray | float:
    """Mean of -log p(label | features, theta) over the rows, up to a constant in theta (none for logistic).

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression or PoissonRegression
    features, labels : (n, d), (n,) arrays
        Held-out rows.
    theta : (K, d) or (d,) array

    Returns
    -------
    (K,) array, or a number for one point. Logistic: >= 0, best 0, log 2 = 0.693 for theta = 0.

    Raises
    ------
    ValueError
        For a problem that is no regression.
    """
    if not isinstance(problem, GeneralizedLinearModel):
        raise ValueError(f"problem must be a regression, got {shown(problem)}; it has no labels to predict")
    posterior = problem.posterior(features, labels)
    theta, single = points(theta, problem.dim)
    check_size("theta", theta, "leave out chains that diverged")
    prior = 0.5 * theta**2 @ problem.prior_precision
    values = (posterior.potential(theta) - prior) / posterior.t
    return float(values[0]) if single else values
