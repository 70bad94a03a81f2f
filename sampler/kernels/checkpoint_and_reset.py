"""The start of an epoch: when a checkpoint is taken, and which chains are put back to it (LMV-n Algorithm 2)."""

from sampler.kernels.chains import LENGTH_STREAM
from sampler.kernels.compile import kernel
from sampler.kernels.langevin_step import squared_distance
from sampler.kernels.rng import next_uniform


@kernel()
def new_checkpoint(t):
    """Is X^{t-1} the new checkpoint? It is where t - 1 is a power of two, or zero."""
    return ((t - 1) & (t - 2)) == 0 or t == 1


@kernel()
def outside_acceptance_ball(x, checkpoint, t, knobs):
    """Is a chain at x farther from its checkpoint than C'/sqrt(t + c)?

    Differs from the paper: LMV-a divides by sqrt(t - 1 + c); LMV-n's sqrt(t + c) is finite at t = 1, c = 0.
    """
    return squared_distance(x, checkpoint) * (t + knobs.offset) > knobs.acceptance_radius**2


@kernel()
def opens_at_checkpoint(chains, k, t, knobs):
    """Will `begin_epoch` put chain k back to its checkpoint? Changes nothing."""
    outside = outside_acceptance_ball(chains.position[k], chains.checkpoint[k], t, knobs)
    return knobs.reset and outside and not new_checkpoint(t)


@kernel()
def begin_epoch(chains, k, t, knobs, center):
    """Lines 1, 2 and 5 of LMV-n Algorithm 2 for chain k: checkpoint, warm start or reset, run length."""
    x, checkpoint = chains.position[k], chains.checkpoint[k]
    if new_checkpoint(t):
        checkpoint[:] = x
    chains.warm_start[k, :] = x
    chains.was_reset[k] = knobs.reset and outside_acceptance_ball(x, checkpoint, t, knobs)
    if chains.was_reset[k]:
        x[:] = checkpoint
    chains.steps_done[k] = 0
    chains.length_draw[k] = next_uniform(chains.rng[k, LENGTH_STREAM])
    chains.farthest[k] = squared_distance(x, center) if center.size else 0.0
