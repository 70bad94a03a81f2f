"""SGLD's, SAGA's and SVRG's gradients for terms of any form on fixed data; a table keeps one vector a term.

Quadratic terms f_k = sum_i c_i (theta_i - y_ki)^2 / 2 run here whole; other gradients come from outside, a batch
at a time, and use the same pieces.
"""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.lanes import LANES
from sampler.kernels.offline_walk import (
    ANCHORED,
    MINIBATCH,
    SAGA,
    affordable,
    anchor_due,
    choose_subset,
    move,
    next_batch,
    steps_ahead,
)


@kernel()
def open_anchor(walk, memory, plan, n, k):
    """Chain k's position becomes its anchor; ``memory.chosen`` says which gradients there are wanted."""
    walk.anchors[k] += 1
    walk.anchor[k, :] = walk.position[k]
    walk.base[k, :] = 0.0
    choose_subset(walk, k, n, memory)
    walk.evaluations[k] += plan.anchor_batch
    walk.since_anchor[k] = 0


@kernel(REORDER)
def add_to_anchor(walk, memory, plan, n, k, first, fresh):
    """Take the gradients ``fresh`` (j, d) of chosen terms first..first+j-1 into chain k's base, scaled to n terms."""
    scale = n / memory.chosen.size
    for j in range(fresh.shape[0]):
        datum = memory.chosen[first + j]
        for q in range(fresh.shape[1]):
            walk.base[k, q] += scale * fresh[j, q]
            if plan.store:
                memory.values[k, datum, q] = fresh[j, q]
        if memory.stamps.size:
            memory.stamps[k, datum] = walk.anchors[k]


@kernel(REORDER)
def step(lanes, walk, memory, plan, law, n, k, batch, fresh, old, prior, mask, gradient, point):
    """Chain k's step from its batch's gradients: ``fresh`` (b, d) here, ``old`` (b, d) at the anchor (SVRG)."""
    dim, scale = fresh.shape[1], n / batch.size
    gradient[:] = 0.0
    for j in range(batch.size):
        for q in range(dim):
            if plan.estimator == MINIBATCH:
                gradient[q] += fresh[j, q]
            elif plan.estimator == SAGA:
                gradient[q] += fresh[j, q] - memory.values[k, batch[j], q]
            else:
                gradient[q] += fresh[j, q] - old[j, q]
    for q in range(dim):
        gradient[q] = prior[q] + walk.base[k, q] + scale * gradient[q]
    if plan.estimator == SAGA:
        for j in range(batch.size):  # a repeated index finds its fresh gradient cached already and adds nothing
            for q in range(dim):
                walk.base[k, q] += fresh[j, q] - memory.values[k, batch[j], q]
                memory.values[k, batch[j], q] = fresh[j, q]
    walk.evaluations[k] += batch.size
    return move(lanes, walk, k, gradient, law, mask, point)


@kernel(REORDER)
def _quadratic_gradients(rows, curvature, indices, x, out):
    """Curvature * (x - y_k) for each index."""
    for j in range(indices.size):
        for q in range(out.shape[1]):
            out[j, q] = curvature[q] * (x[q] - rows[indices[j], q])


@kernel(REORDER)
def _old_gradients(rows, curvature, walk, memory, plan, k, batch, out):
    """The batch's gradients at the anchor; only what is not stored is evaluated, and counted."""
    if not plan.store:
        _quadratic_gradients(rows, curvature, batch, walk.anchor[k], out)
        walk.evaluations[k] += batch.size
        return
    for j in range(batch.size):
        datum = batch[j]
        if memory.stamps[k, datum] != walk.anchors[k]:
            for q in range(out.shape[1]):
                memory.values[k, datum, q] = curvature[q] * (walk.anchor[k, q] - rows[datum, q])
            memory.stamps[k, datum] = walk.anchors[k]
            walk.evaluations[k] += 1
        for q in range(out.shape[1]):
            out[j, q] = memory.values[k, datum, q]


@kernel(REORDER)
def _quadratic_anchor(rows, curvature, walk, memory, plan, k):
    """Chain k's anchor, or SAGA's table, where the chain stands: B evaluations."""
    n, dim = rows.shape
    one = np.empty((1, dim))
    open_anchor(walk, memory, plan, n, k)
    for first in range(memory.chosen.size):
        _quadratic_gradients(rows, curvature, memory.chosen[first:first + 1], walk.anchor[k], one)
        add_to_anchor(walk, memory, plan, n, k, first, one)


@kernel(REORDER)
def _quadratic_steps(lanes, rows, curvature, mask, walk, memory, plan, law, k, n_steps):
    """``n_steps`` steps of chain k, fewer if it diverges; returns how many."""
    n, dim = rows.shape
    b, width = plan.batch_size, LANES * len(lanes)
    batch, fresh, old = np.empty(b, np.int64), np.empty((b, dim)), np.empty((b, dim))
    prior, gradient, point = np.zeros(dim), np.empty(width), np.empty((2, width))
    x = walk.position[k]
    for i in range(n_steps):
        next_batch(walk, k, n, batch)
        _quadratic_gradients(rows, curvature, batch, x, fresh)
        if plan.estimator == ANCHORED:
            _old_gradients(rows, curvature, walk, memory, plan, k, batch, old)
        if not step(lanes, walk, memory, plan, law, n, k, batch, fresh, old, prior, mask, gradient, point):
            return i + 1
    return n_steps


@kernel(REORDER)
def advance_quadratic(lanes, rows, curvature, mask, walk, memory, plan, law, budget, n_steps):
    """Up to ``n_steps`` steps in every chain, none beyond ``budget`` evaluations; can no chain afford any more?"""
    done = True
    for k in range(walk.position.shape[0]):
        made = 0
        while made < n_steps and affordable(walk, k, plan, budget):
            if anchor_due(walk, k, plan):
                _quadratic_anchor(rows, curvature, walk, memory, plan, k)
            else:
                ahead = steps_ahead(walk, k, plan, budget, n_steps - made)
                made += _quadratic_steps(lanes, rows, curvature, mask, walk, memory, plan, law, k, ahead)
        done &= not affordable(walk, k, plan, budget)
    return done
