"""State of K chains on fixed data, and one step from a computed gradient: overdamped or underdamped.

D is the dimension padded to whole lanes; padded coordinates are always zero.
"""

from typing import NamedTuple

import numpy as np
from numba import int64

from sampler.kernels.chains import NOISE_BLOCK, NOISE_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.langevin_step import FAR, take_normals
from sampler.kernels.rng import next_uniform, spawn_generators
from sampler.kernels.simd_lanes import LANES, LINE, aligned_zeros, padded

SUBSET_STREAM = 2  # a separate random stream: drawing the anchor's subset shifts no other draw
MINIBATCH, SAGA, ANCHORED = 0, 1, 2  # ``Plan.estimator``: SGLD's, SAGA's, SVRG's gradient
DUE = -1  # ``since_anchor`` of a chain that must compute its anchor (or table) before its next step


class Walk(NamedTuple):
    """State arrays of K chains on n terms."""

    position: np.ndarray  # x, (K, D)
    velocity: np.ndarray  # v, underdamped only, (K, D)
    anchor: np.ndarray  # the anchor's position, (K, D)
    base: np.ndarray  # SAGA: sum of the cached gradients; SVRG: n times the anchor batch's mean gradient; (K, D)
    path_sum: np.ndarray  # sum of the positions after every step, (K, D)
    rng: np.ndarray  # counters, (K, 3, 8) uint64
    noise: np.ndarray  # buffer of N(0, 1) draws, (K, block + 8)
    noise_at: np.ndarray  # index of the next unused draw, (K,) int64
    steps: np.ndarray  # steps made, (K,) int64
    evaluations: np.ndarray  # gradients of single terms, (K,) int64
    since_anchor: np.ndarray  # steps since the anchor, DUE without an anchor, (K,) int64
    anchors: np.ndarray  # anchors computed so far, (K,) int32
    diverged_step: np.ndarray  # 0 unless the chain has diverged, (K,) int64


class Memory(NamedTuple):
    """Per-term storage of a gradient estimator, and scratch arrays of all chains."""

    values: np.ndarray  # (K, n) mean(score) of one-score models, (K, n, d) gradients of others; empty if unused
    stamps: np.ndarray  # number of the anchor of each value, (K, n) int32; empty unless anchor gradients are stored
    order: np.ndarray  # 0, 1, ..., n - 1 between uses, (n,) int64
    swaps: np.ndarray  # (B,) int64
    chosen: np.ndarray  # the anchor's batch, (B,) int64


class Plan(NamedTuple):
    """Gradient estimator as a tuple for kernels."""

    estimator: int  # MINIBATCH, SAGA or ANCHORED
    batch_size: int  # b
    anchor_batch: int  # B
    anchor_every: int  # m
    store: bool  # store the anchor's gradients of single terms
    step_cost: int  # largest number of gradients evaluated in one step


class Law(NamedTuple):
    """Coefficients of a step with gradient g: X <- X - drift g + noise xi, or one underdamped step (cv_uld.py)."""

    underdamped: bool
    drift: float
    noise: float
    decay: float  # of the velocity
    reach: float  # of the velocity into the position
    pull: float  # of g into the velocity
    noise_velocity: float
    noise_shared: float  # of the velocity's normal into the position
    noise_own: float


def new_walk(start: np.ndarray, seed: int) -> Walk:
    """Return K chains at ``start`` (K, d) with zero velocity and independent random streams from one seed."""
    k, dim = start.shape
    width = padded(dim)
    block = max(NOISE_BLOCK, 2 * width)
    position = aligned_zeros((k, width))
    position[:, :dim] = start
    return Walk(position, aligned_zeros((k, width)), aligned_zeros((k, width)), aligned_zeros((k, width)),
                aligned_zeros((k, width)), spawn_generators(seed, k, 3), aligned_zeros((k, block + LINE)),
                np.full(k, block, np.int64), np.zeros(k, np.int64), np.zeros(k, np.int64),
                np.full(k, DUE, np.int64), np.zeros(k, np.int32), np.zeros(k, np.int64))


@kernel()
def choose_subset(walk, k, n, memory):
    """Fill ``memory.chosen`` with a uniform draw without replacement from 0..n-1, by chain k's generator, in O(B).

    Makes the first B swaps of a Fisher-Yates shuffle and undoes them, so that the result is independent of earlier draws.
    """
    order, swaps, chosen = memory.order, memory.swaps, memory.chosen
    if chosen.size == n:
        chosen[:] = order
        return
    for i in range(chosen.size):
        j = i + int64(next_uniform(walk.rng[k, SUBSET_STREAM]) * (n - i))
        order[i], order[j] = order[j], order[i]
        swaps[i] = j
        chosen[i] = order[i]
    for i in range(chosen.size - 1, -1, -1):
        j = swaps[i]
        order[i], order[j] = order[j], order[i]


@kernel()
def anchor_due(walk, k, plan):
    """Return whether chain k must compute an anchor, or SAGA's table, before its next step."""
    return plan.estimator != MINIBATCH and (walk.since_anchor[k] == DUE or walk.since_anchor[k] >= plan.anchor_every)


@kernel()
def affordable(walk, k, plan, budget):
    """Return whether chain k has not diverged and its next anchor or step keeps its evaluations within ``budget``."""
    cost = plan.anchor_batch if anchor_due(walk, k, plan) else plan.step_cost
    return walk.diverged_step[k] == 0 and walk.evaluations[k] + cost <= budget


@kernel(inner=True)
def steps_ahead(walk, k, plan, budget, n_steps):
    """Return the number of steps, at most ``n_steps``, of chain k before its next anchor or the end of its budget."""
    ahead = min(n_steps, (budget - walk.evaluations[k]) // plan.step_cost)
    return ahead if plan.estimator == MINIBATCH else min(ahead, plan.anchor_every - walk.since_anchor[k])


@kernel(REORDER, inline="always")
def move(lanes, walk, k, gradient, law, mask, point):
    """Take a step of chain k with ``gradient`` (D,); if it diverges, mark it, leave it in place and return False.

    ``mask`` (D,) is 1 on real coordinates and 0 on padding; ``point`` (2, D) is scratch.
    """
    x, v, noise = walk.position[k], walk.velocity[k], walk.noise[k]
    width, dim = LANES * len(lanes), np.int64(mask.sum())
    size = 0.0
    if law.underdamped:
        at = take_normals(walk.rng[k, NOISE_STREAM], noise, walk.noise_at, k, 2 * dim)
        for q in range(width):
            shared, own = noise[at + q], noise[at + dim + q]
            point[1, q] = law.decay * v[q] - law.pull * gradient[q] + mask[q] * law.noise_velocity * shared
            point[0, q] = (x[q] + law.reach * v[q] - law.drift * gradient[q]
                           + mask[q] * (law.noise_shared * shared + law.noise_own * own))
            size += point[0, q] * point[0, q] + point[1, q] * point[1, q]
    else:
        at = take_normals(walk.rng[k, NOISE_STREAM], noise, walk.noise_at, k, dim)
        for q in range(width):
            point[0, q] = x[q] - law.drift * gradient[q] + law.noise * mask[q] * noise[at + q]
            size += point[0, q] * point[0, q]
    walk.steps[k] += 1
    walk.since_anchor[k] += 1
    if not size < FAR:
        walk.diverged_step[k] = walk.steps[k]
        return False
    for q in range(width):
        x[q] = point[0, q]
        walk.path_sum[k, q] += point[0, q]
    if law.underdamped:
        for q in range(width):
            v[q] = point[1, q]
    return True
