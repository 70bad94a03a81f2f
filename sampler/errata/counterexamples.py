"""Counterexamples of the errata: LMV's algorithms, model and exit-time lemma, ZXG (SVRG-LD+), and CHC (Hot DoG)."""

import itertools
import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import binom, j1, jn_zeros, ndtr

from sampler.errata.erratum import Numbers
from sampler.racing.figure_one import PRINTED
from sampler.theory.exit_bounds import ExitBounds, exit_bounds
from sampler.theory.svrg_theorem import prescription_exponents
from sampler.theory.theorem_constants import TheoremConstants, theorem_constants

OVERSHOOT = 0.5826  # mean overshoot of a Gaussian walk, -zeta(1/2)/sqrt(2 pi) standard deviations of a step


def curvature_at_zero(f: Callable[[float], float], step: float = 1e-3) -> float:
    """Return the second derivative of ``f`` at 0 by a central difference."""
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


def planar_exit_probability(step_size: float, steps: int, radius: float) -> float:
    """Return the probability that the walk D <- D + sqrt(2 eta) xi from 0 in the plane leaves a ball.

    Brownian motion's eigenfunction series, with the radius moved out by the walk's mean overshoot (Siegmund, 1979):
    accurate to about 1e-3 for thousands of steps.
    """
    roots = jn_zeros(0, 40)
    reach = radius + OVERSHOOT * math.sqrt(2.0 * step_size)
    decay = np.exp(-(roots**2) * step_size * steps / reach**2)
    return float(1.0 - np.sum(2.0 / (roots * j1(roots)) * decay))


def _free_walk(dim: int, eta: float, n: int, r: float) -> ExitBounds:
    return exit_bounds(dim, eta, n, r, smoothness=0.0)


def _azuma() -> Numbers:
    d, eta, n, r = 2, 5e-6, 100_000, 2.0
    bounds = _free_walk(d, eta, n, r)
    return bounds.printed, planar_exit_probability(eta, n, r), bounds.sharp


def _exit_event() -> Numbers:
    d, eta, n, r = 2, 5e-3, 1, 10.0
    stays = -math.expm1(-(r**2) / (4.0 * eta))  # one step: ||sqrt(2 eta) xi|| is Rayleigh
    return _free_walk(d, eta, n, r).printed, stays


def _drift_square() -> Numbers:
    d, eta, n = 2, 5e-6, 100_000
    return n * (2.0 * eta * d) ** 2, n * 2.0 * eta * d


def _constants() -> TheoremConstants:
    return theorem_constants(1000, 0.1, 21, smoothness=1.5, concentration=1.0, drift=1.0)


def _steps_bound() -> Numbers:
    constants, L, D = _constants(), 1.5, 1.0
    bound = 10.0 * (L * constants.escape_radius * (constants.C1 + D)) ** 2 / constants.eps2**4
    return bound, float(constants.i_max), 4.0 * bound + 1.0


def _cutoff() -> Numbers:
    constants, d = _constants(), 21

    def tail(eps: float) -> float:  # i_max exp(-(C_xi^2 - d)/8) with C_xi^2 = 2 d + 8 log(2 i_max / eps)
        return 0.5 * eps * math.exp(-d / 8.0)

    return 0.5 * constants.eps1, tail(constants.eps2)


def averaged_divergence(noise: float, step_size: float, steps: int) -> float:
    """Return KL(mean law over ``steps`` of x <- (1 - eta) x + sqrt(noise eta) xi from 0 | N(0, 1))."""
    shrink = (1.0 - step_size) ** 2
    variances = noise * step_size * (1.0 - shrink ** np.arange(1, steps + 1)) / (1.0 - shrink)
    x, width = np.linspace(-8.0, 8.0, 1601, retstep=True)
    density = np.mean(np.exp(-0.5 * x[:, None] ** 2 / variances) / np.sqrt(2.0 * np.pi * variances), axis=1)
    target = np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi)
    return float(width * np.sum(density * np.log(np.maximum(density, 1e-300) / target)))


def _half_noise() -> Numbers:
    epsilon, eta, n = 0.05, 0.025, 800  # f = x^2/2 from its mode: eta = eps/(2 L d), n = W2^2/(eta eps)
    return epsilon, averaged_divergence(1.0, eta, n)


def _quiet_outside() -> Numbers:
    eta, n, r, near, cells = 0.05, 4000, 2.0, 0.1, 160
    error = math.sqrt(eta)  # eps_2: eq. 44 with equality, L d = 1; then n >= W2^2/(2 eta eps_2^2) = 200
    x, width = np.linspace(-r, r, 2 * cells + 1)[1::2], 2.0 * r / cells  # midpoints of cells
    spread = math.sqrt(2.0 * eta)
    kernel = np.exp(-0.5 * ((x[:, None] - (1.0 - eta) * x) / spread) ** 2) * width / (spread * math.sqrt(2.0 * math.pi))
    inside = np.exp(-0.5 * (x / spread) ** 2) * width / (spread * math.sqrt(2.0 * math.pi))
    gone = np.empty(n)  # mass that has left by each step
    for step in range(n):
        gone[step] = 1.0 - inside.sum()
        inside = kernel @ inside
    rest = math.ceil(math.log(3.0 * r / near) / -math.log1p(-eta))  # steps from 3 r to ``near`` without noise
    at_mode = float(np.sum(gone[:n - rest])) / n
    return error, at_mode - (2.0 * ndtr(near) - 1.0)


def second_moment_constant(amplitude: float, rate: float) -> float:
    """Return the least C with E||X||^2 <= C^2 for every X with P(||X|| >= s) <= min(1, A exp(-k s)).

    Integrates 2 s min(1, A exp(-k s)) over s > 0, for A >= 1 and k > 0.
    """
    log = math.log(amplitude)
    return math.sqrt(log * log + 2.0 * log + 2.0) / rate


def _second_moment() -> Numbers:
    A, k = 1.0, 1.0
    return (2.0 + 1.0 / k) * math.log(A / k**2), math.sqrt(2.0), second_moment_constant(A, k)


def _unrolled_maximum() -> Numbers:
    q, m, k = 0.1, 10, 100  # q = eta mu / 2
    anchor = error = 1.0
    for step in range(k):
        if step % m == 0:
            anchor = error
        error = (1.0 - q) * max(error, anchor)  # eq. 4.7 with equality, Omega = 0
    return (1.0 - q) ** k, error, (1.0 - q) ** math.ceil(k / m)


def _stale_anchor() -> Numbers:
    eta, curvatures = 0.1, (1.0, 3.0)  # f_i = a_i x^2 / 2; epochs of m = 1 step, batch b = 1, without noise
    mean = sum(curvatures) / 2.0
    spread = sum((a - mean) ** 2 for a in curvatures) / 2.0
    before, now = 1.0, 1.0 - eta * mean
    return spread * (now - before) ** 2, spread * (now - now) ** 2


def _condition_number() -> Numbers:
    return 2.0, prescription_exponents(1e-3, 1e6, 10, 1.0)["kappa"]


def _prior_scale() -> Numbers:
    lam = 1.0
    return lam / 2.0, lam


def _matrix_product() -> Numbers:
    product = np.diag([1.0, 100.0]) @ np.array([[1.0, -1.0], [-1.0, 1.0]])
    return 0.0, float(np.linalg.eigvalsh(0.5 * (product + product.T))[0])


def _cross_term() -> Numbers:
    rate, beta, curvature, gap = 0.1, 0.9, 1.0, -1.0  # R, beta_1, G, w_0 - w* with ell_1 = 1, ell_2 = 2: w* = 3, w_0 = 2
    cross = 0.0
    for first, second in itertools.product((-1.0, 1.0), repeat=2):  # H(1 - s) at the two iterations, each by a fair coin
        moved = gap - rate * (curvature * gap + first)
        kept = moved - rate * (curvature * moved + beta * curvature * gap)
        cross += -2.0 * kept * rate * (second + beta * first) / 4.0
    return 0.0, cross


def _segments() -> Numbers:
    t, level = 10, -100.0
    potential = np.full(t + 1, level)  # 1-based; constant
    n = math.ceil(t / 3)
    difference = potential[n + 1:2 * n + 1].sum() / n - potential[2 * n + 1:t + 1].sum() / n
    return abs(float(difference)), 0.0


def _first_distance() -> Numbers:
    beta, r, t = 0.9, 1e-3, 2  # the test passes after iteration 1: c = 1 at t = 2, and the weights have not moved
    moved, power = 0.0, 1
    distance = beta * 0.0 + (1.0 - beta) * moved
    scale = 1.0 - beta ** (power - 1)
    printed = r if t == 1 else distance / scale if scale else math.nan
    return printed, r
