"""Errata of ZXG, the SVRG-LD+ paper."""

import math

from sampler.errata.erratum import Counterexample, Erratum
from sampler.theory.svrg_corollaries import prescription_exponents


def _unrolled_maximum() -> Counterexample:
    q, m, k = 0.1, 10, 100  # q = eta mu / 2
    anchor = error = 1.0
    for step in range(k):
        if step % m == 0:
            anchor = error
        error = (1.0 - q) * max(error, anchor)  # eq. 4.7 with equality, Omega = 0
    return Counterexample("ημ/2 = 0.1, m = 10, k = 100, Ω₁ = Ω₂ = 0, start 1", "E‖Δ_k‖² that eq. 4.7 allows",
                          (1.0 - q) ** k, error, "at most", mended=(1.0 - q) ** math.ceil(k / m))


def _stale_anchor() -> Counterexample:
    eta, curvatures = 0.1, (1.0, 3.0)  # f_i = a_i x^2 / 2; epochs of m = 1 step, batch b = 1, without noise
    mean = sum(curvatures) / 2.0
    spread = sum((a - mean) ** 2 for a in curvatures) / 2.0
    before, now = 1.0, 1.0 - eta * mean
    return Counterexample("f_i = x²/2 and 3x²/2, m = 1, B = n, b = 1, x₀ = 1, η = 0.1, after one step without noise",
                          "variance of the gradient at an epoch’s first step", spread * (now - before) ** 2,
                          spread * (now - now) ** 2)


def _condition_number() -> Counterexample:
    return Counterexample(
        "M = 1, ε = 0.001, κ = 10⁶, each constant such that Theorem 3.5 promises ε, the longest epochs that it allows",
        "exponent of κ in the number T of gradients", printed=2.0,
        true=prescription_exponents(1e-3, 1e6, 10, 1.0)["kappa"])


def _prior_scale() -> Counterexample:
    lam = 1.0
    return Counterexample("λ = 1, no data, d = 1", "variance of π ∝ e^{−f}", printed=lam / 2.0, true=lam)


RECORDS = (
    Erratum("unrolled-maximum", "ZXG", "eq. 4.8", "false step",
            "an unrolled maximum",
            "Calling eq. 4.7, E_{k+1} ≤ (1 − ημ/2) max{E_k, E_{jm}} + Ω, k times gives (1 − ημ/2)^{k} E₀ + 2Ω/(ημ).",
            "Where the maximum is the anchor’s E_{jm}, one call goes back a whole epoch: k steps are ⌈k/m⌉ calls, and "
            "(1 − ημ/2)^{⌈k/m⌉} is all that follows. Theorem 3.5 itself is not refuted by this.", _unrolled_maximum),
    Erratum("stale-anchor", "ZXG", "Algorithm 1, line 12", "misprint",
            "an anchor one step old",
            "The next anchor is x_{(j+1)m−1}.",
            "x_{(j+1)m}, the last point: Lemma 4.2 has the anchor at x_{jm}, where the first batch of an epoch has no "
            "noise.", _stale_anchor),
    Erratum("condition-number", "ZXG", "Corollary 3.6 (eq. 3.1; eq. 3.3, Table 1)", "false step",
            "a condition number too few",
            "B = O(dσ²/(μ²ε²)), m = O(B) and η = O(με²/(dσ²)) make T = Õ(dσ²/(μ²ε²)) by Theorem 3.5.",
            "Theorem 3.5 asks for η ≤ 1/(6mM), so that k ≥ (4/ημ) log(W₂/ε) steps take 24κ log(W₂/ε) epochs or more: what "
            "follows is κ times as much, whatever the constants. On Gaussians m = B and the printed order are enough.",
            _condition_number),
    Erratum("prior-scale", "ZXG", "section 5.2", "misprint",
            "the prior’s variance halved",
            "The prior β ~ N(0, λI) contributes ‖β‖²/λ to f.", "‖β‖²/(2λ): the printed term is the prior N(0, λI/2).",
            _prior_scale),
)
