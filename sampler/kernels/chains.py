"""State arrays of K chains, and the sampler settings as a tuple for kernels.

D is the dimension padded to whole lanes; padded coordinates are always zero.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.rng import spawn_generators
from sampler.kernels.simd_lanes import LINE, aligned_zeros, padded

INDEX_STREAM, NOISE_STREAM, LENGTH_STREAM = 0, 1, 2  # separate streams: no setting shifts the draws of another
NOISE_BLOCK = 512


class Chains(NamedTuple):
    """State arrays of K chains, with the symbols of LMV-n Algorithms 1 and 2."""

    position: np.ndarray  # X, (K, D)
    checkpoint: np.ndarray  # X^{t'}, (K, D)
    warm_start: np.ndarray  # X^{t-1}, position before this epoch, (K, D)
    gradient_sum: np.ndarray  # s, (K, D)
    rng: np.ndarray  # counters, (K, 3, 8) uint64
    noise: np.ndarray  # buffer of N(0, 1) draws, (K, max(512, D) + 8); the last 8 only pad reads of whole lanes
    noise_at: np.ndarray  # index of the next unused draw, (K,) int64
    length_draw: np.ndarray  # u, with i_t = 1 + floor(u i_max), (K,)
    steps_done: np.ndarray  # i, (K,) int64
    was_reset: np.ndarray  # (K,) bool
    farthest: np.ndarray  # max over this epoch's steps of ||X - center||^2, (K,)
    diverged_epoch: np.ndarray  # 0 unless the chain has diverged, (K,) int64
    diverged_step: np.ndarray  # (K,) int64


class Knobs(NamedTuple):
    """Sampler settings as a tuple for kernels."""

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
    """Return K chains at ``start`` (K, d), with independent random streams from one seed."""
    k, dim = start.shape
    width = padded(dim)
    block = max(NOISE_BLOCK, width)
    position = aligned_zeros((k, width))
    position[:, :dim] = start
    return Chains(position, position.copy(), position.copy(), aligned_zeros((k, width)),
                  spawn_generators(seed, k, 3),
                  aligned_zeros((k, block + LINE)), np.full(k, block, np.int64), np.zeros(k),
                  np.zeros(k, np.int64), np.zeros(k, np.bool_), np.zeros(k), np.zeros(k, np.int64),
                  np.zeros(k, np.int64))
