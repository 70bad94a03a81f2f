"""One Langevin step once its gradient is there: noise, the next point, and whether the chain is still sound."""

import numpy as np
from numba import uint64

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.lanes import LANES
from sampler.kernels.rng import fill_normal

FAR = 1e30  # squared norm beyond which a chain has left every posterior: it stops there


@kernel(REORDER)
def squared_distance(a, b):
    """||a - b||^2."""
    total = 0.0
    for q in range(a.size):
        total += (a[q] - b[q]) ** 2
    return total


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
