"""Stationary covariance of a chain near the mode under stochastic gradient noise, in loops without LAPACK.

`sampler.theory.gradient_noise` has the formulas.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.gradient_noise import in_modes
from sampler.kernels.small_linear_algebra import jacobi

MOST_PASSES = 30  # passes over the rows until the covariance converges
SMALL = 40  # dimension above which two passes are made and the limit is extrapolated
CLOSE = 1e-3  # relative to the target's variance: smaller changes end the passes


@kernel()
def settle(feedback, source):
    """Solve x = source + F x for F >= 0 (d, d) into ``source`` (d,); return False unless F's spectral radius is below 1.

    Elimination without pivoting meets a nonpositive pivot of I - F exactly if I - F is not an M-matrix (Berman and Plemmons,
    Nonnegative Matrices, theorem 6.2.3). F is overwritten.
    """
    d = source.size
    for i in range(d):
        pivot = 1.0 - feedback[i, i]
        if not pivot > 0.0:
            return False
        for j in range(i + 1, d):
            factor = feedback[j, i] / pivot
            for q in range(i + 1, d):
                feedback[j, q] += factor * feedback[i, q]
            source[j] += factor * source[i]
    for i in range(d - 1, -1, -1):
        for j in range(i + 1, d):
            source[i] += feedback[i, j] * source[j]
        source[i] /= 1.0 - feedback[i, i]
    return True


@kernel(inner=True)
def _noise_of(model, covariance, t, spread, common, b, out):
    """Write the noise N of chains with this covariance, minus SGLD's part at the mode, into ``out`` (d, d)."""
    d, m = covariance.shape[0], model.turned.shape[0]
    anchored, shared = np.empty((d, d)), np.empty((d, d))
    for i in range(d):
        for j in range(d):
            anchored[i, j] = covariance[i, j] * (spread[i] + spread[j]) / 2
            shared[i, j] = covariance[i, j] * (common[i] + common[j]) / 2
            if m == 0:
                shared[i, j] -= anchored[i, j]
    in_modes(shared, model.likelihood, out)  # the likelihood is symmetric
    for i in range(d):
        for j in range(d):
            out[i, j] *= -1.0 / b
    for k in range(m):
        row, scale = model.turned[k], 0.0
        for i in range(d):
            for j in range(d):
                scale += row[i] * anchored[i, j] * row[j]
        scale *= model.curvatures[k] ** 2 * (t / m) * t / b
        for i in range(d):
            for j in range(d):
                out[i, j] += scale * row[i] * row[j]


@kernel()
def stationary(model, t, step_size, batch_size, variance_reduction, covariance):
    """Write the chain's covariance about the mode, in the model's eigenbasis, into ``covariance`` (d, d).

    Return False if there is none: the variance is unbounded.
    """
    lam, eta, b = model.eigenvalues, step_size, batch_size
    d = lam.size
    if not eta * lam[d - 1] < 2.0:
        return False
    spread, common = np.ones(d), np.ones(d)
    floor, change, noise = np.zeros((d, d)), np.empty((d, d)), np.empty((d, d))
    if variance_reduction:
        p = 0.0
        for _ in range(b):
            p += (1.0 - p) / t
        for i in range(d):
            rho = 1.0 - eta * lam[i]
            kept = rho / (1.0 - (1.0 - p) * rho)
            spread[i] = 2.0 * (1.0 - p * kept)
            common[i] = 1.0 - 2.0 * p * kept + p / (2.0 - p) * (1.0 + 2.0 * (1.0 - p) * kept)
    else:
        for i in range(d):
            for j in range(d):
                floor[i, j] = t * model.floor[i, j] / b * t
    weighted, source = np.zeros((d, d)), np.empty(d)
    for k in range(model.turned.shape[0]):
        row, h = model.turned[k], model.curvatures[k]
        for i in range(d):
            for j in range(d):
                weighted[i, j] += (h * row[i] * row[j]) ** 2
    for i in range(d):
        base = 1.0 / (lam[i] * (1.0 - eta * lam[i] / 2))
        source[i] = base * (1.0 + 0.5 * eta * floor[i, i])
        for j in range(d):
            square = model.likelihood[i, j] ** 2
            fourth = square if model.turned.shape[0] == 0 else weighted[i, j] / model.turned.shape[0] * t * t
            noise[i, j] = 0.5 * eta * base * (fourth * spread[j] - square * common[j]) / b
    if not settle(noise, source):
        return False
    for i in range(d):
        for j in range(d):
            covariance[i, j] = source[i] if i == j else 0.0
    growth, size = 0.0, np.inf
    scaled, none = np.empty((d, d)), np.empty((0, d))
    for _ in range(MOST_PASSES if d <= SMALL else 2):
        before = size
        _noise_of(model, covariance, t, spread, common, b, noise)
        for i in range(d):
            for j in range(d):
                lost = eta * (lam[i] + lam[j]) - eta**2 * lam[i] * lam[j]  # 1 - rho_i rho_j without cancellation
                injected = 2.0 * eta if i == j else 0.0
                change[i, j] = (injected + eta**2 * (floor[i, j] + noise[i, j])) / lost - covariance[i, j]
                covariance[i, j] += change[i, j]
                scaled[i, j] = change[i, j] * np.sqrt(lam[i] * lam[j])
        jacobi(scaled, none)
        size = max(abs(scaled[0, 0]), abs(scaled[d - 1, d - 1]))
        growth = size / before if size > 0.0 else 0.0
        if size <= CLOSE * (1.0 - min(growth, 0.99)):
            break
    if not growth < 1.0 or not size <= 1.0:  # changes grow, or the last one exceeds the target's variance
        return False
    for i in range(d):
        for j in range(d):
            covariance[i, j] += change[i, j] * growth / (1.0 - growth)  # the remaining changes as a geometric series
    return True
