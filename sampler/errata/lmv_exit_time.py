"""Numbers of the errata of LMV's exit-time lemma, its constants, and the way from the exit time to total variation."""

import math

import numpy as np
from scipy.special import j1, jn_zeros, ndtr

from sampler.errata.erratum import Numbers
from sampler.theory.azuma_bounds import azuma_bounds
from sampler.theory.theorem_constants import TheoremConstants, theorem_constants

OVERSHOOT = 0.5826  # mean overshoot of a Gaussian walk, -zeta(1/2)/sqrt(2 pi) standard deviations of a step


def planar_exit_probability(step_size: float, steps: int, radius: float) -> float:
    """Chance that the walk D <- D + sqrt(2 eta) xi from 0 in the plane leaves a ball.

    Brownian motion's eigenfunction series, with the radius moved out by the walk's mean overshoot (Siegmund, 1979):
    exact to some 1e-3 for thousands of steps.
    """
    roots = jn_zeros(0, 40)
    reach = radius + OVERSHOOT * math.sqrt(2.0 * step_size)
    decay = np.exp(-(roots**2) * step_size * steps / reach**2)
    return float(1.0 - np.sum(2.0 / (roots * j1(roots)) * decay))


def free_walk_bound(dim: int, step_size: float, steps: int, radius: float) -> float:
    """Exponential-supermartingale bound on the same chance, in any dimension, minimised over theta in closed form."""
    spread = 2.0 * dim * step_size * steps
    if spread >= radius**2:
        return 1.0
    return (spread / radius**2) ** (-0.5 * dim) * math.exp(-(radius**2 - spread) / (4.0 * step_size * steps))


def _printed(dim: int, eta: float, n: int, r: float) -> float:
    printed, _ = azuma_bounds(dim, eta, np.array([n]), r, start=0.0, noise_bound=0.0, smoothness=0.0)
    return float(printed[0])


def _azuma() -> Numbers:
    d, eta, n, r = 2, 5e-6, 100_000, 2.0
    return _printed(d, eta, n, r), planar_exit_probability(eta, n, r), free_walk_bound(d, eta, n, r)


def _exit_event() -> Numbers:
    d, eta, n, r = 2, 5e-3, 1, 10.0
    stays = -math.expm1(-(r**2) / (4.0 * eta))  # one step: ||sqrt(2 eta) xi|| is Rayleigh
    return _printed(d, eta, n, r), stays


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
    """KL divergence from N(0, 1) of the average law of x <- (1 - eta) x + sqrt(noise eta) xi over ``steps``, from 0."""
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
    """Least C with E||X||^2 <= C^2 for every X with P(||X|| >= s) <= min(1, A exp(-k s)).

    Integrates 2 s min(1, A exp(-k s)) over s > 0, for A >= 1 and k > 0.
    """
    log = math.log(amplitude)
    return math.sqrt(log * log + 2.0 * log + 2.0) / rate


def _second_moment() -> Numbers:
    A, k = 1.0, 1.0
    return (2.0 + 1.0 / k) * math.log(A / k**2), math.sqrt(2.0), second_moment_constant(A, k)
