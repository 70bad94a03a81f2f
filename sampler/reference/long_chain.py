"""A long exact chain as the truth, where no formula or grid is at hand."""

from collections.abc import Callable

import numpy as np

from sampler.algorithms.newton import find_mode
from sampler.arguments import has_parts, seed_number, shown, whole_number
from sampler.chain_blocks import checked_threads
from sampler.metrics.diagnostics import chain_diagnostics
from sampler.metrics.histogram_ess import histogram_ess
from sampler.problems.base import Posterior, Problem
from sampler.problems.glm import LogisticRegression
from sampler.reference.hamiltonian_chains import hamiltonian_chain
from sampler.reference.metropolis_chains import langevin_chain
from sampler.reference.polya_gamma_chains import polya_gamma_chain
from sampler.reference.sampled_reference import SampleReference

CHAINS = {"polya_gamma": 4, "mala": 16, "hmc": 16}
WARM_UP = {"polya_gamma": 50, "mala": 100, "hmc": 40}
METHODS = ("auto", *CHAINS)
GIBBS_UP_TO = 500  # data; beyond, a Gibbs sweep costs more a draw than MALA by its effective size
SECONDS = {"polya_gamma": (0.05, 1e-7), "mala": (0.2, 1.4e-8), "hmc": (0.3, 2e-8)}
"""Of a core, roughly, by method: to measure the draws; a draw, by row."""
EACH_COORDINATE = 3.3e-9  # seconds more of a Gibbs draw, by row and coordinate
HAMILTONIAN_FROM = 31  # dimensions; from here on it takes the least time an effective draw, and below one of the others

MOST_DRAWS = 10**8
"""Draws that fit into memory."""


def long_chain_reference(
    posterior: Posterior,
    draws: int = 4000,
    seed: int = 0,
    warm_start: np.ndarray | None = None,
    stop: Callable[[], bool] | None = None,
    method: str = "auto",
    thin: int = 1,
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> SampleReference | None:
    """Draws of pi_t from several exact chains, with their split R-hat and effective size.

    Parameters
    ----------
    posterior : Posterior
        With a potential and a Hessian: any but a GradientOracle's.
    draws : int >= 100
        Draws kept over all chains.
    seed : int
    warm_start : (d,) array, optional
        Where to look for the mode first; the mode of nearly the same data saves time.
    stop : callable, optional
        Asked between sweeps; True ends the work.
    method : {"auto", "polya_gamma", "mala", "hmc"}
        Polya-Gamma Gibbs (logistic regression only), MALA preconditioned at the mode and mixed with independence steps, or
        Hamiltonian Monte Carlo preconditioned at the mode. "auto" is the last from 31 dimensions on where the curvature is
        bounded (of 4,000 draws of a Poisson posterior in 35 dimensions it made 31 effective ones, MALA 122); elsewhere, the
        first for logistic regression up to 500 data, where each sweep is cheap, and the second otherwise.
    thin : int >= 1
        States a kept draw.
    threads : int, optional
        Threads that the chains of the last two are shared out to, at most; None takes the cores this process may use. The
        draws do not depend on it.
    progress : callable, optional
        Told the share of the work done, now and then.

    Returns
    -------
    SampleReference, or None when stopped.

    Raises
    ------
    ValueError
        For a method that there is not or that does not fit the problem, fewer than 100 draws, and a thinning below 1.
    """
    has_parts("posterior", posterior, ("t", "dim", "problem", "potential", "hessian"),
              "make one with problem.posterior(data)")
    logistic = isinstance(posterior.problem, LogisticRegression)
    if not isinstance(method, str) or method not in METHODS or (method == "polya_gamma" and not logistic):
        raise ValueError(
            f"method must be one of {', '.join(METHODS)} (polya_gamma: logistic regression only), "
            f"got {shown(method)} for {posterior.problem!r}; use 'auto'"
        )
    draws = whole_number("draws", draws, 100, MOST_DRAWS, "4000 is a good reference")
    if method == "auto":
        method = _best_method(posterior.problem, posterior.t)
    thin = whole_number("thin", thin, 1, MOST_DRAWS, "1 keeps every state")
    threads = checked_threads(threads)
    stop = stop or (lambda: False)
    rng = np.random.default_rng([seed_number(seed), 2])  # synthetic data of the same seed must not share the draws
    mode = find_mode(posterior, warm_start)
    hessian = posterior.hessian(mode)
    chains, warm_up = CHAINS[method], WARM_UP[method]
    # Starts twice as wide as the posterior, so that R-hat can fail.
    white = rng.standard_normal((chains, posterior.dim)) * 2.0
    starts = mode + np.linalg.solve(np.linalg.cholesky(hessian).T, white.T).T
    states = (
        polya_gamma_chain(posterior, starts, rng)
        if method == "polya_gamma"
        else (hamiltonian_chain if method == "hmc" else langevin_chain)(
            posterior, mode, hessian, starts, warm_up, rng, threads)
    )
    kept, needed = [], -(-draws // chains)
    drawing = 1.0 - SECONDS[method][0] / drawing_seconds(posterior.problem, posterior.t, draws * thin, method)
    for step, state in enumerate(states):
        if stop():
            return None
        if step >= warm_up and (step - warm_up) % thin == 0:
            kept.append(state)
        if progress is not None and step % 16 == 0:
            progress(drawing * step / (warm_up + thin * needed))
        if len(kept) == needed:
            break
    history = np.array(kept).swapaxes(0, 1)  # (chains, draws, d)
    measured = chain_diagnostics(history)
    # Interleaved, so that any prefix holds draws of every chain.
    return SampleReference(np.concatenate(kept)[:draws], posterior.t, measured.ess, measured.rhat,
                           histogram_ess(history, measured.ess))


def drawing_seconds(problem: Problem, rows: int, draws: int, method: str = "auto") -> float:
    """Seconds that one core of our own takes, roughly, for a reference of so many draws from the posterior of some rows."""
    method = _best_method(problem, rows) if method == "auto" else method
    fixed, each = SECONDS[method]
    if method == "polya_gamma":
        each += EACH_COORDINATE * problem.dim
    return fixed + each * draws * rows


def _best_method(problem: Problem, rows: int) -> str:
    bounded = np.isfinite(problem.curvature_bound)  # of Poisson it is not: trajectories end in refusals
    if problem.dim >= HAMILTONIAN_FROM and bounded:
        return "hmc"
    return "polya_gamma" if isinstance(problem, LogisticRegression) and rows <= GIBBS_UP_TO else "mala"
