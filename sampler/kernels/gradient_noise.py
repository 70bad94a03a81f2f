"""Noise of the stochastic gradient at the mode, in loops without LAPACK: formulas of `sampler.theory.gradient_noise`.

A metric P^-1 is always passed: the identity for steps along g itself. `stationary_covariance` computes the resulting
covariance of a chain.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.glm_langevin import LINEAR, LOGISTIC, means_inplace
from sampler.kernels.small_linear_algebra import eigen, multiply, product

MOST_ROWS = 5000  # rows read at most, evenly spaced among all


class NoiseModel(NamedTuple):
    """Quantities that determine the gradient noise, in the eigenbasis of H in the metric."""

    eigenvalues: np.ndarray  # (d,), smallest first
    vectors: np.ndarray  # columns in X's coordinates, (d, d)
    to_modes: np.ndarray  # metric times vectors, (d, d)
    turned: np.ndarray  # rows in the eigenbasis, (m, d); m = 0 if all terms have the same Hessian
    curvatures: np.ndarray  # h_k, (m,)
    likelihood: np.ndarray  # H without the prior, (d, d)
    floor: np.ndarray  # covariance of the terms' gradients, (d, d)


@kernel()
def largest_curvature(hessian, metric, curvature):
    """Write H's largest eigenvalue in the metric into ``curvature`` (1,), overwriting H; False if it does not exist."""
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
    """Return the stride between the rows read."""
    return -(-t // MOST_ROWS)


@kernel(inner=True)
def in_modes(matrix, vectors, out):
    """Write V' matrix V into ``out``."""
    half = np.empty(out.shape)
    multiply(matrix, vectors, half)
    multiply(vectors.T, half, out)


@kernel(inner=True)
def _covariance(gradients, out):
    """Write the covariance of rows (m, d), with divisor m, into ``out`` (d, d)."""
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


@kernel()
def glm_noise(kind, rows, targets, t, mode, hessian, prior, metric, model):
    """Fill ``model`` from the first t rows of a one-score model; return False if a matrix is not positive definite.

    Parameters
    ----------
    mode, hessian : (d,), (d, d) arrays
    prior : (d, d) array
        Precision of the prior.
    metric : (d, d) array
    model : NoiseModel
        ``turned`` and ``curvatures`` must have length ``-(-t // stride_of(t))``.
    """
    d, m, step = mode.size, model.turned.shape[0], stride_of(t)
    if not _modes(hessian, metric, prior, model):
        return False
    means, rest, gradients = np.empty(m), np.empty(m), np.empty((m, d))
    for j in range(m):
        means[j] = product(rows[j * step], mode)
        rest[j] = -means[j]
    means_inplace(kind, means)
    means_inplace(kind, rest)  # logistic: 1 - mean without cancellation
    multiply(rows[::step], model.vectors, model.turned)
    for j in range(m):
        model.curvatures[j] = means[j] * rest[j] if kind == LOGISTIC else (1.0 if kind == LINEAR else means[j])
        for q in range(d):
            gradients[j, q] = (means[j] - targets[j * step]) * model.turned[j, q]
    _covariance(gradients, model.floor)
    return True


@kernel()
def gaussian_noise(rows, t, hessian, prior, metric, model):
    """Fill ``model`` as `glm_noise`, for the mean of a Gaussian: term k has the gradient 2 (x - y_k)."""
    step = stride_of(t)
    gradients = np.empty((-(-t // step), hessian.shape[0]))
    if not _modes(hessian, metric, prior, model):
        return False
    multiply(rows[::step], model.vectors, gradients)
    gradients *= -2.0
    _covariance(gradients, model.floor)
    return True


@kernel(inner=True)
def _modes(hessian, metric, prior, model):
    """Write eigenvalues, vectors and H without the prior; overwrite H. Return whether all eigenvalues are positive."""
    d = hessian.shape[0]
    likelihood = np.empty((d, d))
    for i in range(d):
        for j in range(d):
            likelihood[i, j] = hessian[i, j] - prior[i, j]
    if not eigen(hessian, metric, np.empty((d, d)), model.eigenvalues, model.vectors):
        return False
    multiply(metric, model.vectors, model.to_modes)
    in_modes(likelihood, model.vectors, model.likelihood)
    return model.eigenvalues[0] > 0.0
