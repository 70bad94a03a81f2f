"""References made of draws: a long exact chain, where no formula or grid is at hand."""

from collections.abc import Callable

import numpy as np

from sampler.algorithms.laplace import find_mode
from sampler.arguments import has_parts, real_array, sample_array, seed_number, shown, vector, whole_number
from sampler.metrics.bin_noise import histogram_ess, histogram_ess_from
from sampler.metrics.ceiling import equivalent_draws
from sampler.metrics.diagnostics import chain_diagnostics
from sampler.problems.base import Posterior, Problem
from sampler.problems.glm import LogisticRegression
from sampler.reference.base import evaluation_points, sampled_cdf
from sampler.reference.exact_chains import hamiltonian_chain, langevin_chain, polya_gamma_chain
from sampler.threads import checked_threads


class SampleReference:
    """Draws of a long exact chain as a reference.

    Its marginal distribution functions run straight between order statistics, and continue beyond the
    outermost draws as a normal tail does, so a chain that stands outside is told from one far outside.

    Parameters
    ----------
    samples : (n, d) array, n >= 20
    t : int
        Number of data they stand for; its age is the present epoch less this.
    ess, rhat : (d,) arrays
        Effective number of draws and split R-hat, from several chains.
    histogram_ess : (d,) array, optional
        Effective number of draws of the marginal histograms, if measured on the chains; else what ``ess`` says of an
        autoregression.
    """

    exact = False

    def __init__(self, samples: np.ndarray, t: int, ess: np.ndarray, rhat: np.ndarray,
                 histogram_ess: np.ndarray | None = None) -> None:
        samples = np.array(sample_array("samples", samples, least=20))
        self.samples = self.draws = samples
        self.t, self.dim = whole_number("t", t, 0), samples.shape[1]
        advice = "chain_diagnostics measures it, one number a coordinate"
        self.ess = vector("ess", ess, self.dim, advice)
        self.rhat = real_array("rhat", rhat, f"numbers of shape ({self.dim},)", advice)
        if self.rhat.shape != (self.dim,) or np.isnan(self.rhat).any():
            raise ValueError(f"rhat must have shape ({self.dim},) and no nan, got {shown(self.rhat)}; {advice}")
        self.histogram_ess = vector("histogram_ess", histogram_ess_from(self.ess, len(samples)) if histogram_ess is None
                                    else histogram_ess, self.dim, advice)
        self.mean, self.std = samples.mean(axis=0), samples.std(axis=0)
        self.covariance = np.atleast_2d(np.cov(samples.T))
        if not np.all(self.std > 0):
            raise ValueError("samples must vary in every coordinate; the chain did not move")
        self._sorted, self._levels = np.sort(samples, axis=0), (np.arange(len(samples)) + 0.5) / len(samples)

    @property
    def ceiling_draws(self) -> int:
        """Independent draws whose histograms are as noisy as this reference's, for ``exact_ceiling``."""
        return max(1, round(equivalent_draws(self.histogram_ess)))

    def cdf(self, samples: np.ndarray) -> np.ndarray:
        """Marginal distribution functions, (n, d) -> (n, d) in (0, 1).

        Parameters
        ----------
        samples : (n, dim) array
        """
        return sampled_cdf(evaluation_points(samples, self.dim), self._sorted, self._levels, self.std)

    def moved(self, shift: np.ndarray, scale: float | np.ndarray, t: int) -> "SampleReference":
        """The same draws carried to a later epoch: theta -> mean + shift + scale (theta - mean).

        With ``shift`` the move of the mode and ``scale`` sqrt((t_old + c)/(t + c)) it stands in for a fresh
        chain while one is being drawn; ``t`` is kept by the caller as the epoch it now serves.
        """
        moved = self.mean + np.asarray(shift, float) + np.asarray(scale, float) * (self.samples - self.mean)
        return SampleReference(moved, t, self.ess, self.rhat, self.histogram_ess)


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


def long_chain_reference(posterior: Posterior, draws: int = 4000, seed: int = 0, warm_start: np.ndarray | None = None,
                         stop: Callable[[], bool] | None = None, method: str = "auto",
                         threads: int | None = None,
                         progress: Callable[[float], None] | None = None) -> SampleReference | None:
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
        For a method that there is not or that does not fit the problem, and fewer than 100 draws.
    """
    has_parts("posterior", posterior, ("t", "dim", "problem", "potential", "hessian"),
              "make one with problem.posterior(data)")
    logistic = isinstance(posterior.problem, LogisticRegression)
    if not isinstance(method, str) or method not in METHODS or (method == "polya_gamma" and not logistic):
        raise ValueError(f"method must be one of {', '.join(METHODS)} (polya_gamma: logistic regression only), "
                         f"got {shown(method)} for {posterior.problem!r}; use 'auto'")
    draws = whole_number("draws", draws, 100, MOST_DRAWS, "4000 is a good reference")
    if method == "auto":
        method = _best_method(posterior.problem, posterior.t)
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
    drawing = 1.0 - SECONDS[method][0] / drawing_seconds(posterior.problem, posterior.t, draws, method)
    for step, state in enumerate(states):
        if stop():
            return None
        if step >= warm_up:
            kept.append(state)
        if progress is not None and step % 16 == 0:
            progress(drawing * step / (warm_up + needed))
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
