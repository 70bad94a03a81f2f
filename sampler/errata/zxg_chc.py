"""Numbers of the errata of ZXG, the SVRG-LD+ paper, and of CHC, the Hot DoG paper."""

import itertools
import math

import numpy as np

from sampler.errata.erratum import Numbers
from sampler.theory.svrg_theorem import prescription_exponents


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
