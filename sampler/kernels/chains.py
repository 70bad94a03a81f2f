"""State of K chains, and the start of an epoch and the last line of a step that all algorithms share.

D is the dimension padded to whole lanes; padded coordinates are zero for ever.
"""

from typing import NamedTuple

import numpy as np
from numba import int64, uint64

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.lanes import LANES, aligned_zeros, padded
from sampler.kernels.rng import fill_normal, next_uniform, spawn_counters

INDEX_STREAM, NOISE_STREAM, LENGTH_STREAM = 0, 1, 2  # one random stream each, so that no knob shifts another's draws
NOISE_BLOCK = 512
FAR = 1e30  # squared norm beyond which a chain has left every posterior: it stops there


class Chains(NamedTuple):
    """Arrays of K chains (symbol of LMV-n Algorithms 1 and 2)."""

    position: np.ndarray  # X, (K, D)
    checkpoint: np.ndarray  # X^{t'}, (K, D)
    warm_start: np.ndarray  # X^{t-1}, where the chain stood before this epoch, (K, D)
    gradient_sum: np.ndarray  # s, (K, D)
    rng: np.ndarray  # counters, (K, 3, 8) uint64
    noise: np.ndarray  # normals drawn ahead, (K, max(512, D) + 8): the last lanes may be read, never used
    noise_at: np.ndarray  # next unused one, (K,) int64
    length_draw: np.ndarray  # u, with i_t = 1 + floor(u i_max), (K,)
    steps_done: np.ndarray  # i, (K,) int64
    was_reset: np.ndarray  # (K,) bool
    farthest: np.ndarray  # max over this epoch's steps of ||X - center||^2, (K,)
    diverged_epoch: np.ndarray  # 0 while the chain is sound, (K,) int64
    diverged_step: np.ndarray  # (K,) int64


class Knobs(NamedTuple):
    """Settings in the form kernels take."""

    eta0: float
    batch_size: int
    i_max: int
    acceptance_radius: float
    offset: float
    variance_reduction: bool
    reset: bool
    random_length: bool
    refresh: bool


def new_chains(start: np.ndarray, seed: int) -> Chains:
    """K chains at ``start`` (K, d), independent random streams from one seed."""
    k, dim = start.shape
    width = padded(dim)
    block = max(NOISE_BLOCK, width)
    position = aligned_zeros((k, width))
    position[:, :dim] = start
    return Chains(position, position.copy(), position.copy(), aligned_zeros((k, width)),
                  spawn_counters(seed, k, 3),
                  aligned_zeros((k, block + LANES)), np.full(k, block, np.int64), np.zeros(k),
                  np.zeros(k, np.int64), np.zeros(k, np.bool_), np.zeros(k), np.zeros(k, np.int64),
                  np.zeros(k, np.int64))


@kernel()
def run_length(u, i_max, random_length):
    """i_t: uniform on 1..i_max from the kept draw u, or i_max."""
    return min(1 + int64(u * i_max), i_max) if random_length else i_max


@kernel(REORDER)
def squared_distance(a, b):
    """||a - b||^2."""
    total = 0.0
    for q in range(a.size):
        total += (a[q] - b[q]) ** 2
    return total


@kernel()
def begin_epoch(chains, k, t, knobs, center):
    """Lines 1, 2 and 5 of LMV-n Algorithm 2 for chain k: checkpoint, warm start or reset, run length."""
    x, checkpoint = chains.position[k], chains.checkpoint[k]
    if ((t - 1) & (t - 2)) == 0 or t == 1:  # t - 1 is a power of two, or zero: X^{t-1} is the new checkpoint
        checkpoint[:] = x
    chains.warm_start[k, :] = x
    # Differs from the paper: LMV-a divides by sqrt(t - 1 + c); LMV-n's sqrt(t + c) is finite at t = 1, c = 0.
    far = squared_distance(x, checkpoint) * (t + knobs.offset) > knobs.acceptance_radius**2
    chains.was_reset[k] = knobs.reset and far
    if chains.was_reset[k]:
        x[:] = checkpoint
    chains.steps_done[k] = 0
    chains.length_draw[k] = next_uniform(chains.rng[k, LENGTH_STREAM])
    chains.farthest[k] = squared_distance(x, center) if center.size else 0.0


@kernel(REORDER)
def take_normals(rng, noise, noise_at, k, n):
    """Position in ``noise`` (one chain's) of n fresh normals for chain k, drawn a block at a time."""
    at = noise_at[k]
    if at + n > noise.size - LANES:
        fill_normal(rng, noise[:noise.size - LANES])
        at = 0
    noise_at[k] = at + n
    return at


@kernel(REORDER)
def langevin_point(lanes, x, gradient, step_size, mask, noise, at):
    """Gradient <- X - eta g + sqrt(2 eta) xi, the next point, with xi from noise[at:]; returns its squared norm.

    Whole lanes are computed; ``mask`` (D,) is 1 on real coordinates and 0 on padding.
    """
    scale = np.sqrt(2.0 * step_size)
    size = 0.0
    for q in range(uint64(LANES * len(lanes))):
        gradient[q] = x[q] - step_size * gradient[q] + scale * mask[q] * noise[uint64(at) + q]
        size += gradient[q] * gradient[q]
    return size


@kernel()
def count_steps(chains, k, t, made, sound):
    """Chain k has tried ``made`` steps at epoch t; if the last was not ``sound`` it is marked as diverged there."""
    chains.steps_done[k] += made
    if not sound:
        chains.diverged_epoch[k], chains.diverged_step[k] = t, chains.steps_done[k]


@kernel(REORDER)
def land(lanes, chains, k, t, x, point, size, center):
    """Chain k moves to ``point`` of squared norm ``size``; if that is not sound it stays, marked diverged: False."""
    sound = size < FAR
    count_steps(chains, k, t, 1, sound)
    if sound:
        for q in range(LANES * len(lanes)):
            x[q] = point[q]
        if center.size:
            chains.farthest[k] = max(chains.farthest[k], squared_distance(x, center))
    return sound
