"""SGLD, SAGA and SVRG steps on fixed data, on K chains: one-score models, quadratic terms, user-defined gradients.

The gradient of a one-score term k is ``(mean(score) - target) * row``, so a table stores one number per term,
``mean(score)``; for other terms it stores one vector per term. Quadratic terms f_k = sum_i c_i (theta_i - y_ki)^2 / 2 are
evaluated here; user-defined gradients are passed in, one batch at a time, to `open_anchor`, `add_to_anchor` and `step`.

``model`` is a `GlmModel` or a `QuadraticModel`; numba distinguishes them by the length of the tuple.

Here and in the coreset kernels inner kernels are inlined (``forceinline``). Otherwise the process that compiles caller and
callee may run another copy of the callee than one that loads the caller from the cache, with different last bits.
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

BLOCK = 128  # rows per block, whose scores fit the first-level cache
ONE_SCORE = 5  # number of fields of a GlmModel


class GlmModel(NamedTuple):
    """Data of a one-score model as a tuple for kernels; D is the padded dimension."""

    kind: int
    rows: np.ndarray  # (n, D)
    targets: np.ndarray  # (n,)
    prior: np.ndarray  # precision, (D,)
    mask: np.ndarray  # 1 on real coordinates, (D,)


class QuadraticModel(NamedTuple):
    """Quadratic terms as a tuple for kernels."""

    rows: np.ndarray  # y_k, (n, d)
    curvature: np.ndarray  # c, (d,)
    mask: np.ndarray  # 1 on real coordinates, (D,)


@kernel()
def open_anchor(walk, memory, plan, n, k):
    """Make chain k's position its anchor, and fill ``memory.chosen`` with the terms whose gradients there are needed."""
    walk.anchors[k] += 1
    walk.anchor[k, :] = walk.position[k]
    walk.base[k, :] = 0.0
    choose_subset(walk, k, n, memory)
    walk.evaluations[k] += plan.anchor_batch
    walk.since_anchor[k] = 0


@kernel(REORDER, inner=True, forceinline=True)
def _fill(lanes, model, walk, memory, plan, k):
    """Sum the gradients of ``memory.chosen`` at chain k's anchor into ``base``, scaled to n terms."""
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
    """Write mean(score) of the batch at the anchor into ``out``; only values not stored are evaluated and counted."""
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
    """Write the fresh values to SAGA's table and add the change of each DISTINCT term to its sum."""
    repeated = False
    for j in range(batch.size):
        first = fresh[j] - values[k, batch[j]]  # zero if this term was written earlier in this loop
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
    """Take ``n_steps`` steps of chain k in a one-score model, fewer if it diverges; return their number."""
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
    """Add the gradients ``fresh`` (j, d) of chosen terms first..first+j-1 to chain k's base, scaled to n terms."""
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
    """Take a step of chain k from its batch's gradients: ``fresh`` (b, d) at x, ``old`` (b, d) at the anchor (SVRG)."""
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
        for j in range(batch.size):  # a repeated index changes nothing the second time
            for q in range(dim):
                walk.base[k, q] += fresh[j, q] - memory.values[k, batch[j], q]
                memory.values[k, batch[j], q] = fresh[j, q]
    walk.evaluations[k] += batch.size
    return move(lanes, walk, k, gradient, law, mask, point)


@kernel(REORDER, inner=True, forceinline=True)
def _quadratic_gradients(rows, curvature, indices, x, out):
    """Write curvature * (x - y_k) for each index into ``out`` (b, d)."""
    for j in range(indices.size):
        for q in range(out.shape[1]):
            out[j, q] = curvature[q] * (x[q] - rows[indices[j], q])


@kernel(REORDER, inner=True, forceinline=True)
def _old_gradients(rows, curvature, walk, memory, plan, k, batch, out):
    """Write the batch's gradients at the anchor into ``out`` (b, d); only those not stored are evaluated and counted."""
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
    """Take ``n_steps`` steps of chain k on quadratic terms, fewer if it diverges; return their number."""
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
    """Compute the anchor, or SAGA's whole table, at chain k's position: B evaluations."""
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
    """Take up to ``n_steps`` steps in every chain, within ``budget`` evaluations; return whether all budgets are used up."""
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
