"""Closed contours in the plane: level sets of a gridded density by marching squares, ellipses of a Gaussian, resampling.

A loop is an array of (n, 2) points, closed by a segment from the last to the first.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.rng import fast_sin_cos
from sampler.kernels.simd_lanes import set_vector

MASSES = (0.5, 0.9, 0.99)  # probabilities of the regions inside the contours
LOOP_POINTS = 64  # points of a thinned contour: at 500 pixels its chords are within 0.2 pixels of the curve
LEAST = 8  # a loop of this many points or fewer is dropped


@kernel()
def level_holding(values, mass):
    """Return the largest of ``values`` (n,) >= 0 such that those not below it sum to at least ``mass`` of the total.

    Quickselect: partitions by a pivot and continues in one part. Reorders ``values``.
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
    """Write the crossing of the level with an edge of cell (i, j), 0 bottom, 1 right, 2 top, 3 left, into ``point`` (2,)."""
    a, b = i + (edge == 1), j + (edge == 2)
    c, e = a + (edge % 2 == 0), b + (edge % 2 == 1)
    share = (level - weights[a, b]) / (weights[c, e] - weights[a, b])
    point[0] = x[a] + share * (x[c] - x[a])
    point[1] = y[b] + share * (y[e] - y[b])


@kernel(inner=True)
def exit_edge(weights, level, i, j, edge):
    """Return the edge by which a contour entering at ``edge`` leaves cell (i, j); the cell's mean resolves saddles."""
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
    """Trace the contour that enters cell (i, j) at the bottom; return its number of points, 0 if it leaves the grid."""
    first_i, first_j, edge, n = i, j, 0, 0
    while n < loop.shape[0]:
        if edge == 0 or edge == 2:
            seen[i, j + edge // 2] = True
        crossing(x, y, weights, level, i, j, edge, loop[n])
        n += 1
        edge = exit_edge(weights, level, i, j, edge)
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
    """Write the closed contour with the most points into ``loop`` (m, 2); return their number, 0 if none has more than 8."""
    seen, traced = np.zeros((x.size, y.size), np.bool_), np.empty(loop.shape)
    most = 0
    for i in range(x.size - 1):
        for j in range(y.size - 1):
            if seen[i, j] or (weights[i, j] > level) == (weights[i + 1, j] > level):
                continue
            n = trace_loop(x, y, weights, level, i, j, seen, traced)
            if n > max(most, LEAST):
                most = n
                for k in range(n):
                    set_vector(loop[k], traced[k])
    return most


@kernel()
def thin_loop(loop, n, projection, thinned):
    """Resample the first n points of a loop (., d) at even spacing and project by (d, 2) into ``thinned`` (m, 2)."""
    length = 0.0
    for k in range(n):
        length += distance(loop[k], loop[(k + 1) % n])
    step, done, k, m = length / thinned.shape[0], 0.0, 0, 0
    ahead = distance(loop[0], loop[1 % n])
    while m < thinned.shape[0]:
        if m * step > done + ahead and k < n - 1:
            done += ahead
            k += 1
            ahead = distance(loop[k], loop[(k + 1) % n])
            continue
        share = min((m * step - done) / ahead, 1.0) if ahead > 0.0 else 0.0
        for c in range(2):
            thinned[m, c] = 0.0
            for q in range(loop.shape[1]):
                thinned[m, c] += projection[q, c] * (loop[k, q] + share * (loop[(k + 1) % n, q] - loop[k, q]))
        m += 1


@kernel(inner=True)
def distance(a, b):
    """Return the distance between two points of the plane."""
    return np.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


@kernel()
def grid_contours(x, y, weights, masses, projection, loops):
    """Write thinned, projected contours enclosing ``masses`` (m,) into ``loops`` (m, n, 2); False if one leaves the grid."""
    values, loop = weights.copy().reshape(weights.size), np.empty((6 * (x.size + y.size), 2))
    for k in range(masses.size):
        n = longest_loop(x, y, weights, level_holding(values, masses[k]), loop)
        if n == 0:
            return False
        thin_loop(loop, n, projection, loops[k])
    return True


@kernel()
def ellipses(mean, covariance, masses, projection, loops):
    """Write projected ellipses of N(mean, covariance), (d,) and (d, d), enclosing ``masses`` into ``loops`` (m, n, 2)."""
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
