"""Density of a one-score model on an evenly spaced grid in the plane, updated per datum, and the grid's window.

A grid is ``x`` (p,), ``y`` (q,) and ``weights`` (p, q), the density at (x_i, y_j) over its largest value. In one dimension
q = 1 and y = 0. Of a row the first two values are used, in one dimension the second is 0; the rest is padding.
"""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_langevin import LINEAR, LOGISTIC
from sampler.kernels.rng import fast_exp, fast_log, fast_sin_cos

POINTS = 161  # per side, accurate to 1e-6
HALF_WIDTH = 6.5  # of a new window, in standard deviations
WIDEST = 9.2  # half-width, in standard deviations, above which the window is refitted: about once per octave of data
MARGIN = 5.0  # distance of the mean from the edge, in standard deviations, below which it is refitted
ROUNDS = 12  # placements per fit at most: a surprising datum takes a few
FULL = 600.0  # log of a product of factors at which its logarithm is taken; float64 overflows at 709
LOST = 1e-200  # a peak this low has lost its significant digits
# Nodes per side of the coarse level (the fine one has twice as many), and the largest change of the score, from the window's
# centre, that each level resolves: log(1 + e^z) has its nearest pole at distance pi, so the error per row is
# 2.4^-24 = 1e-9 for 24 nodes at 3.2, and 5.6^-12 = 1e-9 for 12 nodes at 1.15.
NODES, COARSE, FINE = 12, 1.15, 3.2


@kernel(inner=True)
def largest_size(axis):
    """Return the largest absolute value of a sorted array."""
    return max(abs(axis[0]), abs(axis[-1]))


@kernel(inner=True)
def loss(kind, score, target):
    """Return a term f_k as a function of its score, up to a constant."""
    if kind == LINEAR:
        return 0.5 * (score - target) ** 2
    if kind == LOGISTIC:
        return max(score, 0.0) + fast_log(1.0 + fast_exp(-abs(score)))
    return fast_exp(score) - target * score


@kernel(inner=True)
def multiply_factors(first, second, x, y, products):
    """Multiply products (p, q) by 1 + exp(score), taking exponentials on the axes only."""
    at_y = np.empty(y.size)
    for j in range(y.size):
        at_y[j] = fast_exp(second * y[j])
    for i in range(x.size):
        at_x = fast_exp(first * x[i])
        for j in range(y.size):
            products[i, j] *= 1.0 + at_x * at_y[j]


@kernel(inner=True)
def take_logarithms(products, total):
    """Add log(products) to ``total`` and reset the products to 1."""
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            total[i, j] += fast_log(products[i, j])
            products[i, j] = 1.0


@kernel(inner=True)
def add_terms(kind, rows, targets, nodes, wanted, x, y, total):
    """Add the terms with ``nodes`` == ``wanted`` to ``total``; logistic factors are multiplied up to near overflow."""
    products, held = np.ones((x.size, y.size)), 0.0
    for k in range(nodes.size):
        if nodes[k] != wanted:
            continue
        first, second = rows[k, 0], rows[k, 1]
        reach = abs(first) * largest_size(x) + abs(second) * largest_size(y) + 1.0
        if kind == LOGISTIC and reach < 0.5 * FULL:
            if held + reach > FULL:
                take_logarithms(products, total)
                held = 0.0
            multiply_factors(first, second, x, y, products)
            held += reach
        else:
            for i in range(x.size):
                for j in range(y.size):
                    total[i, j] += loss(kind, first * x[i] + second * y[j], targets[k])
    take_logarithms(products, total)


@kernel(inner=True)
def chebyshev(axis, at, matrix):
    """Write Chebyshev nodes on the axis' range into ``at`` (n,), and the barycentric matrix (p, n) from nodes to axis."""
    n, middle, half = at.size, 0.5 * (axis[0] + axis[-1]), 0.5 * (axis[-1] - axis[0])
    weights = np.empty(n)
    for k in range(n):
        sine, cosine = fast_sin_cos(np.pi / 2 - (2 * k + 1) * np.pi / (2 * n))  # of pi/2 minus the node's angle
        at[k] = middle + half * sine
        weights[k] = cosine if k % 2 == 0 else -cosine
    for i in range(axis.size):
        total = 0.0
        for k in range(n):
            gap = axis[i] - at[k]
            matrix[i, k] = weights[k] / (gap if gap != 0.0 else 1e-300)  # at a node this weight dominates all others
            total += matrix[i, k]
        for k in range(n):
            matrix[i, k] /= total


@kernel(inner=True)
def add_interpolated(small, to_x, to_y, total):
    """Add to_x small to_y' to ``total`` (p, q)."""
    nodes = to_x.shape[1]
    half = np.empty(nodes)
    for i in range(total.shape[0]):
        for b in range(nodes):
            half[b] = 0.0
            for a in range(nodes):
                half[b] += to_x[i, a] * small[a, b]
        for j in range(total.shape[1]):
            for b in range(nodes):
                total[i, j] += half[b] * to_y[j, b]


@kernel(inner=True)
def choose_nodes(rows, x, y, nodes):
    """Write the Chebyshev nodes per side needed to resolve each row into ``nodes`` (t,); 0 for the grid itself.

    Where a level has too few rows to pay for its interpolation, they move to the next finer one.
    """
    for k in range(nodes.size):
        reach = 0.5 * (abs(rows[k, 0]) * (x[-1] - x[0]) + abs(rows[k, 1]) * (y[-1] - y[0]))
        nodes[k] = NODES if reach <= COARSE else (2 * NODES if reach <= FINE else 0)
    for one in (NODES, 2 * NODES):
        count = 0
        for k in range(nodes.size):
            count += nodes[k] == one
        if y.size == 1 or count * one**2 < 2 * x.size * y.size:
            for k in range(nodes.size):
                if nodes[k] == one:
                    nodes[k] = 2 * NODES if one == NODES else 0


@kernel()
def add_potential(kind, rows, targets, t, x, y, total):
    """Add the terms of the first t rows to ``total`` (p, q), interpolated from Chebyshev nodes where that is cheaper."""
    nodes = np.empty(t, np.int64)
    choose_nodes(rows, x, y, nodes)
    for one in (0, NODES, 2 * NODES):
        at_x, at_y, part = x, y, total
        to_x, to_y = np.empty((x.size, one)), np.empty((y.size, one))
        if one > 0:
            at_x, at_y, part = np.empty(one), np.empty(one), np.zeros((one, one))
            chebyshev(x, at_x, to_x)
            chebyshev(y, at_y, to_y)
        add_terms(kind, rows, targets, nodes, one, at_x, at_y, part)
        add_interpolated(part, to_x, to_y, total)


@kernel(REORDER, inner=True)
def measure(x, y, weights, marginals, mean, std, covariance):
    """Compute marginals (2, p), up to a constant, and moments of d = 1 or 2 coordinates."""
    total = 0.0
    for j in range(y.size):
        marginals[1, j] = 0.0
    for i in range(x.size):
        along = 0.0
        for j in range(y.size):
            along += weights[i, j]
            marginals[1, j] += weights[i, j]
        marginals[0, i] = along
        total += along
    for c in range(mean.size):
        axis = x if c == 0 else y
        first = second = 0.0
        for i in range(axis.size):
            first += marginals[c, i] * axis[i]
        mean[c] = first / total
        for i in range(axis.size):
            second += marginals[c, i] * (axis[i] - mean[c]) ** 2
        covariance[c, c] = second / total
        std[c] = np.sqrt(covariance[c, c])
    if mean.size == 2:
        mixed = 0.0
        for i in range(x.size):
            along = 0.0
            for j in range(y.size):
                along += weights[i, j] * (y[j] - mean[1])
            mixed += along * (x[i] - mean[0])
        covariance[0, 1] = covariance[1, 0] = mixed / total


@kernel(inner=True)
def misfit(x, y, mean, std):
    """Return whether the window is too wide for the posterior, or its mean too near an edge."""
    for c in range(mean.size):
        axis = x if c == 0 else y
        if axis[-1] - axis[0] > 2 * WIDEST * std[c] or min(mean[c] - axis[0], axis[-1] - mean[c]) < MARGIN * std[c]:
            return True
    return False


@kernel(inner=True)
def place_axis(axis, middle, half):
    """Fill ``axis`` with evenly spaced values from middle - half to middle + half."""
    step = 2.0 * half / (axis.size - 1)
    for i in range(axis.size):
        axis[i] = middle - half + i * step
    axis[-1] = middle + half


@kernel()
def place_window(prior, x, y, mean, std, weights):
    """Place the axes around the mean and write F_0 on them into ``weights``; ``prior`` (d,) is the precision."""
    place_axis(x, mean[0], HALF_WIDTH * max(std[0], 1e-300))
    if mean.size == 2:
        place_axis(y, mean[1], HALF_WIDTH * max(std[1], 1e-300))
    for i in range(x.size):
        for j in range(y.size):
            weights[i, j] = 0.5 * (prior[0] * x[i] ** 2 + prior[-1] * y[j] ** 2)


@kernel(REORDER)
def settle_window(power, x, y, weights, marginals, mean, std, covariance):
    """Replace F_t in ``weights`` by the density to a power, with its moments; return False if the window must be moved."""
    least = np.inf
    for i in range(x.size):
        for j in range(y.size):
            least = min(least, weights[i, j])
    for i in range(x.size):
        for j in range(y.size):
            weights[i, j] = fast_exp(power * (least - weights[i, j]))
    measure(x, y, weights, marginals, mean, std, covariance)
    # A density narrower than a step, or cut off by the edge, gives only a rough next window.
    std[0] = max(std[0], 0.5 * (x[1] - x[0]))
    if mean.size == 2:
        std[1] = max(std[1], 0.5 * (y[1] - y[0]))
    return not misfit(x, y, mean, std)


@kernel(inner=True)
def multiply_by_likelihood(kind, row, target, x, y, weights):
    """Multiply the weights by the likelihood of a row and rescale their maximum to 1; return False on underflow."""
    first, second = row[0], row[1]
    least = np.inf
    if kind == LOGISTIC and abs(first) * largest_size(x) + abs(second) * largest_size(y) < 0.5 * FULL:
        inverse = np.ones((x.size, y.size))
        multiply_factors(first, second, x, y, inverse)
        for i in range(x.size):
            for j in range(y.size):
                weights[i, j] /= inverse[i, j]
    else:
        terms = np.empty((x.size, y.size))
        for i in range(x.size):
            for j in range(y.size):
                terms[i, j] = loss(kind, first * x[i] + second * y[j], target)
                least = min(least, terms[i, j])
        for i in range(x.size):
            for j in range(y.size):
                weights[i, j] *= fast_exp(least - terms[i, j])
    peak = 0.0
    for i in range(x.size):
        for j in range(y.size):
            peak = max(peak, weights[i, j])
    if not peak > LOST:
        return False
    for i in range(x.size):
        for j in range(y.size):
            weights[i, j] /= peak
    return True


@kernel()
def add_row(kind, rows, targets, t, x, y, weights, marginals, mean, std, covariance):
    """Update the density by the datum of row t - 1; return False if the window must be refitted."""
    if not multiply_by_likelihood(kind, rows[t - 1], targets[t - 1], x, y, weights):
        return False
    measure(x, y, weights, marginals, mean, std, covariance)
    return not misfit(x, y, mean, std)


@kernel(inner=True)
def distribution(axis, density, values):
    """Write the CDF of a density on an evenly spaced axis into ``values``, error O(step^4); return the total mass."""
    n, step = axis.size, axis[1] - axis[0]
    values[0] = 0.0
    before = (density[1] - density[0]) / step
    for i in range(1, n):
        slope = (density[i + 1] - density[i - 1]) / (2.0 * step) if i < n - 1 else (density[i] - density[i - 1]) / step
        piece = 0.5 * step * (density[i] + density[i - 1]) - step * step / 12.0 * (slope - before)
        values[i] = values[i - 1] + piece
        before = slope
    largest = 0.0
    for i in range(n):
        largest = values[i] = max(largest, values[i])
    return largest


@kernel()
def marginal_cdf(x, y, marginals, samples, uniforms):
    """Write the marginal CDFs at samples (n, d), by cubic Hermite interpolation, into ``uniforms`` (n, d)."""
    for c in range(samples.shape[1]):
        axis = x if c == 0 else y
        n, values = axis.size, np.empty(axis.size)
        mass, step = distribution(axis, marginals[c], values), axis[1] - axis[0]
        for k in range(samples.shape[0]):
            at = min(max(samples[k, c], axis[0]), axis[-1])
            i = min(int((at - axis[0]) / step), n - 2)
            s = (at - axis[i]) / step
            rise = values[i + 1] - values[i]
            left, right = step * marginals[c, i], step * marginals[c, i + 1]
            value = values[i] + s * (left + s * (3.0 * rise - 2.0 * left - right + s * (left + right - 2.0 * rise)))
            uniforms[k, c] = min(max(value / mass, 0.0), 1.0)
