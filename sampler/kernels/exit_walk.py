"""First exit times from a ball of many Langevin chains in one epoch.

Chains are stored in blocks of W *lanes*, coordinate by coordinate, (blocks, d, W): every inner loop runs
over lanes and vectorises, the normal draws included. A block fits the first-level cache.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.rng import fast_exp, fill_normal

FLAT, QUADRATIC, LOGISTIC = 0, 1, 2
SPHERE, RADIAL = 0, 1
MULTIPLY_ADD = {"contract", "nsz"}


@kernel(fastmath=MULTIPLY_ADD, inner=True)
def add_logistic_gradient(x, rows, offsets, targets, precision, at_zero, grad, score):
    """Add grad F of a logistic posterior at mode + x to ``grad``; x, grad are (d, W), score is (W,) scratch.

    rows : (t, d) features.   offsets : (t,) scores at the mode.   targets : (t,) labels in {0, 1}.
    precision : (d,) of the prior.   at_zero : (d,) prior gradient at the mode.
    """
    d, lanes = x.shape
    for j in range(d):
        for i in range(lanes):
            grad[j, i] += at_zero[j] + precision[j] * x[j, i]
    for k in range(rows.shape[0]):
        for i in range(lanes):
            score[i] = offsets[k]
        for j in range(d):
            u = rows[k, j]
            for i in range(lanes):
                score[i] += u * x[j, i]
        for i in range(lanes):
            score[i] = 1.0 / (1.0 + fast_exp(-score[i])) - targets[k]
        for j in range(d):
            u = rows[k, j]
            for i in range(lanes):
                grad[j, i] += u * score[i]


@kernel(fastmath=MULTIPLY_ADD, inner=True)
def fill_bounded_noise(rng, kind, size, x, zeta, length):
    """Fill ``zeta`` (d, W) with mean-zero vectors of length ``size``; ``length`` is (W,) scratch.

    SPHERE: a uniform direction. RADIAL: +size or -size along x, the worst case of Hoeffding's lemma.
    """
    d, lanes = x.shape
    fill_normal(rng, zeta.reshape(d * lanes))
    source = zeta if kind == SPHERE else x
    for i in range(lanes):
        length[i] = 1e-300
    for j in range(d):
        for i in range(lanes):
            length[i] += source[j, i] * source[j, i]
    for i in range(lanes):
        length[i] = size / np.sqrt(length[i])
        if kind == RADIAL and zeta[0, i] < 0.0:
            length[i] = -length[i]
    for j in range(d):
        for i in range(lanes):
            zeta[j, i] = source[j, i] * length[i]


@kernel(fastmath=MULTIPLY_ADD, inner=True)
def add_increments(before, after, exits, step, scale, sums):
    """Add the increments of distance and squared distance in one noise step to the bins of the distances before it.

    before, after : (W,) squared distances.   exits : (W,) exit steps; chains that left earlier are omitted.
    scale : bins / r.   sums : (5, bins): count, then sum and sum of squares of each of the two increments.
    """
    bins = sums.shape[1]
    for i in range(before.size):
        place = int(np.sqrt(before[i]) * scale)
        if (exits[i] == 0 or exits[i] == step) and place < bins:
            square = after[i] - before[i]
            plain = np.sqrt(after[i]) - np.sqrt(before[i])
            sums[0, place] += 1.0
            sums[1, place] += plain
            sums[2, place] += plain * plain
            sums[3, place] += square
            sums[4, place] += square * square


@kernel(fastmath=MULTIPLY_ADD, inner=True)
def add_squares(x, squared):
    """Write the squared length of each lane of x (d, W) into ``squared`` (W,)."""
    d, lanes = x.shape
    for i in range(lanes):
        squared[i] = x[0, i] * x[0, i]
    for j in range(1, d):
        for i in range(lanes):
            squared[i] += x[j, i] * x[j, i]


@kernel(fastmath=MULTIPLY_ADD, inner=True)
def move_and_mark(x, keep, xi, scale, limit, step, squared, exits):
    """Set x <- keep x + scale xi; write squared lengths, and ``step`` into ``exits`` where one first reaches ``limit``."""
    d, lanes = x.shape
    for i in range(lanes):
        squared[i] = 0.0
    for j in range(d):
        for i in range(lanes):
            x[j, i] = keep * x[j, i] + scale * xi[j, i]
            squared[i] += x[j, i] * x[j, i]
    for i in range(lanes):
        exits[i] = step if (exits[i] == 0) & (squared[i] >= limit) else exits[i]


@kernel(fastmath=MULTIPLY_ADD)
def advance_block(x, free, rng, exits, free_exits, first, count, step_size, radius, kind, curvature, rows, offsets,
                  targets, at_zero, noise_kind, noise_bound, walk_free, free_keep, sums, paths, stride, lane,
                  record):  # fmt: skip
    """Run steps ``first`` + 1 to ``first`` + ``count`` of one block.

    x, free : (d, W) chains and comparison walks, relative to the mode, in place.   exits, free_exits : (W,).
    curvature : (d,) of the quadratic, or precision of the logistic prior.   free_keep : the comparison walk
    is D <- free_keep D + sqrt(2 eta) xi.   sums : see ``add_increments``.
    paths : (p, points), squared distances of the first p lanes at multiples of ``stride``.
    lane, record : lane to record, or -1; (3, n, d) position before the step, gradient g, noise.
    """
    d, lanes = x.shape
    xi, zeta, grad = np.empty((d, lanes)), np.empty((d, lanes)), np.empty((d, lanes))
    before, after, scratch = np.empty(lanes), np.empty(lanes), np.empty(lanes)
    scale = np.sqrt(2.0 * step_size)
    pushed = kind != FLAT or noise_bound > 0.0
    flat_xi = xi.reshape(d * lanes)
    for step in range(first + 1, first + count + 1):
        fill_normal(rng[0], flat_xi)
        if pushed:
            grad[:] = 0.0
            if kind == QUADRATIC:
                for j in range(d):
                    for i in range(lanes):
                        grad[j, i] = curvature[j] * x[j, i]
            elif kind == LOGISTIC:
                add_logistic_gradient(x, rows, offsets, targets, curvature, at_zero, grad, scratch)
            if noise_bound > 0.0:
                fill_bounded_noise(rng[1], noise_kind, noise_bound, x, zeta, scratch)
                grad += zeta
        elif lane >= 0:
            grad[:] = 0.0
        if lane >= 0:
            for j in range(d):
                record[0, step - 1, j] = x[j, lane]
                record[1, step - 1, j] = grad[j, lane]
                record[2, step - 1, j] = scale * xi[j, lane]
        if pushed:
            for j in range(d):
                for i in range(lanes):
                    x[j, i] -= step_size * grad[j, i]
        if sums.shape[1] > 0:
            add_squares(x, before)
        move_and_mark(x, 1.0, xi, scale, radius * radius, step, after, exits)
        if sums.shape[1] > 0:
            add_increments(before, after, exits, step, sums.shape[1] / radius, sums)
        if walk_free:
            move_and_mark(free, free_keep, xi, scale, radius * radius, step, before, free_exits)
        if step % stride == 0:
            for p in range(paths.shape[0]):
                paths[p, step // stride] = after[p]


@kernel()
def advance_blocks(x, free, rng, exits, free_exits, first, count, step_size, radius, kind, curvature, rows, offsets,
                   targets, at_zero, noise_kind, noise_bound, walk_free, free_keep, sums, paths, stride,
                   record):  # fmt: skip
    """Run ``advance_block`` on every block; x is (blocks, d, W), sums (blocks, 5, bins), paths (p, points)."""
    lanes = x.shape[2]
    for b in range(x.shape[0]):
        recorded = paths[min(b * lanes, paths.shape[0]) : (b + 1) * lanes]
        advance_block(
            x[b], free[b], rng[b], exits[b], free_exits[b], first, count, step_size, radius, kind,
            curvature, rows, offsets, targets, at_zero, noise_kind, noise_bound, walk_free, free_keep, sums[b],
            recorded, stride, -1, record,
        )  # fmt: skip
