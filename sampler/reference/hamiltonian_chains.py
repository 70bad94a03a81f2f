"""Hamiltonian chains in coordinates whitened at the mode: nearly independent draws of any F_t, at a few passes each."""

from collections.abc import Iterator

import numpy as np

from sampler.problems.base import Posterior
from sampler.reference.whitened_potential import whitened_potential

TARGET = 0.9
"""Mean acceptance that the step is adapted to. 0.65 gives the most draws a gradient (Beskos et al. 2013); at 0.9 states are
repeated a third as often, which is worth more here: to measure a state costs more than to draw it."""
QUARTER = 0.5 * np.pi
"""Length of a trajectory: over it a unit normal's position turns into its momentum, a draw of its own."""
SPREAD = 0.15
"""Trajectories are this share longer or shorter, evenly, so that no direction keeps returning to where it was."""


def hamiltonian_chain(
    posterior: Posterior,
    mode: np.ndarray,
    hessian: np.ndarray,
    starts: np.ndarray,
    warm_up: int,
    rng: np.random.Generator,
    threads: int = 1,
) -> Iterator[np.ndarray]:
    """Endless states of parallel chains, each (chains, d), some four passes over the data a state at d = 100.

    In v = L' (x - mode), where hessian = L L', a state is one trajectory of Hamiltonian Monte Carlo (Duane et al. 1987):
    momenta from N(0, I), leapfrog steps to a quarter of a normal law's period, and a Metropolis test. Where F_t is nearly
    quadratic the state before is forgotten; the number of steps grows as d^(1/4). The step is adapted during ``warm_up``
    states, then fixed.

    Parameters
    ----------
    posterior : Posterior
        With a potential and a gradient.
    mode, hessian : (d,), (d, d) arrays
    starts : (chains, d) array
    warm_up : int
    rng : numpy Generator
    threads : int
        Threads that the chains are shared out to, at most; the states do not depend on it.
    """
    to_white, evaluate = whitened_potential(posterior, mode, hessian, threads)
    chains, d = starts.shape
    v = to_white(starts)
    theta, value, slope = evaluate(v)
    log_step, count = np.log(1.4 / d**0.25), 0
    while True:
        count += 1
        length = QUARTER * (1.0 + SPREAD * (2.0 * rng.random() - 1.0))
        steps = max(1, round(length / np.exp(log_step)))
        eps = length / steps if steps > 1 else min(length, np.exp(log_step))
        first = rng.standard_normal((chains, d))
        momentum, w, there, new, ahead = first, v, theta, value, slope
        for _ in range(steps):
            momentum = momentum - 0.5 * eps * ahead
            w = w + eps * momentum
            there, new, ahead = evaluate(w)
            momentum = momentum - 0.5 * eps * ahead
        with np.errstate(over="ignore", invalid="ignore"):
            gain = value - new + 0.5 * ((first**2).sum(axis=1) - (momentum**2).sum(axis=1))
        chance = np.exp(np.minimum(np.where(np.isfinite(gain), gain, -np.inf), 0.0))
        taken = rng.random(chains) < chance
        v, theta, slope = (np.where(taken[:, None], a, b) for a, b in ((w, v), (there, theta), (ahead, slope)))
        value = np.where(taken, new, value)
        if count <= warm_up:
            log_step = min(log_step + (chance.mean() - TARGET) / count**0.6, np.log(QUARTER))
        yield theta
