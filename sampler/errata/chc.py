"""Errata of CHC, the Hot DoG paper."""

import itertools
import math

import numpy as np

from sampler.errata.erratum import Counterexample, Erratum


def _matrix_product() -> Counterexample:
    product = np.diag([1.0, 100.0]) @ np.array([[1.0, -1.0], [-1.0, 1.0]])
    return Counterexample(
        "A = diag(1, 100), Q = [[1, −1], [−1, 1]]", "least xᵀAQx over unit vectors x", printed=0.0,
        true=float(np.linalg.eigvalsh(0.5 * (product + product.T))[0]), relation="at least")


def _cross_term() -> Counterexample:
    rate, beta, curvature, gap = 0.1, 0.9, 1.0, -1.0  # R, beta_1, G, w_0 - w* with ell_1 = 1, ell_2 = 2: w* = 3, w_0 = 2
    cross = 0.0
    for first, second in itertools.product((-1.0, 1.0), repeat=2):  # H(1 - s) at the two iterations, each by a fair coin
        moved = gap - rate * (curvature * gap + first)
        kept = moved - rate * (curvature * moved + beta * curvature * gap)
        cross += -2.0 * kept * rate * (second + beta * first) / 4.0
    return Counterexample(
        "M = 1, N = 2, S = 1, ℓ₁ = 1, ℓ₂ = 2, R = 0.1, β₁ = 0.9, t = 2; the term beside it is 0.0181",
        "middle term of eq. 13’s expansion", printed=0.0, true=cross)


def _segments() -> Counterexample:
    t, level = 10, -100.0
    potential = np.full(t + 1, level)  # 1-based; constant
    n = math.ceil(t / 3)
    difference = potential[n + 1:2 * n + 1].sum() / n - potential[2 * n + 1:t + 1].sum() / n
    return Counterexample("constant log-potential −100, t = 10", "difference of the means of segments two and three",
                          printed=abs(float(difference)), true=0.0)


def _first_distance() -> Counterexample:
    beta, r, t = 0.9, 1e-3, 2  # the test passes after iteration 1: c = 1 at t = 2, and the weights have not moved
    moved, power = 0.0, 1
    distance = beta * 0.0 + (1.0 - beta) * moved
    scale = 1.0 - beta ** (power - 1)
    printed = r if t == 1 else distance / scale if scale else math.nan
    return Counterexample("the hot-start test passes after iteration 1", "distance d̂ of the first update, 0/(1 − β₁⁰)",
                          printed=printed, true=r)


RECORDS = (
    Erratum("matrix-product", "CHC", "proof of Lemma C.6", "false step",
            "a product that is not positive",
            "A diagonal and Q ⪰ 0 give AQ ⪰ 0, since AQ and A^{1/2}QA^{1/2} have the same eigenvalues.",
            "AQ is not symmetric, and its quadratic form, which the lemma uses, can be negative.", _matrix_product),
    Erratum("cross-term", "CHC", "eq. 13", "false step",
            "a cross term that stays",
            "The cross term vanishes because E[1 − s] = 0.",
            "Only the latest subsample is independent of the rest: with momentum (β₁ > 0) the earlier ones have moved w "
            "already, and R contains them all.", _cross_term),
    Erratum("segments", "CHC", "Algorithm 3", "misprint",
            "segments of unequal length",
            "With n = ⌈t/3⌉ the segments are n+1 … 2n and 2n+1 … t, and both sums are divided by n.",
            "The last segment is shorter when 3 does not divide t, and its mean is too small: three equal segments at the "
            "end are meant.", _segments),
    Erratum("first-distance", "CHC", "Algorithm 2", "misprint",
            "0/0 at the first update",
            "d̂ = r at t = 1, else d/(1 − β₁^{c−1}).",
            "d̂ = r at c = 1, the first update: when the hot-start test passes later than at the start, the printed line "
            "divides 0 by 0.", _first_distance),
)
