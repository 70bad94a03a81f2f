"""Errata of LMV's algorithms, model and experiment (sections 2, 3 and 9; LMV-n section 5)."""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from sampler.errata.erratum import Counterexample, Erratum
from sampler.racing.figure_one import PRINTED


def curvature_at_zero(f: Callable[[float], float], step: float = 1e-3) -> float:
    """Second derivative of a function of one variable at 0, by a central difference."""
    return (f(step) - 2.0 * f(0.0) + f(-step)) / step**2


def _acceptance_ball() -> Counterexample:
    t, checkpoint, c = 4, 2, 1.0
    ball = 2.5 / math.sqrt(t - 1 + c)  # C' = 2.5 (C1 + D), over LMV-a's root
    reset_point = 1.0 / math.sqrt(checkpoint + c)  # the checkpoint's own distance (C1) and the mode's drift (D)
    return Counterexample(
        "t = 4, checkpoint 2, c = 1", "largest distance of the epoch’s start from the mode, in (C₁ + D)/√(t + c)",
        printed=4.0, true=(ball + reset_point) * math.sqrt(t + c), relation="at most")


def _ladder() -> Counterexample:
    T, beta, last = 1024, 1.0 / 1024, 0.0
    while beta < 1.0:
        last, beta = beta, max(2.0 * beta, 1.0)
    return Counterexample(f"T = {T:,}", "inverse temperature β of the last epoch that is run", printed=last, true=1.0)


def _step_size() -> Counterexample:
    eta0, L, t, c = 0.1, 1.0, 1000, 1.0
    return Counterexample(
        "η₀ = 0.1, L = 1, t = 1,000, c = 1", "step size times curvature, η_t L (t + c); above 2 the chain diverges",
        printed=eta0 / math.sqrt(t + c) * L * (t + c), true=eta0 / (t + c) * L * (t + c))


def _prior() -> Counterexample:
    alpha = 1.0
    return Counterexample(
        "d = 1, α = 1", "second derivative of f₀ at 0; below 0 it is not convex",
        printed=curvature_at_zero(lambda x: math.exp(-0.5 * alpha * x * x)),
        true=curvature_at_zero(lambda x: 0.5 * alpha * x * x))


def _labels() -> Counterexample:
    n = 10  # data with x = 0 and y = 0: only the intercept b matters
    mode = brentq(lambda b: b - n / (1.0 + math.exp(b)), 0.0, 10.0)  # of exp(-b^2/2) phi(b)^n
    return Counterexample("10 data with x = 0 and label 0", "most probable intercept b", printed=mode, true=-mode)


def _marginal_accuracy() -> Counterexample:
    return Counterexample(
        "SGLD in the table of the same page", "marginal accuracy; by the formula no law scores less than 1/2",
        printed=0.5, true=PRINTED["sgld"], relation="at least", mended=0.0)


def _gradient_variance() -> Counterexample:
    t, b, L = 1000, 9, 1.0
    curvatures = np.arange(t) % 2 * L  # f_k = a_k x^2 / 2 with a_k = 0, 1, 0, 1, ...
    delta = curvatures / math.sqrt(t)  # anchors at distance 1/sqrt(t): gradients differ by a_k / sqrt(t)
    return Counterexample(
        "t = 1,000, b = 9, half of the terms x²/2, the others 0, anchors at distance 1/√t",
        "variance of the stochastic gradient; the text’s order, and Lemma 6.2’s bound when mended",
        printed=L**2 / t, true=t**2 / b * float(delta.var()), relation="at most", mended=t * L**2 / b)


RECORDS = (
    Erratum("acceptance-ball", "LMV-a", "Algorithm 2, line 4", "misprint",
            "the acceptance ball is too wide",
            "The last sample is kept as a warm start within C′/√(t − 1 + c) of the checkpoint.",
            "√(t + c), as LMV-n has it: eq. 50 and 51 of the proof need that ball, and the printed one is infinite at "
            "t = 1, c = 0.", _acceptance_ball),
    Erratum("ladder", "LMV-a", "Algorithm 3, lines 3 to 5", "misprint",
            "the ladder ends after one rung",
            "β ← max{2β, 1}, while β < 1.",
            "min{2β, 1}, and a last epoch at β = 1. As printed the chain is run at β = 1/T alone; with the minimum but "
            "without the last epoch it would stop at β = 1/2.", _ladder),
    Erratum("step-size", "LMV-a", "eq. 70", "misprint",
            "a square root in the step size",
            "η_t = η₀/√(t + L₀/L).", "η_t = η₀/(t + L₀/L), as in Algorithm 2 and Lemma 6.6.", _step_size),
    Erratum("prior", "LMV-a", "Problem 2.3 (LMV-n: Problem 2.2)", "misprint",
            "the prior’s term is not convex",
            "The prior’s term is f₀(θ) = exp(−α‖θ‖²/2).",
            "f₀(θ) = α‖θ‖²/2. As printed the target e^{−Σf} is no Gaussian prior’s, and f₀ is not convex.", _prior),
    Erratum("labels", "LMV-a", "section 9 (LMV-n: section 5)", "misprint",
            "the posterior does not see the labels",
            "p_t(θ) ∝ e^{−‖θ‖²/2} e^{−b²/2} ∏ φ(θᵀx_s + b).",
            "φ(±(θᵀx_s + b)) with the sign of the label y_s: the printed posterior does not see the labels.", _labels),
    Erratum("marginal-accuracy", "LMV-a", "section 9 (LMV-n: section 5)", "misprint",
            "which distance the accuracy takes",
            "MA = 1 − (1/2d) Σ ‖μ_i − π_i‖_TV.",
            "1 − (1/d) Σ TV: with the printed formula no sampler scores below 1/2, and the table has SGLD at 0.442. "
            "Twice the total variation, the L1 norm, is meant.", _marginal_accuracy),
    Erratum("gradient-variance", "LMV-a", "section 4.1 (LMV-n: section 3)", "misprint",
            "the gradient’s variance grows with t",
            "Anchors at distance Õ(1/√t) bound the variance of the stochastic gradient by Õ(1/t).",
            "Õ(t): Lemma 6.2’s (t²/b) L² max‖x − u‖² has a factor t², and the same page says Õ(t) too.",
            _gradient_variance),
)
