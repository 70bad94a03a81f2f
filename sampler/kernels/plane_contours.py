"""Closed contours in the plane: level sets of a density on a grid by marching squares, ellipses of a Gaussian, even steps.

A loop is (n, 2) points of which the last is joined to the first.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.rng import fast_sin_cos
from sampler.kernels.simd_lanes import set_vector

MASSES = (0.5, 0.9, 0.99)  # what the contours hold
LOOP_POINTS = 64  # of a thinned contour: on 500 pixels the chord is then 0.2 pixel off the curve
LEAST = 8  # points of a loop


@kernel()
def level_holding(values, mass):
    """Largest of some values >= 0, which are put in another order, so that those not below it hold this share of the sum.

    Of the part that may hold it, the values above, at and below one of them are told apart, and the right part is looked at.
    """
    missing = 0.0
    for k in range(values.size):
        missing += values[k]
    missing *= mass
    low, high = 0, values.size
    while True:
        pivot = values[(low + high) // 2]
        above, at, sum_above, sum_at = low, low, 0.0, 0.0
        for k in range(low, high):  # [low, above) is above the pivot, [above, at) is it
            value = values[k]
            if value < pivot:
                continue
            values[k] = values[at]
            if value > pivot:
                values[at], values[above] = values[above], value
                above += 1
                sum_above += value
            else:
                values[at] = value
                sum_at += value
            at += 1
        if sum_above >= missing and above > low:
            high = above
        elif sum_above + sum_at >= missing or at == high:
            return pivot
        else:
            missing -= sum_above + sum_at
            low = at


@kernel(inner=True)
def crossing(x, y, weights, level, i, j, edge, point):
    """Point where the level crosses an edge of cell (i, j): 0 bottom, 1 right, 2 top, 3 left."""
    a, b = i + (edge == 1), j + (edge == 2)
    c, e = a + (edge % 2 == 0), b + (edge % 2 == 1)
    share = (level - weights[a, b]) / (weights[c, e] - weights[a, b])
    point[0] = x[a] + share * (x[c] - x[a])
    point[1] = y[b] + share * (y[e] - y[b])


@kernel(inner=True)
def way_out(weights, level, i, j, edge):
    """Edge by which a contour leaves a cell that it entered by ``edge``; at a saddle the middle decides."""
    a, b = weights[i, j] > level, weights[i + 1, j] > level
    c, d = weights[i + 1, j + 1] > level, weights[i, j + 1] > level
    if a == c and b == d:
        middle = 0.25 * (weights[i, j] + weights[i + 1, j] + weights[i + 1, j + 1] + weights[i, j + 1]) > level
        return edge ^ 1 if a == middle else 3 - edge
    for other in range(4):
        crossed = a != b if other == 0 else (b != c if other == 1 else (c != d if other == 2 else d != a))
        if crossed and other != edge:
            return other
    return edge


@kernel(inner=True)
def trace_loop(x, y, weights, level, i, j, seen, loop):
    """Follow the contour that enters cell (i, j) by its bottom; its number of points, 0 if it leaves the grid."""
    first_i, first_j, edge, n = i, j, 0, 0
    while n < loop.shape[0]:
        if edge == 0 or edge == 2:
            seen[i, j + edge // 2] = True
        crossing(x, y, weights, level, i, j, edge, loop[n])
        n += 1
        edge = way_out(weights, level, i, j, edge)
        i += (edge == 1) - (edge == 3)
        j += (edge == 2) - (edge == 0)
        edge = (edge + 2) % 4
        if i == first_i and j == first_j and edge == 0:
            return n
        if i < 0 or j < 0 or i > x.size - 2 or j > y.size - 2:
            return 0
    return 0


@kernel()
def longest_loop(x, y, weights, level, loop):
    """Put the closed contour of most points into ``loop`` (m, 2); how many these are, 0 without one of more than 8."""
    seen, found = np.zeros((x.size, y.size), np.bool_), np.empty(loop.shape)
    most = 0
    for i in range(x.size - 1):
        for j in range(y.size - 1):
            if seen[i, j] or (weights[i, j] > level) == (weights[i + 1, j] > level):
                continue
            n = trace_loop(x, y, weights, level, i, j, seen, found)
            if n > max(most, LEAST):
                most = n
                for k in range(n):
                    set_vector(loop[k], found[k])
    return most


@kernel()
def thin_loop(loop, n, projection, thinned):
    """Put points evenly spaced along the first n of a loop (., d), projected by (d, 2), into ``thinned`` (m, 2)."""
    length = 0.0
    for k in range(n):
        length += apart(loop[k], loop[(k + 1) % n])
    step, done, k, m = length / thinned.shape[0], 0.0, 0, 0
    ahead = apart(loop[0], loop[1 % n])
    while m < thinned.shape[0]:
        if m * step > done + ahead and k < n - 1:
            done += ahead
            k += 1
            ahead = apart(loop[k], loop[(k + 1) % n])
            continue
        share = min((m * step - done) / ahead, 1.0) if ahead > 0.0 else 0.0
        for c in range(2):
            thinned[m, c] = 0.0
            for q in range(loop.shape[1]):
                thinned[m, c] += projection[q, c] * (loop[k, q] + share * (loop[(k + 1) % n, q] - loop[k, q]))
        m += 1


@kernel(inner=True)
def apart(a, b):
    """Distance of two points of the plane."""
    return np.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


@kernel()
def grid_contours(x, y, weights, masses, projection, loops):
    """Thinned contours that hold these masses, projected, (m, n, 2); False where one of them leaves the grid."""
    values, loop = weights.copy().reshape(weights.size), np.empty((6 * (x.size + y.size), 2))
    for k in range(masses.size):
        n = longest_loop(x, y, weights, level_holding(values, masses[k]), loop)
        if n == 0:
            return False
        thin_loop(loop, n, projection, loops[k])
    return True


@kernel()
def ellipses(mean, covariance, masses, projection, loops):
    """Ellipses of N(mean, covariance), (d,) and (d, d), that hold these masses, projected, (m, n, 2)."""
    middle, part, n = np.zeros(2), np.zeros((2, 2)), loops.shape[1]
    for a in range(2):
        for p in range(mean.size):
            middle[a] += projection[p, a] * mean[p]
            for b in range(2):
                for q in range(mean.size):
                    part[a, b] += projection[p, a] * covariance[p, q] * projection[q, b]
    # The symmetric root of a 2 x 2 matrix M is (M + s I)/sqrt(tr M + 2 s), s = sqrt(det M), by Cayley and Hamilton.
    s = np.sqrt(max(part[0, 0] * part[1, 1] - part[0, 1] * part[1, 0], 0.0))
    scale = np.sqrt(part[0, 0] + part[1, 1] + 2.0 * s)
    for k in range(masses.size):
        radius = np.sqrt(-2.0 * np.log(1.0 - masses[k])) / scale
        for i in range(n):
            sine, cosine = fast_sin_cos((i / n - 0.5) * np.pi)  # half the angle
            u, v = 1.0 - 2.0 * sine * sine, 2.0 * sine * cosine
            for a in range(2):
                loops[k, i, a] = middle[a] + radius * (part[a, 0] * u + part[a, 1] * v + s * (u if a == 0 else v))
