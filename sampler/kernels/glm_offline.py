"""SGLD's, SAGA's and SVRG's gradients for one-score models on fixed data, on K chains.

The gradient of term k is ``(mean(score) - target) * row``, so a table keeps one number a term: ``mean(score)``.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_gradient import means_inplace
from sampler.kernels.lanes import LANES, gathered_dots, gathered_sum
from sampler.kernels.offline_walk import (
    MINIBATCH,
    SAGA,
    affordable,
    anchor_due,
    choose_subset,
    move,
    next_batch,
    steps_ahead,
)

BLOCK = 128  # rows whose scores stay in the first-level cache


class GlmModel(NamedTuple):
    """A one-score model's data in the form kernels take; D is the padded dimension."""

    kind: int
    rows: np.ndarray  # (n, D)
    targets: np.ndarray  # (n,)
    prior: np.ndarray  # precision, (D,)
    mask: np.ndarray  # 1 on real coordinates, (D,)


@kernel(REORDER)
def _fill(lanes, model, walk, memory, plan, k):
    """Gradients of ``memory.chosen`` at chain k's position: their sum into ``base``, scaled to n terms."""
    x, base, n = walk.position[k], walk.base[k], model.targets.size
    scores, part, block = np.zeros(BLOCK), np.empty(LANES * len(lanes)), np.empty(BLOCK, np.int64)
    base[:] = 0.0
    for start in range(0, memory.chosen.size, BLOCK):
        size = min(BLOCK, memory.chosen.size - start)
        for j in range(size):
            block[j] = memory.chosen[start + j]
        gathered_dots(lanes, model.rows, block, size, x, scores)
        means_inplace(model.kind, scores[:size])
        for j in range(size):
            if plan.store:
                memory.values[k, block[j]] = scores[j]
            if memory.stamps.size:
                memory.stamps[k, block[j]] = walk.anchors[k]
            scores[j] -= model.targets[block[j]]
        gathered_sum(lanes, model.rows, block, size, scores, part)
        for q in range(base.size):
            base[q] += part[q]
    if memory.chosen.size < n:
        for q in range(base.size):
            base[q] *= n / memory.chosen.size


@kernel(REORDER)
def set_anchor(lanes, model, walk, memory, plan, k):
    """Chain k's position becomes its anchor, or the point at which SAGA's whole table is computed: B evaluations."""
    walk.anchors[k] += 1
    walk.anchor[k, :] = walk.position[k]
    choose_subset(walk, k, model.targets.size, memory)
    _fill(lanes, model, walk, memory, plan, k)
    walk.evaluations[k] += plan.anchor_batch
    walk.since_anchor[k] = 0


@kernel(REORDER)
def _means_at_anchor(lanes, model, walk, memory, plan, k, batch, anchor, out, one):
    """mean(score) of the batch at the anchor into ``out``; only what is not stored is evaluated, and counted."""
    b = batch.size
    if not plan.store:
        gathered_dots(lanes, model.rows, batch, b, anchor, out)
        means_inplace(model.kind, out)
        walk.evaluations[k] += b
        return
    for j in range(b):
        if memory.stamps[k, batch[j]] != walk.anchors[k]:
            gathered_dots(lanes, model.rows, batch[j:j + 1], 1, anchor, one)
            means_inplace(model.kind, one)
            memory.values[k, batch[j]] = one[0]
            memory.stamps[k, batch[j]] = walk.anchors[k]
            walk.evaluations[k] += 1
        out[j] = memory.values[k, batch[j]]


@kernel(REORDER)
def _update_table(lanes, rows, values, k, batch, fresh, weights, base, change, part):
    """SAGA's table takes the fresh values, its sum the change of every DISTINCT term (a repeat adds nothing)."""
    repeated = False
    for j in range(batch.size):
        first = fresh[j] - values[k, batch[j]]  # zero when this term was written before in this loop
        values[k, batch[j]] = fresh[j]
        weights[j] -= first
        repeated |= weights[j] != 0.0
    if repeated:
        gathered_sum(lanes, rows, batch, batch.size, weights, part)
        for q in range(change.size):
            change[q] -= part[q]
    for q in range(change.size):
        base[q] += change[q]


@kernel(REORDER)
def _steps(lanes, model, walk, memory, plan, law, k, n_steps):
    """``n_steps`` steps of chain k, fewer if it diverges; returns how many."""
    width, b, n = LANES * len(lanes), plan.batch_size, model.targets.size
    scale, estimator, room = n / b, plan.estimator, -(-b // LANES) * LANES
    rows, targets, prior, mask, kind = model.rows, model.targets, model.prior, model.mask, model.kind
    x, base, anchor = walk.position[k], walk.base[k], walk.anchor[k]
    batch, fresh, old, weights = np.empty(b, np.int64), np.zeros(room), np.zeros(room), np.zeros(room)
    one, point = np.zeros(LANES), np.empty((2, width))
    change, part, gradient = np.empty(width), np.empty(width), np.empty(width)
    for i in range(n_steps):
        next_batch(walk, k, n, batch)
        gathered_dots(lanes, rows, batch, b, x, fresh)
        means_inplace(kind, fresh)
        walk.evaluations[k] += b
        if estimator == MINIBATCH:
            for j in range(b):
                weights[j] = fresh[j] - targets[batch[j]]
        elif estimator == SAGA:
            for j in range(b):
                weights[j] = fresh[j] - memory.values[k, batch[j]]
        else:
            _means_at_anchor(lanes, model, walk, memory, plan, k, batch, anchor, old, one)
            for j in range(b):
                weights[j] = fresh[j] - old[j]
        gathered_sum(lanes, rows, batch, b, weights, change)
        for q in range(width):
            gradient[q] = prior[q] * x[q] + base[q] + scale * change[q]
        if estimator == SAGA:
            _update_table(lanes, rows, memory.values, k, batch, fresh, weights, base, change, part)
        if not move(lanes, walk, k, gradient, law, mask, point):
            return i + 1
    return n_steps


@kernel(REORDER)
def advance(lanes, model, walk, memory, plan, law, budget, n_steps):
    """Up to ``n_steps`` steps in every chain, none beyond ``budget`` evaluations; can no chain afford any more?"""
    done = True
    for k in range(walk.position.shape[0]):
        made = 0
        while made < n_steps and affordable(walk, k, plan, budget):
            if anchor_due(walk, k, plan):
                set_anchor(lanes, model, walk, memory, plan, k)
            else:
                ahead = steps_ahead(walk, k, plan, budget, n_steps - made)
                made += _steps(lanes, model, walk, memory, plan, law, k, ahead)
        done &= not affordable(walk, k, plan, budget)
    return done
