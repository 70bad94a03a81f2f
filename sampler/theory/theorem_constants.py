"""Numerical values of LMV-a's theorems: Theorem 6.7, Theorem 8.2, and the lower bound of section 11.

**Theorem 8.2** (the precise form of 2.4), applied to a logistic posterior. u_k are the rows, ||u_k|| <= M,
theta_0 the truth, ||theta_0|| = B, the prior N(0, I/alpha), and sigma the smallest eigenvalue of the Fisher
information E[phi(u.theta_0) phi(-u.theta_0) u u']. With a universal constant K and

    C = K (M^2 sqrt(d log(2d/eps)) + d M sqrt(log M + 1) / sigma)                                     (102)

it states that for t > max{M^4 log(2d/eps) / (8 sigma^2), (M (C + alpha B) / (sigma/2e) + M C)^2}, with probability
1 - eps,

    part 1 of 8.1   ||x*_t - theta_0|| <= (C sqrt(t) + alpha B) / (sigma t/2e + alpha),
    part 3          W2(pi_t, its mode) <= C / sqrt(t),
    part 4          ||x*_t - x*_tau|| <= 2 (C sqrt(t) + alpha B) / (sigma t/2e + alpha)  for tau > t.

Part 2, its tail, is false (``sampler.errata``, "posterior-tail"). LMV-a do not specify K: here K = 1, and ``needed``
is the least K for which parts 1 and 3 hold for the data.

**Section 11**, in closed form: distance from the posterior of a law based on a fraction of the gradients. Its
example: f_k = (y_k - theta)^2, y_k = theta_0 + N(0, 1), so that pi_T = N(mean of the y_k, 1/(2T)). Gradients of m of
the T terms, chosen at random without repetition and scaled by T/m, are those of N(their mean, 1/(2T)). Its centre is
shifted by N(0, 1/m - 1/T). Two normal laws of variance s^2 at distance g have TV = erf(g / (2 sqrt(2) s)), and
the mean of erf(a |Z|) over a standard normal Z is (2/pi) arctan(sqrt(2) a), so

    mean TV = (2/pi) arctan sqrt((T/m - 1)/2).

The section argues with two independent halves, T/2 indices each, drawn with repetition. Conditional on the data, the
mean of a half has variance 2/T, so the two centres differ by N(0, 4/T), and the TV of the two laws is
2 Phi(sqrt(2) |Z|) - 1: 1/10 or more with probability 0.93, where the section states 1/2, which suffices. Half of the
gradients cannot give eps < 1/20, and in fact nearly all are needed.

Differs from the paper: it prints N(0, 2/T), with which the TV would be uniform on (0, 1).
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.laplace import find_mode
from sampler.arguments import real_number, vector, whole_number
from sampler.problems.glm import LogisticRegression

LEAST_EPSILON = 1e-200
"""Below it, 1/eps1 may overflow."""


@dataclass(frozen=True)
class TheoremConstants:
    """Settings of LMV-a Theorem 6.7; none of them is practical."""

    eta0: float  #: step size constant, eq. 65
    i_max: int  #: maximum number of steps per epoch, eq. 66; often far above 2^63
    acceptance_radius: float  #: C' = 2.5 (C1 + D), Lemma 6.6
    escape_radius: float  #: R, eq. 64
    batch_size: int  #: b; any constant of 9 or more
    eps1: float  #: escape probability per epoch, eps / (3T)
    eps2: float  #: error allowed per doubling of t, eps / (3 ceil(log2 T + 1))
    C1: float  #: ln(A / eps1) / k, eq. 63: distance of a reset point to the mode, times sqrt(t + c)


def theorem_constants(
    horizon: int, epsilon: float, dim: int, smoothness: float, concentration: float, drift: float,
    amplitude: float = 1.0,
) -> TheoremConstants:
    """Compute the constants of LMV-a Theorem 6.7 (eq. 63 to 66).

    Parameters
    ----------
    horizon : T, number of epochs, 1 or more.
    epsilon : eps in (0, 1), total variation allowed at each epoch.
    dim : d.
    smoothness : L > 0, of each term f_t.
    concentration : k > 0, P(||X - mode_t|| >= s / sqrt(t + c)) <= A exp(-k s).
    amplitude : A > 0 of that tail. Differs from the paper: eq. 60 and 63 omit it, as for A = 1; with it
        C1 = ln(A / eps1) / k gives A exp(-k C1) = eps1.
    drift : D >= 0, ||mode_t - mode_tau|| <= D / sqrt(t + c) for tau in [t, 2t].

    Examples
    --------
    >>> f"{theorem_constants(1000, 0.1, 21, 1.5, 1.0, 1.0).eta0:.2e}"
    '1.41e-12'
    """
    T = whole_number("horizon", horizon, advice="give the number of epochs to be sampled")
    eps = real_number("epsilon", epsilon, "it is a total variation distance", least=LEAST_EPSILON, below=1.0)
    d = whole_number("dim", dim, advice="give the number of coordinates")
    L = real_number("smoothness", smoothness, "give the largest curvature of one term", above=0.0)
    k = real_number("concentration", concentration, "measure it on a run; 1 is a fair first guess", above=0.0)
    D = real_number("drift", drift, "measure it on a run; 0 if the mode does not move", least=0.0)
    A = real_number("amplitude", amplitude, "measure it with k; 1 is the paper's", above=0.0)

    eps1 = eps / (3.0 * T)
    eps2 = eps / (3.0 * math.ceil(math.log2(T) + 1.0))
    C1 = max(math.log(A / eps1), 0.0) / k
    reach = C1 + D
    logarithm = math.log(max(L, d / L, reach, 1.0 / eps1))
    R = 100.0 * max(math.sqrt(d / L) * math.sqrt(logarithm), reach)
    # Exact fractions from here on: i_max exceeds 2^63, and 1/eps2^4 may exceed the largest float.
    eta0 = Fraction(eps2) ** 2 / (2 * Fraction(L) ** 2 * Fraction(R) ** 2)
    i_max = math.ceil(20 * Fraction(reach) ** 2 / (eta0 * Fraction(eps2) ** 2))
    return TheoremConstants(float(eta0), i_max, 2.5 * reach, R, 9, eps1, eps2, C1)


def theorem_rates(
    horizon: int, epsilon: float, dim: int, smoothness: float, concentration: float, drift: float,
    amplitude: float = 1.0,
) -> dict[str, float]:
    """Return the exponents d log i_max / d log of each argument in Theorem 6.7, by doubling it.

    LMV-a eq. 66 has i_max = 40 L^2 R^2 (C1 + D)^2 / eps2^4: eps to the -4 and no power of T, up to logarithms. LMV-n
    Theorem 2.1 has (C + D)^4 L^2 d log^8(T) / eps^6: the exponent of eps is the price of the corrected exit bound.

    Parameters
    ----------
    horizon, epsilon, dim, smoothness, concentration, drift, amplitude : as in ``theorem_constants``; epsilon below 1/2.

    Returns
    -------
    dict of "horizon", "epsilon", "dim", "smoothness", "concentration", "drift" to float, the exponents.

    Examples
    --------
    >>> round(theorem_rates(1000, 0.1, 21, 1.5, 1.0, 1.0)["epsilon"], 2)
    -4.28
    """
    point: dict[str, Any] = {"horizon": horizon, "epsilon": epsilon, "dim": dim, "smoothness": smoothness,
                             "concentration": concentration, "drift": drift}
    own = {**point, "amplitude": amplitude}
    here = theorem_constants(**own).i_max
    doubled = {name: theorem_constants(**{**own, name: 2 * value}).i_max for name, value in point.items()}
    # i_max may exceed the largest float: the ratio of whole numbers does not.
    return {name: math.log2(Fraction(steps, here)) for name, steps in doubled.items()}


@dataclass(frozen=True)
class LogisticTheorem:
    """Bounds of Theorem 8.2 at K = 1, and the true values; lengths are those of theta."""

    t: int
    row_bound: float  #: M, of these rows
    information: float  #: sigma, with the mean over these rows as the expectation
    constant: float  #: C
    begins: float  #: epochs after which the theorem applies
    mode_bound: float  #: part 1
    mode_distance: float  #: ||x*_t - theta_0||
    spread_bound: float  #: part 3, C / sqrt(t)
    spread: float  #: root second moment about the mode, by Laplace
    drift: float  #: D of Assumption 3 implied by part 4 for t -> inf: 4 e C / sigma
    needed: float  #: least K for parts 1 and 3 here


def logistic_theorem(features: ArrayLike, labels: ArrayLike, truth: ArrayLike, prior_precision: float = 1.0,
                     epsilon: float = 0.1) -> LogisticTheorem:
    """Evaluate Theorem 8.2 on logistic data.

    Parameters
    ----------
    features, labels : (t, d) and (t,) arrays
        As for ``LogisticRegression``.
    truth : (d,) array
        theta_0, from which the labels were drawn.
    prior_precision : alpha > 0.
    epsilon : eps in (0, 1), the failure probability.

    Raises
    ------
    ValueError
        For features with a singular Fisher information.
    """
    alpha = real_number("prior_precision", prior_precision, "1 is the standard normal prior", above=0.0)
    eps = real_number("epsilon", epsilon, "it is a probability; try 0.1", least=LEAST_EPSILON, below=1.0)
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
        raise ValueError(f"features must span every direction, the Fisher information's least eigenvalue is {sigma:g}; "
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


def subset_distance(share: float) -> float:
    """Return the mean total variation between the posterior and the law from a random share of the gradients.

    Parameters
    ----------
    share : m/T in (0, 1].

    Examples
    --------
    >>> round(subset_distance(0.5), 3)
    0.392
    """
    share = real_number("share", share, "it is a part of the data", above=0.0, most=1.0)
    return 2.0 / math.pi * math.atan(math.sqrt(0.5 * (1.0 / share - 1.0)))


def least_share(epsilon: float) -> float:
    """Return the least share of the gradients for which ``subset_distance`` is at most ``epsilon``.

    Parameters
    ----------
    epsilon : in (0, 1), a total variation.

    Examples
    --------
    >>> round(least_share(0.05), 3)
    0.988
    """
    eps = real_number("epsilon", epsilon, "it is a total variation distance", above=0.0, below=1.0)
    return 1.0 / (1.0 + 2.0 * math.tan(0.5 * math.pi * eps) ** 2)
