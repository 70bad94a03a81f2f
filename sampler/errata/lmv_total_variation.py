"""Errata of LMV's way from the exit time to total variation (LMV-a section 6.3; LMV-n Assumption 2)."""

import math

import numpy as np
from scipy.special import ndtr

from sampler.errata.erratum import Counterexample, Erratum


def averaged_divergence(noise: float, step_size: float, steps: int) -> float:
    """KL divergence from N(0, 1) of the average law of x <- (1 - eta) x + sqrt(noise eta) xi over ``steps``, from 0."""
    shrink = (1.0 - step_size) ** 2
    variances = noise * step_size * (1.0 - shrink ** np.arange(1, steps + 1)) / (1.0 - shrink)
    x, width = np.linspace(-8.0, 8.0, 1601, retstep=True)
    density = np.mean(np.exp(-0.5 * x[:, None] ** 2 / variances) / np.sqrt(2.0 * np.pi * variances), axis=1)
    target = np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi)
    return float(width * np.sum(density * np.log(np.maximum(density, 1e-300) / target)))


def _half_noise() -> Counterexample:
    epsilon, eta, n = 0.05, 0.025, 800  # f = x^2/2 from its mode: eta = eps/(2 L d), n = W2^2/(eta eps)
    return Counterexample("f = x²/2, exact gradient, from the mode, ε = 0.05, η = 0.025, n = 800",
                          "KL divergence of the averaged law from π", epsilon, averaged_divergence(1.0, eta, n), "at most")


def _quiet_outside() -> Counterexample:
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
    return Counterexample(
        "F = x²/2, ball of radius 2, η = 0.05, from the mode, last step uniform in 1 … 4,000",
        "total variation between the second chain and π (its lower bound)",
        printed=error, true=at_mode - (2.0 * ndtr(near) - 1.0), relation="at most")


def second_moment_constant(amplitude: float, rate: float) -> float:
    """Least C with E||X||^2 <= C^2 for every X with P(||X|| >= s) <= min(1, A exp(-k s)).

    Integrates 2 s min(1, A exp(-k s)) over s > 0, for A >= 1 and k > 0.
    """
    log = math.log(amplitude)
    return math.sqrt(log * log + 2.0 * log + 2.0) / rate


def _second_moment() -> Counterexample:
    A, k = 1.0, 1.0
    return Counterexample("A = k = 1, π(x) ∝ e^{−|x|}", "root of the second moment", (2.0 + 1.0 / k) * math.log(A / k**2),
                          math.sqrt(2.0), "at most", mended=second_moment_constant(A, k))


RECORDS = (
    Erratum("half-noise", "LMV-a", "eq. 39 (and eq. 15 to 38, 53)", "misprint",
            "half the noise",
            "x ← x − η g(x) + √η ξ samples from π ∝ e^{−f}.",
            "√(2η) ξ, as in Algorithm 1: with √η the chain’s target is e^{−2f}, half the variance, whatever η.",
            _half_noise),
    Erratum("quiet-outside", "LMV-a", "eq. 53 and 58", "false step",
            "no noise outside the ball",
            "The second chain moves by −η∇F alone once it has left the ball, and Lemma 6.4 applies to it.",
            "Without noise it is no Langevin chain, falls to the mode and stays there. Keeping the noise, with the exact "
            "gradient outside, mends the step: the variance bound needs no more.", _quiet_outside),
    Erratum("second-moment", "LMV-n", "after Assumption 2, and Theorem 2.1", "false statement",
            "a second moment of 0",
            "Assumption 2 bounds the root of the second moment by C/√(t + c) with C = (2 + 1/k) log(A/k²).",
            "C = √(log²A + 2 log A + 2)/k, the least that will do. The printed C is 0 at A = k = 1, negative for larger k.",
            _second_moment),
)
