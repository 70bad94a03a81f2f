"""Variance of a chain's stochastic gradient at its position: `sampler.metrics.measure_gradient_variance` on kernel arrays.

At most `MOST_ROWS` evenly spaced terms are read; the library draws the same number at random. Norms are of L^-1 g for a
metric H = L L'; pass the identity where there is no metric.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.glm_langevin import LOGISTIC, means_inplace
from sampler.kernels.rng import fast_log
from sampler.kernels.small_linear_algebra import cholesky, product, solve_lower
from sampler.kernels.vector_saga import gaussian_gradients

MOST_ROWS = 20_000


@kernel()
def raise_metric(metric, rounding):
    """Scale the diagonal of H (d, d) by 1 + ``rounding``; return whether H is then finite and positive definite."""
    d = metric.shape[0]
    for i in range(d):
        metric[i, i] *= 1.0 + rounding
        for j in range(d):
            if not abs(metric[i, j]) < np.inf:
                return False
    return cholesky(metric, np.empty((d, d)))


@kernel(inner=True)
def _mean_square(terms, lower, t):
    """Return t^2 mean_k ||L^-1 d_k||^2 of ``terms`` (n, d), which are overwritten; inf in place of nan."""
    total = 0.0
    for term in terms:
        solve_lower(lower, term)
        for value in term:
            total += value * value
    value = t * t * (total / terms.shape[0])
    return value if value >= 0.0 else np.inf


@kernel(inner=True)
def _spread(terms, lower, t):
    """Return the `_mean_square` of ``terms`` about their mean."""
    for q in range(terms.shape[1]):
        mean = 0.0
        for term in terms:
            mean += term[q]
        mean /= terms.shape[0]
        for term in terms:
            term[q] -= mean
    return _mean_square(terms, lower, t)


@kernel(inner=True)
def _along_rows(slopes, rows, indices, terms):
    """Write slopes[j] * rows[indices[j]] into ``terms`` (n, d)."""
    for j in range(indices.size):
        for q in range(terms.shape[1]):
            terms[j, q] = slopes[j] * rows[indices[j], q]


@kernel()
def evenly_spaced(t, most):
    """Return indices of min(t, most) evenly spaced terms of t."""
    n = min(t, most)
    indices = np.empty(n, np.int64)
    for j in range(n):
        indices[j] = j * t // n
    return indices


@kernel()
def glm_terms(kind, rows, targets, items, chain, indices, theta, cached, terms):
    """Write the gradients of ``indices`` at theta, minus the chain's cached ones if ``cached``, into ``terms`` (n, d)."""
    slopes = np.empty(indices.size)
    for j in range(indices.size):
        slopes[j] = product(rows[indices[j]], theta)
    means_inplace(kind, slopes)
    for j in range(indices.size):
        slopes[j] -= items[chain, indices[j]].value if cached else targets[indices[j]]
    _along_rows(slopes, rows, indices, terms)


@kernel()
def gaussian_terms(rows, values, chain, indices, theta, cached, terms):
    """Write gradients as `glm_terms`, for the mean of a Gaussian."""
    gaussian_gradients(rows, indices, theta, terms)
    if cached:
        for j in range(indices.size):
            for q in range(theta.size):
                terms[j, q] -= values[chain, indices[j], q]


@kernel()
def glm_variance(kind, curvature_bound, rows, targets, items, chain, t, theta, metric, batch_size, variance):
    """Write the variances of SAGA-LD and SGLD at theta, and the bound of Lemma 6.2 (or nan), into ``variance`` (3,).

    ``curvature_bound`` is the largest second derivative of a term in its score. False if H is not positive definite.
    """
    d, indices, own = theta.size, evenly_spaced(t, MOST_ROWS), items[chain]
    lower, terms, slopes = np.empty((d, d)), np.empty((indices.size, d)), np.empty(indices.size)
    if not cholesky(metric, lower):
        return False
    for place in range(2):
        glm_terms(kind, rows, targets, items, chain, indices, theta, place == 0, terms)
        variance[place] = _spread(terms, lower, t) / batch_size
    variance[2] = np.nan
    if curvature_bound < np.inf:
        for j in range(indices.size):
            anchor = own[indices[j]].value
            if kind == LOGISTIC:
                anchor = fast_log(anchor) - fast_log(1.0 - anchor)
            slopes[j] = curvature_bound * (product(rows[indices[j]], theta) - anchor)
        _along_rows(slopes, rows, indices, terms)
        variance[2] = _mean_square(terms, lower, t) / batch_size
    return True


@kernel()
def gaussian_variance(rows, values, chain, t, theta, metric, batch_size, variance):
    """Write variances as `glm_variance`, for the mean of a Gaussian, without a bound."""
    d, indices = theta.size, evenly_spaced(t, MOST_ROWS)
    lower, terms = np.empty((d, d)), np.empty((indices.size, d))
    if not cholesky(metric, lower):
        return False
    for place in range(2):
        gaussian_terms(rows, values, chain, indices, theta, place == 0, terms)
        variance[place] = _spread(terms, lower, t) / batch_size
    variance[2] = np.nan
    return True
