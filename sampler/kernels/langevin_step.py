"""Langevin step from a computed gradient, and the start of an epoch: run length, checkpoint, resets."""

import numpy as np
from numba import int64, uint64

from sampler.kernels.chains import LENGTH_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.rng import fill_normal, next_uniform
from sampler.kernels.simd_lanes import LANES, LINE, set_vector


@kernel()
def run_length(u, i_max, random_length):
    """Return i_t: uniform on 1..i_max from the stored draw u if ``random_length``, else i_max."""
    return min(1 + int64(u * i_max), i_max) if random_length else i_max


@kernel(inner=True)
def new_checkpoint(t):
    """Return whether X^{t-1} is the new checkpoint: t - 1 is a power of two, or zero."""
    return ((t - 1) & (t - 2)) == 0 or t == 1


@kernel(inner=True)
def outside_acceptance_ball(x, checkpoint, t, knobs):
    """Return whether x is farther from its checkpoint than C'/sqrt(t + c).

    Differs from the paper: LMV-a divides by sqrt(t - 1 + c); LMV-n's sqrt(t + c) is finite at t = 1, c = 0.
    """
    return squared_distance(x, checkpoint) * (t + knobs.offset) > knobs.acceptance_radius**2


@kernel(inner=True)
def begin_epoch(chains, k, t, knobs, reset, center):
    """Run lines 1, 2 and 5 of LMV-n Algorithm 2 for chain k: checkpoint, warm start, reset if enabled, run length."""
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


FAR = 1e30  # squared norm from which a chain counts as diverged and stops


@kernel(REORDER, inner=True)
def squared_distance(a, b):
    """Return ||a - b||^2."""
    total = 0.0
    for q in range(a.size):
        total += (a[q] - b[q]) ** 2
    return total


@kernel(REORDER)
def take_normals(rng, noise, noise_at, k, n):
    """Return the offset of n fresh normals in chain k's buffer ``noise``, which is refilled as a whole when used up."""
    at = noise_at[k]
    if at + n > noise.size - LINE:
        fill_normal(rng, noise[:noise.size - LINE])
        at = 0
    noise_at[k] = at + n
    return at


@kernel(REORDER)
def langevin_point(lanes, x, gradient, step_size, mask, noise, at):
    """Replace ``gradient`` by the next point X - eta g + sqrt(2 eta) xi, xi from noise[at:]; return its squared norm.

    Computes whole lanes; ``mask`` (D,) is 1 on real coordinates and 0 on padding.
    """
    scale = np.sqrt(2.0 * step_size)
    size = 0.0
    for q in range(uint64(LANES * len(lanes))):
        gradient[q] = x[q] - step_size * gradient[q] + scale * mask[q] * noise[uint64(at) + q]
        size += gradient[q] * gradient[q]
    return size


@kernel(inner=True)
def count_steps(chains, k, t, made, sound):
    """Count ``made`` steps of chain k at epoch t; unless ``sound``, mark it as diverged at the last of them."""
    chains.steps_done[k] += made
    if not sound:
        chains.diverged_epoch[k], chains.diverged_step[k] = t, chains.steps_done[k]


@kernel(REORDER)
def land(lanes, chains, k, t, x, point, size, center):
    """Move chain k to ``point`` of squared norm ``size``; if that is not below FAR, mark it as diverged and return False."""
    sound = size < FAR
    count_steps(chains, k, t, 1, sound)
    if sound:
        for q in range(LANES * len(lanes)):
            x[q] = point[q]
        if center.size:
            chains.farthest[k] = max(chains.farthest[k], squared_distance(x, center))
    return sound
