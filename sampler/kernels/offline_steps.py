"""SGLD's, SAGA's and SVRG's gradients on fixed data, on K chains: one-score models, quadratic terms, gradients of a user's.

The gradient of a one-score term k is ``(mean(score) - target) * row``, so a table keeps one number a term, ``mean(score)``;
of other terms it keeps one vector. Quadratic terms f_k = sum_i c_i (theta_i - y_ki)^2 / 2 run here whole; a user's gradients
come from outside, a batch at a time, and use `open_anchor`, `add_to_anchor` and `step`.

``model`` is a `GlmModel` or a `QuadraticModel`; numba knows which by the length of the tuple.

Here and in the kernels of coresets inner kernels are inlined (``forceinline``). Where a call stays, the process that
compiled both may run another copy than one that reads the caller from the cache: its last bits may differ.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.chains import INDEX_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_langevin import means_inplace
from sampler.kernels.offline_chains import (
    ANCHORED,
    MINIBATCH,
    SAGA,
    affordable,
    anchor_due,
    choose_subset,
    move,
    steps_ahead,
)
from sampler.kernels.rng import fill_index
from sampler.kernels.simd_lanes import LANES, gathered_dots, gathered_sum

BLOCK = 128  # rows whose scores stay in the first-level cache
ONE_SCORE = 5  # fields of a GlmModel


class GlmModel(NamedTuple):
    """A one-score model's data in the form kernels take; D is the padded dimension."""

    kind: int
    rows: np.ndarray  # (n, D)
    targets: np.ndarray  # (n,)
    prior: np.ndarray  # precision, (D,)
    mask: np.ndarray  # 1 on real coordinates, (D,)


class QuadraticModel(NamedTuple):
    """Quadratic terms in the form kernels take."""

    rows: np.ndarray  # y_k, (n, d)
    curvature: np.ndarray  # c, (d,)
    mask: np.ndarray  # 1 on real coordinates, (D,)


@kernel()
def open_anchor(walk, memory, plan, n, k):
    """Chain k's position becomes its anchor; ``memory.chosen`` says which gradients there are wanted."""
    walk.anchors[k] += 1
    walk.anchor[k, :] = walk.position[k]
    walk.base[k, :] = 0.0
    choose_subset(walk, k, n, memory)
    walk.evaluations[k] += plan.anchor_batch
    walk.since_anchor[k] = 0


@kernel(REORDER, inner=True, forceinline=True)
def _fill(lanes, model, walk, memory, plan, k):
    """Gradients of ``memory.chosen`` at chain k's anchor: their sum into ``base``, scaled to n terms."""
    x, base, n = walk.position[k], walk.base[k], model.targets.size
    scores, part, block = np.zeros(BLOCK), np.empty(LANES * len(lanes)), np.empty(BLOCK, np.int64)
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


@kernel(REORDER, inner=True, forceinline=True)
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


@kernel(REORDER, inner=True, forceinline=True)
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


@kernel(REORDER, inner=True, forceinline=True)
def _one_score_steps(lanes, model, walk, memory, plan, law, k, n_steps):
    """``n_steps`` steps of chain k in a one-score model, fewer if it diverges; returns how many."""
    width, b, n = LANES * len(lanes), plan.batch_size, model.targets.size
    scale, estimator, room = n / b, plan.estimator, -(-b // LANES) * LANES
    rows, targets, prior, mask, kind = model.rows, model.targets, model.prior, model.mask, model.kind
    x, base, anchor = walk.position[k], walk.base[k], walk.anchor[k]
    batch, fresh, old, weights = np.empty(b, np.int64), np.zeros(room), np.zeros(room), np.zeros(room)
    one, point = np.zeros(LANES), np.empty((2, width))
    change, part, gradient = np.empty(width), np.empty(width), np.empty(width)
    for i in range(n_steps):
        fill_index(walk.rng[k, INDEX_STREAM], n, batch)
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


@kernel(REORDER, inner=True, forceinline=True)
def _quadratic_gradients(rows, curvature, indices, x, out):
    """Curvature * (x - y_k) for each index."""
    for j in range(indices.size):
        for q in range(out.shape[1]):
            out[j, q] = curvature[q] * (x[q] - rows[indices[j], q])


@kernel(REORDER, inner=True, forceinline=True)
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


@kernel(REORDER, inner=True, forceinline=True)
def _quadratic_steps(lanes, model, walk, memory, plan, law, k, n_steps):
    """``n_steps`` steps of chain k on quadratic terms, fewer if it diverges; returns how many."""
    rows, curvature, mask = model
    n, dim = rows.shape
    b, width = plan.batch_size, LANES * len(lanes)
    batch, fresh, old = np.empty(b, np.int64), np.empty((b, dim)), np.empty((b, dim))
    prior, gradient, point = np.zeros(dim), np.empty(width), np.empty((2, width))
    x = walk.position[k]
    for i in range(n_steps):
        fill_index(walk.rng[k, INDEX_STREAM], n, batch)
        _quadratic_gradients(rows, curvature, batch, x, fresh)
        if plan.estimator == ANCHORED:
            _old_gradients(rows, curvature, walk, memory, plan, k, batch, old)
        if not step(lanes, walk, memory, plan, law, n, k, batch, fresh, old, prior, mask, gradient, point):
            return i + 1
    return n_steps


@kernel(REORDER, inner=True, forceinline=True)
def _set_anchor(lanes, model, walk, memory, plan, k):
    """Chain k's position becomes its anchor, or the point at which SAGA's whole table is computed: B evaluations."""
    n = model.rows.shape[0]
    open_anchor(walk, memory, plan, n, k)
    if len(model) == ONE_SCORE:
        _fill(lanes, model, walk, memory, plan, k)
    else:
        one = np.empty((1, model.curvature.size))
        for first in range(memory.chosen.size):
            _quadratic_gradients(model.rows, model.curvature, memory.chosen[first:first + 1], walk.anchor[k], one)
            add_to_anchor(walk, memory, plan, n, k, first, one)


@kernel(REORDER)
def advance(lanes, model, walk, memory, plan, law, budget, n_steps):
    """Up to ``n_steps`` steps in every chain, none beyond ``budget`` evaluations; can no chain afford any more?"""
    done = True
    for k in range(walk.position.shape[0]):
        made = 0
        while made < n_steps and affordable(walk, k, plan, budget):
            if anchor_due(walk, k, plan):
                _set_anchor(lanes, model, walk, memory, plan, k)
                continue
            ahead = steps_ahead(walk, k, plan, budget, n_steps - made)
            if len(model) == ONE_SCORE:
                made += _one_score_steps(lanes, model, walk, memory, plan, law, k, ahead)
            else:
                made += _quadratic_steps(lanes, model, walk, memory, plan, law, k, ahead)
        done &= not affordable(walk, k, plan, budget)
    return done
