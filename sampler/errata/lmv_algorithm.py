"""Numbers of the errata of LMV's algorithms, model, experiment and application to logistic regression."""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import binom, ndtr

from sampler.errata.erratum import Numbers
from sampler.racing.figure_one import PRINTED


def curvature_at_zero(f: Callable[[float], float], step: float = 1e-3) -> float:
    """Second derivative of a function of one variable at 0, by a central difference."""
    return (f(step) - 2.0 * f(0.0) + f(-step)) / step**2


def _acceptance_ball() -> Numbers:
    t, checkpoint, c = 4, 2, 1.0
    ball = 2.5 / math.sqrt(t - 1 + c)  # C' = 2.5 (C1 + D), over LMV-a's root
    reset_point = 1.0 / math.sqrt(checkpoint + c)  # the checkpoint's own distance (C1) and the mode's drift (D)
    return 4.0, (ball + reset_point) * math.sqrt(t + c)


def _ladder() -> Numbers:
    beta, last = 1.0 / 1024, 0.0  # T = 1,024
    while beta < 1.0:
        last, beta = beta, max(2.0 * beta, 1.0)
    return last, 1.0


def _step_size() -> Numbers:
    eta0, L, t, c = 0.1, 1.0, 1000, 1.0
    return eta0 / math.sqrt(t + c) * L * (t + c), eta0 / (t + c) * L * (t + c)


def _prior() -> Numbers:
    alpha = 1.0
    return (curvature_at_zero(lambda x: math.exp(-0.5 * alpha * x * x)),
            curvature_at_zero(lambda x: 0.5 * alpha * x * x))


def _labels() -> Numbers:
    n = 10  # data with x = 0 and y = 0: only the intercept b matters
    mode = brentq(lambda b: b - n / (1.0 + math.exp(b)), 0.0, 10.0)  # of exp(-b^2/2) phi(b)^n
    return mode, -mode


def _marginal_accuracy() -> Numbers:
    return 0.5, PRINTED["sgld"], 0.0


def _gradient_variance() -> Numbers:
    t, b, L = 1000, 9, 1.0
    curvatures = np.arange(t) % 2 * L  # f_k = a_k x^2 / 2 with a_k = 0, 1, 0, 1, ...
    delta = curvatures / math.sqrt(t)  # anchors at distance 1/sqrt(t): gradients differ by a_k / sqrt(t)
    return L**2 / t, t**2 / b * float(delta.var()), t * L**2 / b


def _fisher_information() -> Numbers:
    share = 1.0 / (1.0 + math.exp(-2.0))
    return 1.0 / (share * (1.0 - share)), 0.25, share * (1.0 - share)


def _posterior_tail() -> Numbers:
    T, alpha, C, far, near = 10_000, 1.0, 4.0, 4.0, 0.5  # condition 4 on the ball of radius r = 0.5
    theta = np.linspace(-1.0, 1.0, 20_001)  # half of the labels 1, half 0: the mode is 0
    potential = 0.5 * alpha * theta**2 + T * (np.logaddexp(0.0, theta) - 0.5 * theta - math.log(2.0))
    weight = np.exp(-potential)
    tail = float(weight[np.abs(theta) >= far / math.sqrt(T)].sum() / weight.sum())
    share = 1.0 / (1.0 + math.exp(-near))
    sigma, L = share * (1.0 - share) + alpha / T, 0.25 + alpha / T
    front = math.log(1.0 / (sigma * C * math.sqrt(T))) + 0.5 * math.log(2.0 * L * T * math.e)
    printed = front + sigma * C**2 * (1.0 - sigma * T / (2.0 * L)) - 0.5 * sigma * C * far
    mended = front + 0.5 * sigma * C**2 - 0.5 * sigma * C * far
    ten = math.log(10.0)
    return printed / ten, math.log10(tail), mended / ten


def _initial_constant() -> Numbers:
    alpha = 1000.0  # d = 1, L = alpha: N(0, 1/alpha)
    constant = (1.0 + 8.0 * math.sqrt(math.pi)) / alpha
    return constant, math.sqrt(1.0 / alpha), math.sqrt(constant)


def _martingale_tail() -> Numbers:
    T, c = 16, 8
    sums = 2 * np.arange(T + 1) - T
    tail = float(binom(T, np.arange(T + 1))[np.abs(sums) >= c].sum()) / 2.0**T
    return 2.0 * math.exp(-0.5 * c**2 * T), tail, 2.0 * math.exp(-0.5 * c**2 / T)


def _second_moment_bound() -> Numbers:
    d, kappa = 20, 1000.0
    bound = (math.sqrt(8.0 * d * math.log(kappa)) + d) ** 2 + 8.0 * d * math.sqrt(math.pi)
    return bound / d, 1.0, 1.0


def _example_smoothness() -> Numbers:
    return 1.0, curvature_at_zero(lambda theta: theta * theta), 2.0


def _example_posterior() -> tuple[float, float, float]:
    """Return Sigma, and the posterior's mean and variance by quadrature, for z = y = 1 four times."""
    theta = np.linspace(-4.0, 6.0, 10_001)
    weight = np.exp(-4.0 * (1.0 - theta) ** 2)
    weight /= weight.sum()
    mean = float(weight @ theta)
    return 0.25, mean, float(weight @ (theta - mean) ** 2)


def _example_variance() -> Numbers:
    sigma, _, variance = _example_posterior()
    return sigma, variance, sigma / 2.0


def _example_mean() -> Numbers:
    sigma, mean, _ = _example_posterior()
    return math.sqrt(sigma) * 4.0, mean, sigma * 4.0


def _hardness() -> Numbers:
    return 0.5, float(2.0 * ndtr(-math.sqrt(0.5))), 0.4795
