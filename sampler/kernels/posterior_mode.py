"""Mode of a growing F_t on the encoded rows of a model: a correction per datum, and Newton's method on all data."""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.glm_langevin import LINEAR, LOGISTIC
from sampler.kernels.rng import fast_exp
from sampler.kernels.simd_lanes import set_vector
from sampler.kernels.small_linear_algebra import add_outer, cholesky, invert, product
from sampler.kernels.special_functions import ndtr
from sampler.kernels.whitening import set_matrix

GAUSSIAN_MEAN = -1  # extends the ``kind_code`` of one-score models
GROWTH = 1.05  # re-solve exactly when the data have grown by 5 %,
EARLY = 2000  # or by 1 % up to here, where a solution is cheap and each datum moves the mode more,
SURPRISE = 0.2  # or when one datum has moved it by this many standard deviations
STEPS, HALVINGS = 100, 60
TOLERANCE = 1e-10  # squared length, in posterior widths, of Newton's last step
SINGULAR = 1e-14  # relative to the diagonal entry: a smaller pivot is rounding error


@kernel()
def due(t, solved_at):
    """Return whether a mode solved at ``solved_at`` data (negative: never) must be solved again at t."""
    return solved_at < 0 or t >= (1.0 + (GROWTH - 1.0) / (5 if t < EARLY else 1)) * solved_at


@kernel(inner=True)
def mean_and_curvature(kind, score):
    """Return the first two derivatives of a term in its score, without its target."""
    if kind == LINEAR:
        return score, 1.0
    if kind == LOGISTIC:
        e = fast_exp(-abs(score))
        share = 1.0 / (1.0 + e)
        return (share if score >= 0.0 else e * share), e * share * share
    e = fast_exp(score)
    return e, e


@kernel(inner=True)
def gradient_at(kind, prior, rows, targets, t, x, out):
    """Write the gradient of F_t at x into ``out``, both (d,)."""
    for q in range(x.size):
        out[q] = prior[q] * x[q]
    for k in range(t):
        slope = mean_and_curvature(kind, product(rows[k], x))[0] - targets[k]
        for q in range(x.size):
            out[q] += slope * rows[k, q]


@kernel()
def gradients_at(kind, prior, rows, targets, t, points, out):
    """Write the gradient of F_t at each point into ``out``, both (n, d)."""
    for k in range(points.shape[0]):
        gradient_at(kind, prior, rows, targets, t, points[k], out[k])


@kernel(inner=True)
def hessian_at(kind, prior, rows, t, x, out):
    """Write the Hessian of F_t at x into ``out`` (d, d)."""
    for i in range(x.size):
        for j in range(x.size):
            out[i, j] = prior[i] if i == j else 0.0
    for k in range(t):
        add_outer(out, rows[k], mean_and_curvature(kind, product(rows[k], x))[1])


@kernel(inner=True)
def inverse_of(matrix, out):
    """Write the inverse of a positive definite matrix into ``out``; return False if it is numerically singular."""
    lower = np.empty(matrix.shape)
    if not cholesky(matrix, lower):
        return False
    for i in range(matrix.shape[0]):
        if lower[i, i] * lower[i, i] < SINGULAR * matrix[i, i]:
            return False
    invert(lower, out)
    return True


@kernel(inner=True)
def set_isotropic(t, hessian, covariance):
    """Write the Hessian 2 t I of t squared distances, and its inverse."""
    for i in range(hessian.shape[0]):
        for j in range(hessian.shape[0]):
            hessian[i, j] = 2.0 * t if i == j else 0.0
            covariance[i, j] = 0.5 / t if i == j else 0.0


@kernel(inner=True)
def mean_row(rows, t, mean):
    """Write the mean of the first t rows into ``mean`` (d,)."""
    for i in range(mean.size):
        mean[i] = 0.0
        for k in range(t):
            mean[i] += rows[k, i]
        mean[i] /= t


@kernel()
def solve_mode(kind, prior, rows, targets, t, mode, hessian, covariance):
    """Solve the mode by Newton's method from ``mode``, as `sampler.reference.find_mode`; on failure change nothing: False.

    A step is halved until the slope at its end is at most half the initial rate of descent. GAUSSIAN_MEAN: the mean.
    """
    if kind == GAUSSIAN_MEAN:
        if t > 0:
            mean_row(rows, t, mode)
            set_isotropic(t, hessian, covariance)
        return t > 0
    d = mode.size
    x, gradient, ahead, step = mode.copy(), np.empty(d), np.empty(d), np.empty(d)
    curvature, inverse, arrived = np.empty((d, d)), np.empty((d, d)), False
    gradient_at(kind, prior, rows, targets, t, x, gradient)
    for _ in range(STEPS):
        hessian_at(kind, prior, rows, t, x, curvature)
        if not inverse_of(curvature, inverse):
            return False
        if arrived:
            set_matrix(hessian, curvature)
            set_matrix(covariance, inverse)
            set_vector(mode, x)
            return True
        for i in range(d):
            step[i] = -product(inverse[i], gradient)
        decrement = -product(gradient, step)
        if not np.isfinite(decrement):
            return False
        shrink = 1.0
        for _ in range(HALVINGS):
            for i in range(d):
                ahead[i] = x[i] + shrink * step[i]
            gradient_at(kind, prior, rows, targets, t, ahead, gradient)
            slope = product(gradient, step)
            if slope > -1e200 and slope <= 0.5 * decrement + 1e-12:  # a Poisson step that overflows is halved
                break
            shrink *= 0.5
        set_vector(x, ahead)
        # On separable data F flattens without limit while the steps keep their length: test both.
        arrived = abs(decrement) < TOLERANCE and product(step, step) <= 1e-6 * (1.0 + np.sqrt(product(x, x))) ** 2
    return False


@kernel(inner=True)
def proximal_slope(kind, score, target, leverage):
    """Return the slope at the z that minimises a new term plus (z - score)^2 / (2 leverage), and the residual."""
    mean, curvature = mean_and_curvature(kind, score)
    new, error = (mean - target) / (1.0 + curvature * leverage), np.inf
    for _ in range(4):
        mean, curvature = mean_and_curvature(kind, score - leverage * new)
        error = mean - target - new
        new += error / (1.0 + leverage * curvature)
    return new, error


@kernel()
def add_datum(kind, rows, targets, t, mode, hessian, covariance, solved_at):
    """Update the mode by the datum of row t - 1; return False if it must be solved again on all data.

    Parameters
    ----------
    kind : int
        GAUSSIAN_MEAN or a ``kind_code``.
    rows, targets : (T, at least d), (T,) arrays
    t : int
        Number of data, the new one included.
    mode, hessian, covariance : (d,), (d, d), (d, d) arrays
        Those of F_(t-1), updated in place to F_t.
    solved_at : int
        Number of data at the last exact solution; negative before the first, under a flat prior.
    """
    d, row = mode.size, rows[t - 1]
    if kind == GAUSSIAN_MEAN:
        for i in range(d):
            mode[i] += (row[i] - mode[i]) / t
        set_isotropic(t, hessian, covariance)
        return True
    target, score = targets[t - 1], product(row, mode)
    curvature = mean_and_curvature(kind, score)[1]
    add_outer(hessian, row, curvature)
    if due(t, solved_at):
        return False
    ahead = np.empty(d)
    for i in range(d):
        ahead[i] = product(row, covariance[i])
    leverage = product(row, ahead)
    add_outer(covariance, ahead, -curvature / (1.0 + curvature * leverage))
    # The mode moves along `ahead`, so the nonlinearity of the new term is solved in one dimension.
    settled, error = proximal_slope(kind, score, target, leverage)
    if not abs(error) <= 1e-6 * (1.0 + abs(settled)) or settled * settled * leverage > SURPRISE * SURPRISE:
        return False
    for i in range(d):
        mode[i] -= settled * ahead[i]
    return True


@kernel()
def normal_marginals(mode, covariance, mean, std):
    """Write mean and standard deviations (d,) of Laplace's approximation."""
    for i in range(mode.size):
        mean[i], std[i] = mode[i], np.sqrt(covariance[i, i])


@kernel()
def standardise(mean, std, samples, scores):
    """Write (samples - mean)/std into ``scores``, both (n, d)."""
    for k in range(samples.shape[0]):
        for i in range(mean.size):
            scores[k, i] = (samples[k, i] - mean[i]) / std[i]


@kernel()
def normal_cdf(mean, std, samples, uniforms):
    """Write the marginal CDFs of Laplace's approximation at samples into ``uniforms``, both (n, d)."""
    standardise(mean, std, samples, uniforms)
    for k in range(samples.shape[0]):
        for i in range(mean.size):
            uniforms[k, i] = ndtr(uniforms[k, i])
