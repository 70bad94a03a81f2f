"""LMV-a Theorem 8.2 (the precise form of 2.4) in numbers: what it says of the logistic posterior of given data.

u_k are the rows, ||u_k|| <= M, theta_0 the truth, ||theta_0|| = B, the prior N(0, I/alpha), and sigma the smallest
eigenvalue of the Fisher information E[phi(u.theta_0) phi(-u.theta_0) u u']. With a universal constant K and

    C = K (M^2 sqrt(d log(2d/eps)) + d M sqrt(log M + 1) / sigma)                                     (102)

it says that for t > max{M^4 log(2d/eps) / (8 sigma^2), (M (C + alpha B) / (sigma/2e) + M C)^2}, with probability
1 - eps,

    part 1 of 8.1   ||x*_t - theta_0|| <= (C sqrt(t) + alpha B) / (sigma t/2e + alpha),
    part 3          W2(pi_t, its mode) <= C / sqrt(t),
    part 4          ||x*_t - x*_tau|| <= 2 (C sqrt(t) + alpha B) / (sigma t/2e + alpha)  for tau > t.

Part 2, its tail, is false (``sampler.errata``, "posterior-tail"). K is nowhere said: here K = 1, and ``needed`` is the
least K with which parts 1 and 3 are true of the data.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.newton import find_mode
from sampler.arguments import real_number, vector
from sampler.problems.glm import LogisticRegression


@dataclass(frozen=True)
class LogisticTheorem:
    """Theorem 8.2 at K = 1 beside what is so; lengths are those of theta."""

    t: int
    row_bound: float  #: M, of these rows
    information: float  #: sigma, of these rows: their mean stands for the expectation
    constant: float  #: C
    begins: float  #: epochs after which the theorem speaks
    mode_bound: float  #: part 1
    mode_distance: float  #: ||x*_t - theta_0||
    spread_bound: float  #: part 3, C / sqrt(t)
    spread: float  #: root second moment about the mode, by Laplace
    drift: float  #: D that part 4 would give Assumption 3, as t grows: 4 e C / sigma
    needed: float  #: least K for parts 1 and 3 here


def logistic_theorem(features: ArrayLike, labels: ArrayLike, truth: ArrayLike, prior_precision: float = 1.0,
                     epsilon: float = 0.1) -> LogisticTheorem:
    """Put logistic data into Theorem 8.2.

    Parameters
    ----------
    features, labels : (t, d) and (t,) arrays
        As for ``LogisticRegression``.
    truth : (d,) array
        theta_0, from which the labels were drawn.
    prior_precision : alpha > 0.
    epsilon : eps in (0, 1), the chance that it fails.

    Raises
    ------
    ValueError
        For an epsilon outside (0, 1), and features that do not see every direction.
    """
    alpha = real_number("prior_precision", prior_precision, "1 is the standard normal prior", above=0.0)
    eps = real_number("epsilon", epsilon, "it is a probability", above=0.0)
    if eps >= 1.0:
        raise ValueError(f"epsilon must lie in (0, 1); got {eps:g}. Try 0.1.")
    truth = vector("truth", truth)
    d = truth.size
    posterior = LogisticRegression(d, alpha).posterior(features, labels)
    t, rows = posterior.t, posterior.rows
    if t < 1:
        raise ValueError("features must have at least one row, got none; give the rows that the labels belong to")
    M, B = float(np.linalg.norm(rows, axis=1).max()), float(np.linalg.norm(truth))
    weight = posterior.problem.score_curvature(rows @ truth)
    sigma = float(np.linalg.eigvalsh((rows * weight[:, None]).T @ rows / t)[0])
    if not sigma > 0.0:
        raise ValueError(f"features must see every direction, the Fisher information's least eigenvalue is {sigma:g}; "
                         "give more rows")
    log = math.log(2.0 * d / eps)
    C = M**2 * math.sqrt(d * log) + d * M * math.sqrt(max(math.log(M) + 1.0, 0.0)) / sigma
    low = sigma / (2.0 * math.e)
    begins = max(M**4 * log / (8.0 * sigma**2), (M * (C + alpha * B) / low + M * C) ** 2)
    mode = find_mode(posterior, np.zeros(d))
    spread = math.sqrt(float(np.trace(np.linalg.inv(posterior.hessian(mode)))))
    distance, root = float(np.linalg.norm(mode - truth)), math.sqrt(t)
    needed = max((distance * (low * t + alpha) - alpha * B) / root, spread * root) / C
    return LogisticTheorem(t, M, sigma, C, begins, (C * root + alpha * B) / (low * t + alpha), distance, C / root, spread,
                           2.0 * C / low, needed)
