"""One Langevin step once its gradient is there, and the start of an epoch: run length, checkpoint, resets."""

import numpy as np
from numba import int64, uint64

from sampler.kernels.chains import LENGTH_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.rng import fill_normal, next_uniform
from sampler.kernels.simd_lanes import LANES, LINE, set_vector


@kernel()
def run_length(u, i_max, random_length):
    """i_t: uniform on 1..i_max from the kept draw u, or i_max."""
    return min(1 + int64(u * i_max), i_max) if random_length else i_max


@kernel(inner=True)
def new_checkpoint(t):
    """Is X^{t-1} the new checkpoint? It is where t - 1 is a power of two, or zero."""
    return ((t - 1) & (t - 2)) == 0 or t == 1


@kernel(inner=True)
def outside_acceptance_ball(x, checkpoint, t, knobs):
    """Is a chain at x farther from its checkpoint than C'/sqrt(t + c)?

    Differs from the paper: LMV-a divides by sqrt(t - 1 + c); LMV-n's sqrt(t + c) is finite at t = 1, c = 0.
    """
    return squared_distance(x, checkpoint) * (t + knobs.offset) > knobs.acceptance_radius**2


@kernel(inner=True)
def begin_epoch(chains, k, t, knobs, reset, center):
    """Lines 1, 2 and 5 of LMV-n Algorithm 2 for chain k: checkpoint, warm start or (with ``reset``) return, run length."""
    x, checkpoint = chains.position[k], chains.checkpoint[k]
    if new_checkpoint(t):
        set_vector(checkpoint, x)
    set_vector(chains.warm_start[k], x)
    chains.was_reset[k] = reset and outside_acceptance_ball(x, checkpoint, t, knobs)
    if chains.was_reset[k]:
        set_vector(x, checkpoint)
    chains.steps_done[k] = 0
    chains.length_draw[k] = next_uniform(chains.rng[k, LENGTH_STREAM])
    chains.farthest[k] = squared_distance(x, center) if center.size else 0.0


FAR = 1e30  # squared norm beyond which a chain has left every posterior: it stops there


@kernel(REORDER, inner=True)
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
    if at + n > noise.size - LINE:
        fill_normal(rng, noise[:noise.size - LINE])
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


@kernel(inner=True)
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
