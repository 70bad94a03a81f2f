"""Errata of LMV's application to logistic regression, its example, lower bound and inequalities (LMV-a 8 and 10 to 12)."""

import math

import numpy as np
from scipy.special import binom, ndtr

from sampler.errata.erratum import Counterexample, Erratum
from sampler.errata.lmv_algorithm import curvature_at_zero


def _restricted_covariance() -> Counterexample:
    share = 1.0 / (1.0 + math.exp(-2.0))
    return Counterexample(
        "d = 1, u = ±1, θ₀ = 0, C₁ = 2: E[u² 1(|uθ₀| ≤ 2)] = 1 = σ", "Fisher information E[φ(uθ₀) φ(−uθ₀) u²]",
        printed=1.0 / (share * (1.0 - share)), true=0.25, relation="at least", mended=share * (1.0 - share))


def _posterior_tail() -> Counterexample:
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
    return Counterexample(
        "intercept of a logistic regression, 10,000 labels, half of them 1, α = 1, r = 0.5, C = C′ = 4, K₁ = 1",
        "log₁₀ P(‖θ − θ*‖ ≥ C′/√T)", printed / ten, math.log10(tail), "at most", mended=mended / ten)


def _initial_constant() -> Counterexample:
    alpha = 1000.0  # d = 1, L = alpha: N(0, 1/alpha)
    constant = (1.0 + 8.0 * math.sqrt(math.pi)) / alpha
    return Counterexample("d = 1, T_min L = α = 1,000, π = N(0, 1/α)", "W₂ distance of π from its mode", constant,
                          math.sqrt(1.0 / alpha), "at most", mended=math.sqrt(constant))


def _martingale_tail() -> Counterexample:
    T, c = 16, 8
    sums = 2 * np.arange(T + 1) - T
    tail = float(binom(T, np.arange(T + 1))[np.abs(sums) >= c].sum()) / 2.0**T
    return Counterexample("d = 1, T = 16 fair signs ±1 (M = 1), c = 8", "P(|ΣX_t| ≥ c)", 2.0 * math.exp(-0.5 * c**2 * T),
                          tail, "at most", mended=2.0 * math.exp(-0.5 * c**2 / T))


def _strongly_convex_moment() -> Counterexample:
    d, kappa = 20, 1000.0
    bound = (math.sqrt(8.0 * d * math.log(kappa)) + d) ** 2 + 8.0 * d * math.sqrt(math.pi)
    return Counterexample("d = 20, κ = L/α = 1,000", "E‖Y − x*‖² in units of d/α, largest over all such f", bound / d,
                          1.0, "at most", mended=1.0)


def _example_smoothness() -> Counterexample:
    return Counterexample("f(θ) = (y − θ)², y = 0", "largest second derivative of a term, L", 1.0,
                          curvature_at_zero(lambda theta: theta * theta), "at most", mended=2.0)


def _example_posterior() -> tuple[float, float, float]:
    """Return Sigma, and the posterior's mean and variance by quadrature, for z = y = 1 four times."""
    theta = np.linspace(-4.0, 6.0, 10_001)
    weight = np.exp(-4.0 * (1.0 - theta) ** 2)
    weight /= weight.sum()
    mean = float(weight @ theta)
    return 0.25, mean, float(weight @ (theta - mean) ** 2)


def _example_variance() -> Counterexample:
    sigma, _, variance = _example_posterior()
    return Counterexample("d = 1, four data z = y = 1", "posterior variance", sigma, variance, mended=sigma / 2.0)


def _example_mean() -> Counterexample:
    sigma, mean, _ = _example_posterior()
    return Counterexample("d = 1, four data z = y = 1", "posterior mean", math.sqrt(sigma) * 4.0, mean, mended=sigma * 4.0)


def _hardness() -> Counterexample:
    return Counterexample("difference of the means N(0, 2/t)", "P(|μ₁ − μ₂| ≥ 1/√t)", 0.5,
                          float(2.0 * ndtr(-math.sqrt(0.5))), "at least", mended=0.4795)


RECORDS = (
    Erratum("fisher-information", "LMV-a", "Remark 8.3, eq. 103", "misprint",
            "an inverted constant",
            "E[uuᵀ 1(φ(uᵀθ₀) ≤ C₁)] ⪰ σI implies Fisher information ⪰ σI/(φ(C₁)(1 − φ(C₁))).",
            "Times φ(C₁)(1 − φ(C₁)), not divided by it; and |uᵀθ₀| ≤ C₁ in the indicator: φ is never above 1.",
            _restricted_covariance),
    Erratum("posterior-tail", "LMV-a", "Theorem 8.1, part 2 (eq. 113, 123; Theorem 8.2, part 2)", "false statement",
            "a tail that falls with T",
            "P(‖θ − θ*‖ ≥ C′/√T) falls like exp(−(σ′C)² T/(2L′)) in T, for fixed C and C′.",
            "It tends to a Gaussian’s tail, which does not depend on T. In eq. 113 a potential that is σT-strongly convex "
            "is at least σC²/2 at distance C/√T; the printed σ²C²T/(2L) is T times a constant. No K and K₁ repair it.",
            _posterior_tail),
    Erratum("initial-constant", "LMV-a", "proof of Theorem 2.4, after eq. 144", "misprint",
            "a square root left out",
            "W₂(π_t, δ) ≤ C̃, with C̃ the bound of Lemma 12.2.",
            "Lemma 12.2 bounds the square: √C̃.", _initial_constant),
    Erratum("martingale-tail", "LMV-a", "Lemma 12.1 and eq. 105", "misprint",
            "a sum for an average",
            "P(‖ΣX_t − S_T‖ ≥ c) ≤ 2d exp(−c²T/(2M²d)).",
            "c²/T in place of c²T; the printed exponent belongs to the average (1/T)Σ, which eq. 105 needs.",
            _martingale_tail),
    Erratum("second-moment-bound", "LMV-a", "Lemma 12.2", "loose bound",
            "156 times what is so",
            "An α-strongly convex, L-Lipschitz f has E‖Y − x*‖² ≤ [(√(8d log(L/α)) + d)² + 8d√π]/α.",
            "E‖Y − x*‖² ≤ d/α: integration by parts gives E⟨∇f(Y), Y − x*⟩ = d, and a Gaussian attains it. L-smooth is "
            "meant: no strongly convex function on ℝᵈ is Lipschitz.", _strongly_convex_moment),
    Erratum("example-smoothness", "LMV-a", "section 10", "misprint",
            "L of the example",
            "f_k(θ) = (y_k − θ)² satisfies Assumption 1 with L = 1.", "L = 2.", _example_smoothness),
    Erratum("example-variance", "LMV-a", "section 10", "misprint",
            "variance of the example",
            "e^{−(θ − μ)ᵀΣ⁻¹(θ − μ)} is the density of N(μ, Σ).",
            "Of N(μ, Σ/2), as the same section has it for d = 1: variance 1/(2t).", _example_variance),
    Erratum("example-mean", "LMV-a", "section 10", "misprint",
            "mean of the example",
            "μ = Σ^{1/2} Σ y_k z_k.", "μ = Σ Σ_k y_k z_k: the matrix itself, not its root.", _example_mean),
    Erratum("hardness", "LMV-a", "section 11", "false statement",
            "0.4795, not 1/2",
            "|μ₁ − μ₂| ≥ 1/√t with probability at least 1/2.",
            "0.4795 by N(0, 2/t), as printed; 0.617 by N(0, 4/t), which two halves drawn with repetition have. The "
            "conclusion stands: there the total variation is .52, far more than the 1/10 it needs.", _hardness),
)
