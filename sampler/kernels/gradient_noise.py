"""Noise of the stochastic gradient at the mode, and the covariance that it gives a chain: `sampler.theory.gradient_noise`.

The formulas stand there; here they are loops, without LAPACK. A metric P^-1 is always passed, the identity where steps are
along g itself.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.glm_langevin import LINEAR, LOGISTIC, means_inplace
from sampler.kernels.small_linear_algebra import eigen, jacobi

MOST_ROWS = 5000  # rows read; beyond, evenly spaced ones stand for all
MOST_PASSES = 30  # over the rows, until the covariance stands still
SMALL = 40  # dimensions above which two passes are made, and the rest is extrapolated
CLOSE = 1e-3  # of the target's variance: changes below it end the passes


class NoiseModel(NamedTuple):
    """What the noise is made from, in the eigenbasis of H in the metric."""

    eigenvalues: np.ndarray  # (d,), smallest first
    vectors: np.ndarray  # columns in X's coordinates, (d, d)
    to_modes: np.ndarray  # metric times vectors, (d, d)
    turned: np.ndarray  # rows, (m, d); none where all terms have the same Hessian
    curvatures: np.ndarray  # h_k, (m,)
    likelihood: np.ndarray  # H without the prior, (d, d)
    floor: np.ndarray  # covariance of the terms' gradients, (d, d)


@kernel()
def largest_curvature(hessian, metric, curvature):
    """Write the largest eigenvalue of H, which is overwritten, in the metric into ``curvature`` (1,); False without one."""
    d = hessian.shape[0]
    values, vectors = np.empty(d), np.empty((d, d))
    for i in range(d):
        for j in range(d):
            if not abs(hessian[i, j]) < np.inf:
                return False
    if not eigen(hessian, metric, np.empty((d, d)), values, vectors):
        return False
    curvature[0] = values[d - 1]
    return True


@kernel(inner=True)
def stride_of(t):
    """How far apart the rows are that are read."""
    return -(-t // MOST_ROWS)


@kernel(inner=True)
def _in_modes(matrix, vectors, out):
    """Out = V' matrix V."""
    d = out.shape[0]
    half = np.zeros((d, d))
    for i in range(d):
        for j in range(d):
            for q in range(d):
                half[i, j] += matrix[i, q] * vectors[q, j]
    for i in range(d):
        for j in range(d):
            out[i, j] = 0.0
            for q in range(d):
                out[i, j] += vectors[q, i] * half[q, j]


@kernel(inner=True)
def _covariance(gradients, out):
    """Covariance of rows (m, d), divisor m."""
    m, d = gradients.shape
    mean = np.zeros(d)
    for gradient in gradients:
        for q in range(d):
            mean[q] += gradient[q] / m
    for i in range(d):
        for j in range(d):
            out[i, j] = 0.0
            for gradient in gradients:
                out[i, j] += (gradient[i] - mean[i]) * (gradient[j] - mean[j]) / m


@kernel(inner=True)
def _turn(rows, step, vectors, scale, out):
    """Out = scale times every step-th row times V."""
    for j in range(out.shape[0]):
        for i in range(vectors.shape[0]):
            out[j, i] = 0.0
            for q in range(vectors.shape[0]):
                out[j, i] += scale * rows[j * step, q] * vectors[q, i]


@kernel()
def glm_noise(kind, rows, targets, t, mode, hessian, prior, metric, model):
    """Fill a model from the first t rows of a one-score model; False where a matrix is not positive definite.

    Parameters
    ----------
    mode, hessian : (d,), (d, d) arrays
    prior : (d, d) array
        Its precision.
    metric : (d, d) array
    model : NoiseModel
        Its rows have room for ``-(-t // stride_of(t))``, and no more.
    """
    d, m, step = mode.size, model.turned.shape[0], stride_of(t)
    if not _modes(hessian, metric, prior, model):
        return False
    means, rest, gradients = np.zeros(m), np.empty(m), np.empty((m, d))
    for j in range(m):
        for q in range(d):
            means[j] += rows[j * step, q] * mode[q]
        rest[j] = -means[j]
    means_inplace(kind, means)
    means_inplace(kind, rest)  # logistic: 1 less the mean, without that difference's rounding
    _turn(rows, step, model.vectors, 1.0, model.turned)
    for j in range(m):
        model.curvatures[j] = means[j] * rest[j] if kind == LOGISTIC else (1.0 if kind == LINEAR else means[j])
        for q in range(d):
            gradients[j, q] = (means[j] - targets[j * step]) * model.turned[j, q]
    _covariance(gradients, model.floor)
    return True


@kernel()
def gaussian_noise(rows, t, hessian, prior, metric, model):
    """The same of the mean of a Gaussian, whose term k has the gradient 2 (x - y_k)."""
    d, step = hessian.shape[0], stride_of(t)
    gradients = np.empty((-(-t // step), d))
    if not _modes(hessian, metric, prior, model):
        return False
    _turn(rows, step, model.vectors, -2.0, gradients)
    _covariance(gradients, model.floor)
    return True


@kernel(inner=True)
def _modes(hessian, metric, prior, model):
    """Eigenvalues, vectors and what is left of H without the prior; H is overwritten. Whether all are positive."""
    d = hessian.shape[0]
    likelihood = np.empty((d, d))
    for i in range(d):
        for j in range(d):
            likelihood[i, j] = hessian[i, j] - prior[i, j]
    if not eigen(hessian, metric, np.empty((d, d)), model.eigenvalues, model.vectors):
        return False
    for i in range(d):
        for j in range(d):
            model.to_modes[i, j] = 0.0
            for q in range(d):
                model.to_modes[i, j] += metric[i, q] * model.vectors[q, j]
    _in_modes(likelihood, model.vectors, model.likelihood)
    return model.eigenvalues[0] > 0.0


@kernel()
def settle(feedback, source):
    """Solve x = source + F x for F >= 0, (d, d), into ``source`` (d,); False where F's spectral radius is not below 1.

    Just then elimination without exchange of rows meets a pivot of I - F that is not positive (I - F is no M-matrix: Berman
    and Plemmons, Nonnegative Matrices, theorem 6.2.3). F is overwritten.
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
    """N of chains with this covariance, less SGLD's part at the mode."""
    d, m = covariance.shape[0], model.turned.shape[0]
    anchored, shared = np.empty((d, d)), np.empty((d, d))
    for i in range(d):
        for j in range(d):
            anchored[i, j] = covariance[i, j] * (spread[i] + spread[j]) / 2
            shared[i, j] = covariance[i, j] * (common[i] + common[j]) / 2
            if m == 0:
                shared[i, j] -= anchored[i, j]
    _in_modes(shared, model.likelihood, out)  # the likelihood is symmetric
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

    Returns whether there is one: False where the variance grows without end.
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
                lost = eta * (lam[i] + lam[j]) - eta**2 * lam[i] * lam[j]  # 1 - rho_i rho_j without its rounding
                injected = 2.0 * eta if i == j else 0.0
                change[i, j] = (injected + eta**2 * (floor[i, j] + noise[i, j])) / lost - covariance[i, j]
                covariance[i, j] += change[i, j]
                scaled[i, j] = change[i, j] * np.sqrt(lam[i] * lam[j])
        jacobi(scaled, none)
        size = max(abs(scaled[0, 0]), abs(scaled[d - 1, d - 1]))
        growth = size / before if size > 0.0 else 0.0
        if size <= CLOSE * (1.0 - min(growth, 0.99)):
            break
    if not growth < 1.0 or not size <= 1.0:  # later changes grow, or the last one is as large as the target's variance
        return False
    for i in range(d):
        for j in range(d):
            covariance[i, j] += change[i, j] * growth / (1.0 - growth)  # the changes left, in geometric progression
    return True
