"""State of K chains: their arrays, and the settings in the form kernels take.

D is the dimension padded to whole lanes; padded coordinates are zero for ever.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.rng import spawn_generators
from sampler.kernels.simd_lanes import LINE, aligned_zeros, padded

INDEX_STREAM, NOISE_STREAM, LENGTH_STREAM = 0, 1, 2  # one random stream each, so that no knob shifts another's draws
NOISE_BLOCK = 512


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
                  spawn_generators(seed, k, 3),
                  aligned_zeros((k, block + LINE)), np.full(k, block, np.int64), np.zeros(k),
                  np.zeros(k, np.int64), np.zeros(k, np.bool_), np.zeros(k), np.zeros(k, np.int64),
                  np.zeros(k, np.int64))
