"""Exact chains with nearly independent draws of one posterior: Hamiltonian Monte Carlo, MALA and Polya-Gamma Gibbs."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from sampler.algorithms.polya_gamma import gibbs_pull, gibbs_sweep
from sampler.kernels.glm_metropolis import potentials
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded
from sampler.problems.base import Posterior
from sampler.problems.glm import GlmPosterior
from sampler.threads import cut, run_blocks

SCORE_WORK = 15  # cost of one score's exponentials in multiply-adds


def potential_at_points(posterior: Posterior, threads: int) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return a function ``theta -> F_t up to a constant, its gradient``: (n, d) -> (n,), (n, d).

    One-score models are evaluated by compiled code, in blocks of points on up to ``threads`` threads: the result at a
    point does not depend on its block. NumPy matrix products would start BLAS threads, which synchronise at every call
    and are slow on busy cores.
    """
    if not isinstance(posterior, GlmPosterior):
        return lambda theta: (np.asarray(posterior.potential(theta)), posterior.gradient(theta))
    t, d, width, kind = posterior.t, posterior.dim, padded(posterior.dim), posterior.problem.kind_code
    rows, prior, targets = aligned_zeros((t, width)), np.zeros(width), np.ascontiguousarray(posterior.targets)
    rows[:, :d], prior[:d] = posterior.rows, posterior.problem.prior_precision

    def evaluate(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = len(theta)
        points, values, gradients = aligned_zeros((n, width)), np.empty(n), aligned_zeros((n, width))
        points[:, :d] = theta

        def run(part: tuple[int, int]) -> None:
            own = slice(*part)
            potentials(lanes_for(d), kind, prior, rows, targets, t, points[own], True, values[own], gradients[own])

        run_blocks(run, cut(n, threads, n * t * (2 * width + SCORE_WORK)), threads)
        return values, gradients[:, :d]

    return evaluate


def whitened_chains(posterior: Posterior, mode: np.ndarray, hessian: np.ndarray, starts: np.ndarray,
                    threads: int) -> tuple[Callable[..., Any], tuple[np.ndarray, ...]]:
    """Return ``v -> v, theta, F_t up to a constant, its gradient in v``, and all four at the starts.

    v = L' (theta - mode), where hessian = L L'.

    Parameters
    ----------
    posterior : Posterior
        With a potential and a gradient.
    mode, hessian : (d,), (d, d) arrays
    starts : (chains, d) array
        Values of theta.
    threads : int
        Maximum number of threads.
    """
    root = np.linalg.cholesky(hessian)
    # Inverted once: a product with a small matrix takes 5 us, a triangular solve 0.1 ms, or 1 ms on busy cores.
    inverse = solve_triangular(root, np.eye(len(root)), lower=True)
    potential = potential_at_points(posterior, threads)

    def evaluate(white: np.ndarray) -> tuple[np.ndarray, ...]:
        with np.errstate(over="ignore", invalid="ignore"):
            theta = mode + white @ inverse
            value, gradient = potential(theta)
            return white, theta, value, gradient @ inverse.T

    return evaluate, evaluate((starts - mode) @ root)


def metropolis_test(state: tuple[np.ndarray, ...], proposal: tuple[np.ndarray, ...], ratio: np.ndarray,
                    rng: np.random.Generator) -> tuple[tuple[np.ndarray, ...], float]:
    """Return the states after one Metropolis test per chain, and the mean acceptance; ``ratio`` (n,) is the log ratio."""
    chance = np.exp(np.minimum(np.where(np.isfinite(ratio), ratio, -np.inf), 0.0))
    accepted = rng.random(len(chance)) < chance
    return tuple(np.where(accepted if new.ndim == 1 else accepted[:, None], new, old)
                 for new, old in zip(proposal, state, strict=True)), float(chance.mean())


TARGET = 0.574  # optimal acceptance of Langevin proposals in high dimension (Roberts and Rosenthal 1998)


def langevin_chain(posterior: Posterior, mode: np.ndarray, hessian: np.ndarray, starts: np.ndarray, warm_up: int,
                   rng: np.random.Generator, threads: int = 1) -> Iterator[np.ndarray]:
    """Yield states (chains, d) of parallel chains without end, two passes over the data per state.

    In v = L' (x - mode), where hessian = L L', a state is one MALA step (Roberts and Tweedie 1996),
    w = v - eta g(v) + sqrt(2 eta) xi, followed by one independence step w ~ N(0, I) (Laplace's
    approximation as proposal), each with its Metropolis test. The first keeps the chain moving; the second
    makes it independent of its past when accepted, which is nearly always for large t. eta is adapted
    during ``warm_up`` states, then fixed.

    Parameters
    ----------
    posterior : Posterior
        With a potential and a gradient.
    mode, hessian : (d,), (d, d) arrays
    starts : (chains, d) array
    warm_up : int
    rng : numpy Generator
    threads : int
        Maximum number of threads; the states do not depend on it.
    """
    evaluate, state = whitened_chains(posterior, mode, hessian, starts, threads)
    chains, d = starts.shape
    log_step = np.log(0.8 / d ** (1 / 3))
    count = 0
    while True:
        count += 1
        eta = np.exp(log_step)
        v, _, value, slope = state
        w, _, new, ahead = proposal = evaluate(v - eta * slope + np.sqrt(2 * eta) * rng.standard_normal((chains, d)))
        back = ((v - w + eta * ahead) ** 2).sum(axis=1)
        there = ((w - v + eta * slope) ** 2).sum(axis=1)
        state, chance = metropolis_test(state, proposal, value - new - (back - there) / (4 * eta), rng)
        if count <= warm_up:
            log_step += (chance - TARGET) / count**0.6
        v, _, value, _ = state
        w, _, new, _ = proposal = evaluate(rng.standard_normal((chains, d)))
        state, _ = metropolis_test(state, proposal, value - new + 0.5 * ((w**2).sum(axis=1) - (v**2).sum(axis=1)), rng)
        yield state[1]


HAMILTONIAN_TARGET = 0.9
"""Target of the mean acceptance. 0.65 gives the most draws per gradient (Beskos et al. 2013); at 0.9 a third as many states
are repeated, which pays here, as computing the diagnostics of a state costs more than drawing it."""
QUARTER = 0.5 * np.pi
"""Length of a trajectory: for a unit normal the final position is the initial momentum, an independent draw."""
SPREAD = 0.15
"""Trajectory lengths vary uniformly by this fraction, so that no direction is periodic."""


def hamiltonian_chain(posterior: Posterior, mode: np.ndarray, hessian: np.ndarray, starts: np.ndarray, warm_up: int,
                      rng: np.random.Generator, threads: int = 1) -> Iterator[np.ndarray]:
    """Yield states (chains, d) of parallel chains without end, about four passes over the data per state at d = 100.

    In v = L' (x - mode), where hessian = L L', a state is one trajectory of Hamiltonian Monte Carlo (Duane et al. 1987):
    momenta from N(0, I), leapfrog steps over a quarter of the period of a unit normal, and a Metropolis test. For nearly
    quadratic F_t successive states are nearly independent; the number of steps grows as d^(1/4). The step size is adapted
    during ``warm_up`` states, then fixed.

    Parameters
    ----------
    posterior, mode, hessian, starts, warm_up, rng, threads
        As for `langevin_chain`.
    """
    evaluate, state = whitened_chains(posterior, mode, hessian, starts, threads)
    d = starts.shape[1]
    log_step, count = np.log(1.4 / d**0.25), 0
    while True:
        count += 1
        length = QUARTER * (1.0 + SPREAD * (2.0 * rng.random() - 1.0))
        steps = max(1, round(length / np.exp(log_step)))
        eps = length / steps if steps > 1 else min(length, np.exp(log_step))
        first = momentum = rng.standard_normal(starts.shape)
        proposal = state
        for _ in range(steps):
            momentum = momentum - 0.5 * eps * proposal[3]
            proposal = evaluate(proposal[0] + eps * momentum)
            momentum = momentum - 0.5 * eps * proposal[3]
        with np.errstate(over="ignore", invalid="ignore"):
            gain = state[2] - proposal[2] + 0.5 * ((first**2).sum(axis=1) - (momentum**2).sum(axis=1))
        state, chance = metropolis_test(state, proposal, gain, rng)
        if count <= warm_up:
            log_step = min(log_step + (chance - HAMILTONIAN_TARGET) / count**0.6, np.log(QUARTER))
        yield state[1]


def polya_gamma_chain(posterior: Posterior, starts: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield states (chains, d) of parallel Gibbs chains (Polson, Scott and Windle 2013) without end.

    Parameters
    ----------
    posterior : GlmPosterior of a LogisticRegression
    starts : (chains, d) array
    rng : numpy Generator
    """
    pull = gibbs_pull(posterior)
    theta = np.array(starts, dtype=float)
    while True:
        for k in range(len(theta)):
            theta[k] = gibbs_sweep(posterior, pull, theta[k], rng)
        yield theta.copy()
