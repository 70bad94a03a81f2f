"""Errata of LMV's exit-time lemma and of the constants drawn from it (LMV-a sections 6.2 and 6.4)."""

import math

import numpy as np
from scipy.special import j1, jn_zeros

from sampler.errata.erratum import Counterexample, Erratum
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


def _azuma() -> Counterexample:
    d, eta, n, r = 2, 5e-6, 100_000, 2.0
    return Counterexample(
        "F = 0, d = 2, n = 100,000 steps, 2ηn = 1, r = 2, from the mode; the best C_ξ", "chance of leaving the ball",
        _printed(d, eta, n, r), planar_exit_probability(eta, n, r), "at most", mended=free_walk_bound(d, eta, n, r))


def _event() -> Counterexample:
    d, eta, n, r = 2, 5e-3, 1, 10.0
    stays = -math.expm1(-(r**2) / (4.0 * eta))  # one step: ||sqrt(2 eta) xi|| is Rayleigh
    return Counterexample("F = 0, d = 2, one step, 2η = 0.01, r = 10", "P(G), the chance of staying in the ball",
                          _printed(d, eta, n, r), stays, "at most")


def _drift() -> Counterexample:
    d, eta, n = 2, 5e-6, 100_000
    return Counterexample(
        "F = 0, d = 2, n = 100,000, 2ηn = 1 (step √(2η) ξ)", "mean rise of the squared distance over the n steps",
        printed=n * (2.0 * eta * d) ** 2, true=n * 2.0 * eta * d)


def _constants() -> TheoremConstants:
    return theorem_constants(1000, 0.1, 21, smoothness=1.5, concentration=1.0, drift=1.0)


def _i_max() -> Counterexample:
    found, L, D = _constants(), 1.5, 1.0
    bound = 10.0 * (L * found.escape_radius * (found.C1 + D)) ** 2 / found.eps2**4
    return Counterexample("T = 1,000, ε = 0.1, d = 21, L = 1.5, k = 1, D = 1", "i_max of eq. 66", bound,
                          float(found.i_max), "at most", mended=4.0 * bound + 1.0)


def _cutoff() -> Counterexample:
    found, d = _constants(), 21

    def tail(eps: float) -> float:  # i_max exp(-(C_xi^2 - d)/8) with C_xi^2 = 2 d + 8 log(2 i_max / eps)
        return 0.5 * eps * math.exp(-d / 8.0)

    return Counterexample(
        "T = 1,000, ε = 0.1, d = 21", "i_max exp(−(C_ξ² − d)/8), which eq. 74 needs at or below ε₁ / 2",
        printed=0.5 * found.eps1, true=tail(found.eps2), relation="at most")


RECORDS = (
    Erratum("azuma", "LMV-a", "Lemma 6.3, eq. 18, 34 and 38", "false statement",
            "Azuma’s inequality without the sum",
            "P(exit) ≤ i_max [exp(−λ²/(2c²)) + exp(−(C_ξ² − d)/8)], c the largest change of one step.",
            "Azuma’s inequality divides by the sum of the squared changes, i_max c². So corrected the bound is true and "
            "says nothing at any setting in use; an exponential supermartingale gives one that holds and is sharp.",
            _azuma),
    Erratum("exit-event", "LMV-a", "Lemma 6.3, eq. 18", "misprint",
            "staying for leaving",
            "P(G) ≤ …, where G is the event that the chain stays in the ball.",
            "The right-hand side bounds the chance that it does not stay, P(not G).", _event),
    Erratum("drift-square", "LMV-a", "Lemma 6.3, condition and eq. 18", "misprint",
            "a squared drift",
            "r² > ‖X₀ − x*‖² + i_max [2η²(S² + L²r²) + ηd]², and the same square in eq. 18.",
            "No square: eq. 33 has none, and it would compare a squared length with its square. In eq. 30 the other "
            "square is missing, of ‖X′ − x*‖.", _drift),
    Erratum("steps-bound", "LMV-a", "eq. 86 and 87", "misprint",
            "four times too few steps",
            "i_max ≤ 10 L²R²(C₁ + D)²/ε₂⁴.",
            "40 in place of 10, by eq. 66; the factor 4 is lost in a logarithm afterwards.", _i_max),
    Erratum("cutoff", "LMV-a", "section 6.4, before eq. 78", "misprint",
            "the wrong ε in the noise’s cut-off",
            "C_ξ = √(2d + 8 log(2 i_max/ε₂)) makes the second term small enough.",
            "ε₁ in place of ε₂ (a chance an epoch, not an error a doubling): the printed value allows the noise’s "
            "cut-off more than the whole of eq. 74 may cost.", _cutoff),
)
