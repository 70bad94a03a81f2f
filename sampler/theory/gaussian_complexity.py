"""Exact gradient complexity of a Gaussian target, and its exponents compared with those of ZXG Table 1.

The experiment of ``gaussian_recursions`` in its limit of many data: F = sum_j l_j x_j^2 / 2, terms' gradients have the
covariance sigma^2 diag(l)^2 about F's, chains start at 1 in every coordinate. After k steps of size eta the law is
Gaussian; with a = 1 - eta l its mean is a^k and its variance

    (2 eta + eta^2 l^2 sigma^2 / b) (1 - a^(2k)) / (1 - a^2),   sigma = 0 for full gradients,

which gives W2, and the least k with W2 <= eps at the best eta. SVRG-LD's law on equal Hessians is that of full
gradients: LMC takes n per step, SVRG-LD n initially and 3 per step (m = n, b = 1). SGLD takes one per step.

Table 1 prints upper bounds: LMC n kappa^2 sqrt(d) / eps, SGLD kappa^2 d sigma^2 / eps^2, SVRG-LD n + kappa^(3/2)
sqrt(n d) / eps. Gaussians cost less, SGLD (-1.13, .97, .47, 1.86) in eps, kappa, d, sigma where Table 1 has (-2, 2, 1, 2):

* The bound couples chain and target step by step: noise adds eta^2 d sigma^2 per step to W2^2, d sigma^2 eta / (2 mu) in the
  limit, so that W2 <= eps needs eta = 2 mu eps^2 / (d sigma^2), and 1/(eta mu) steps are kappa^2 d sigma^2 / (2 eps^2).
* In law the noise adds to the variance, (1/l)(1 + eta l (1 + l sigma^2/b)/2) to first order in eta. The standard deviation
  is 1/sqrt(l) + eta sqrt(l) (1 + l sigma^2/b)/4, so W2 = (eta/4) sqrt(sum l (1 + l sigma^2/b)^2), in proportion to eta and
  not to its root, and log(../eps)/(eta mu) steps are kappa/(4 eps) times that root and the logarithm: eps^-1 and the
  logarithm's -.13, kappa^1 (.97 since mean l = (1 + 1/kappa)/2), sqrt(d), and sigma^2 once it is well above b.

Noise of covariance sigma^2 I in place of sigma^2 diag(l)^2 makes that kappa^(3/2), and eps^-1 still. No target is known
to need the printed orders; the difference is due to the proof.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.arguments import choice, real_number, whole_number

STEP_SIZES = 400  # of the grid, then of the two cells about its best point
HALVINGS = 60
MOST_COORDINATES = 100_000
TABLE_1 = {"LMC": (-1.0, 2.0, 0.5, 0.0), "SGLD": (-2.0, 2.0, 1.0, 2.0)}
"""Exponents of eps, kappa, d, sigma in ZXG Table 1, for the number of gradients per term."""


@dataclass(frozen=True)
class ComplexityExponents:
    """Exponents d log T / d log x of the least number of steps T to W2 <= eps."""

    epsilon: float
    kappa: float
    dim: float
    sigma: float


def least_steps(epsilon: float, kappa: float, dim: int, sigma: float, batch_size: int = 1) -> float:
    """Return the least k with W2 <= eps over all step sizes, as a real number.

    Parameters
    ----------
    epsilon : eps > 0.
    kappa : condition number >= 1; curvatures evenly spaced from 1/kappa to 1.
    dim : d.
    sigma : noise of one term's gradient, 0 for full gradients.
    batch_size : b.
    """
    epsilon = real_number("epsilon", epsilon, "it is a Wasserstein distance", above=0.0)
    kappa = real_number("kappa", kappa, "it is the largest over the smallest curvature", least=1.0)
    sigma = real_number("sigma", sigma, "0 is a full gradient", least=0.0)
    b = whole_number("batch_size", batch_size)
    l = np.linspace(1.0 / kappa, 1.0, whole_number("dim", dim, 1, MOST_COORDINATES))  # noqa: E741 - the paper's name
    eta = np.geomspace(1e-12, 1.9, STEP_SIZES)
    for _ in range(2):
        log_k = _log_steps(eta, l, sigma**2 / b, epsilon)
        i = int(np.argmin(log_k))
        eta = np.geomspace(eta[max(i - 1, 0)], eta[min(i + 1, eta.size - 1)], STEP_SIZES)
    return float(np.exp(log_k[i]))


def _log_steps(eta: np.ndarray, l: np.ndarray, noise: float, epsilon: float) -> np.ndarray:  # noqa: E741
    """Return the log of the steps to W2 <= eps for each step size, by bisection; inf if the bias exceeds eps."""
    x = eta[:, None] * l
    with np.errstate(divide="ignore"):  # x = 1: one step removes the dependence on the start
        log_a = np.log1p(-np.minimum(x, 2.0 - x))  # log |1 - x|, accurate for tiny x
    level = (2.0 * eta[:, None] + x**2 * noise) / (x * (2.0 - x))

    def far(log_k: np.ndarray) -> np.ndarray:
        power = np.exp(np.exp(log_k)[:, None] * log_a)
        spread = np.sqrt(level * (1.0 - power**2)) - 1.0 / np.sqrt(l)
        return (power**2 + spread**2).sum(axis=1) > epsilon**2

    low, high = np.zeros(eta.size), np.full(eta.size, 40.0)
    never = far(high)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        outside = far(middle)
        low, high = np.where(outside, middle, low), np.where(outside, high, middle)
    return np.where(never, np.inf, high)


def doubling_exponents(cost: Callable[..., float], **point: Any) -> dict[str, float]:
    """Return d log cost / d log of each argument at a point, by doubling it."""
    here = cost(**point)
    return {name: float(np.log2(cost(**(point | {name: 2 * value})) / here)) for name, value in point.items()}


def complexity_exponents(
    sampler: str, epsilon: float = 1e-3, kappa: float = 10.0, dim: int = 10, sigma: float = 3.0
) -> ComplexityExponents:
    """Return the exponents of the number of steps at one point, by doubling each argument.

    SGLD has -1.13 in eps and 0.97 in kappa where ``TABLE_1`` has -2 and 2: its bound couples chain and target step by step,
    so that W2 scales as sqrt(eta); in law a Gaussian widens linearly in eta. See the module docstring for the derivation.

    Parameters
    ----------
    sampler : "LMC" (full gradients; SVRG-LD as well) or "SGLD".
    epsilon, kappa, dim, sigma : the point, as in ``least_steps``.

    Raises
    ------
    ValueError
        For another sampler, and if a number of steps is not finite.
    """
    sampler = choice("sampler", sampler, tuple(TABLE_1), "SVRG-LD has LMC's law here")
    sigma = real_number("sigma", sigma, "it is the terms' standard deviation", least=0.0)
    point: dict[str, Any] = {"epsilon": epsilon, "kappa": kappa, "dim": dim, "sigma": sigma if sampler == "SGLD" else 0.0}
    exponents = doubling_exponents(least_steps, **point)
    if any(exponent != exponent for exponent in exponents.values()):
        raise ValueError(f"epsilon, kappa and sigma must give finite numbers of steps, got {point!r}; "
                         "the defaults are ZXG's")
    return ComplexityExponents(**exponents)
