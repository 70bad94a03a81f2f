"""Metropolis chains built on the mode: Langevin and independence steps in turn, exact for any F_t."""

from collections.abc import Iterator

import numpy as np

from sampler.problems.base import Posterior
from sampler.reference.whitened_potential import whitened_potential

TARGET = 0.574  # best acceptance of a Langevin proposal in high dimension (Roberts and Rosenthal 1998)


def langevin_chain(
    posterior: Posterior,
    mode: np.ndarray,
    hessian: np.ndarray,
    starts: np.ndarray,
    warm_up: int,
    rng: np.random.Generator,
    threads: int = 1,
) -> Iterator[np.ndarray]:
    """Endless states of parallel chains, each (chains, d), two passes over the data a state.

    In v = L' (x - mode), where hessian = L L', a state is one MALA step (Roberts and Tweedie 1996),
    w = v - eta g(v) + sqrt(2 eta) xi, followed by one independence step w ~ N(0, I) (Laplace's
    approximation as proposal), each with its Metropolis test. The first never sticks; the second forgets
    everything whenever it is accepted, which is nearly always once t is large. eta is adapted during
    ``warm_up`` states, then fixed.

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
    white = to_white(starts)
    state = [white, *evaluate(white)]  # v, theta, F, g

    def judge(proposal: tuple[np.ndarray, ...], ratio: np.ndarray) -> np.ndarray:
        """Metropolis test, one chain at a time; returns the chances."""
        chance = np.exp(np.minimum(np.where(np.isfinite(ratio), ratio, -np.inf), 0.0))
        accepted = rng.random(chains) < chance
        for i, new in enumerate(proposal):
            state[i] = np.where(accepted if new.ndim == 1 else accepted[:, None], new, state[i])
        return chance

    log_step = np.log(0.8 / d ** (1 / 3))
    count = 0
    while True:
        count += 1
        eta = np.exp(log_step)
        v, _, value, slope = state
        w = v - eta * slope + np.sqrt(2 * eta) * rng.standard_normal((chains, d))
        proposal = (w, *evaluate(w))
        back = ((v - w + eta * proposal[3]) ** 2).sum(axis=1)
        there = ((w - v + eta * slope) ** 2).sum(axis=1)
        chance = judge(proposal, value - proposal[2] - (back - there) / (4 * eta))
        if count <= warm_up:
            log_step += (chance.mean() - TARGET) / count**0.6
        v, _, value, _ = state
        w = rng.standard_normal((chains, d))
        proposal = (w, *evaluate(w))
        judge(proposal, value - proposal[2] + 0.5 * ((w**2).sum(axis=1) - (v**2).sum(axis=1)))
        yield state[1].copy()
