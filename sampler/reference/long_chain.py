"""References from draws of long exact chains, for posteriors without a formula or grid."""

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

    Its marginal CDFs are linear between order statistics, with normal tails beyond the outermost draws, so
    that they separate chains just outside from those far outside.

    Parameters
    ----------
    samples : (n, d) array, n >= 20
    t : int
        Number of data of the posterior; the reference's age is the current epoch minus t.
    ess, rhat : (d,) arrays
        Effective number of draws and split R-hat, from several chains.
    histogram_ess : (d,) array, optional
        Effective number of draws of the marginal histograms, if measured on the chains; by default derived from ``ess``
        as for an autoregression.
    """

    exact = False

    def __init__(self, samples: np.ndarray, t: int, ess: np.ndarray, rhat: np.ndarray,
                 histogram_ess: np.ndarray | None = None) -> None:
        samples = np.array(sample_array("samples", samples, least=20))
        self.samples = self.draws = samples
        self.t, self.dim = whole_number("t", t, 0), samples.shape[1]
        advice = "chain_diagnostics computes it, one value per coordinate"
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
        """Number of independent draws with equally noisy histograms, for ``exact_ceiling``."""
        return max(1, round(equivalent_draws(self.histogram_ess)))

    def cdf(self, samples: np.ndarray) -> np.ndarray:
        """Return the marginal CDFs at samples, (n, d) -> (n, d) in (0, 1).

        Parameters
        ----------
        samples : (n, dim) array
        """
        return sampled_cdf(evaluation_points(samples, self.dim), self._sorted, self._levels, self.std)

    def moved(self, shift: np.ndarray, scale: float | np.ndarray, t: int) -> "SampleReference":
        """Return the draws transformed to a later epoch t: theta -> mean + shift + scale (theta - mean).

        With ``shift`` the move of the mode and ``scale`` sqrt((t_old + c)/(t + c)) the result approximates a new
        reference while that is being drawn.
        """
        moved = self.mean + np.asarray(shift, float) + np.asarray(scale, float) * (self.samples - self.mean)
        return SampleReference(moved, t, self.ess, self.rhat, self.histogram_ess)


CHAINS = {"polya_gamma": 4, "mala": 16, "hmc": 16}
WARM_UP = {"polya_gamma": 50, "mala": 100, "hmc": 40}
METHODS = ("auto", *CHAINS)
GIBBS_UP_TO = 500  # number of data above which a Gibbs sweep costs more per effective draw than MALA
SECONDS = {"polya_gamma": (0.05, 1e-7), "mala": (0.2, 1.4e-8), "hmc": (0.3, 2e-8)}
"""Approximate core seconds by method: for the diagnostics; per draw and row."""
EACH_COORDINATE = 3.3e-9  # additional seconds of a Gibbs draw, per row and coordinate
HAMILTONIAN_FROM = 31  # dimension from which HMC takes the least time per effective draw

MOST_DRAWS = 10**8
"""Limit of draws that fit into memory."""


def long_chain_reference(posterior: Posterior, draws: int = 4000, seed: int = 0, warm_start: np.ndarray | None = None,
                         stop: Callable[[], bool] | None = None, method: str = "auto",
                         threads: int | None = None,
                         progress: Callable[[float], None] | None = None) -> SampleReference | None:
    """Return draws of pi_t from several exact chains, with their split R-hat and effective size.

    Parameters
    ----------
    posterior : Posterior
        With a potential and a Hessian: any but a GradientOracle's.
    draws : int >= 100
        Total number of draws of all chains, without warm-up.
    seed : int
    warm_start : (d,) array, optional
        Initial point of the search for the mode; the mode of nearly the same data saves time.
    stop : callable, optional
        Called between sweeps; the computation ends if it returns True.
    method : {"auto", "polya_gamma", "mala", "hmc"}
        Polya-Gamma Gibbs (logistic regression only), MALA preconditioned at the mode and mixed with independence steps, or
        Hamiltonian Monte Carlo preconditioned at the mode. "auto" selects "hmc" from 31 dimensions on if the curvature is
        bounded (for 4,000 draws of a Poisson posterior in 35 dimensions its effective size was 31, that of MALA 122);
        otherwise "polya_gamma" for logistic regression up to 500 data, where sweeps are cheap, else "mala".
    threads : int, optional
        Maximum number of threads of "mala" and "hmc"; None uses the cores available to this process. The draws do not
        depend on it.
    progress : callable, optional
        Called from time to time with the completed fraction of the work.

    Returns
    -------
    SampleReference, or None if stopped.

    Raises
    ------
    ValueError
        For an unknown method or one that does not apply to the problem, and for fewer than 100 draws.
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
    rng = np.random.default_rng([seed_number(seed), 2])  # distinct from the generator of synthetic data of this seed
    mode = find_mode(posterior, warm_start)
    hessian = posterior.hessian(mode)
    chains, warm_up = CHAINS[method], WARM_UP[method]
    # Overdispersed starts, twice as wide as the posterior, so that R-hat can detect lack of convergence.
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
    # Interleaved, so that any prefix has draws of every chain.
    return SampleReference(np.concatenate(kept)[:draws], posterior.t, measured.ess, measured.rhat,
                           histogram_ess(history, measured.ess))


def drawing_seconds(problem: Problem, rows: int, draws: int, method: str = "auto") -> float:
    """Return the approximate seconds on one core for a reference of ``draws`` draws from the posterior of ``rows`` rows."""
    method = _best_method(problem, rows) if method == "auto" else method
    fixed, each = SECONDS[method]
    if method == "polya_gamma":
        each += EACH_COORDINATE * problem.dim
    return fixed + each * draws * rows


def _best_method(problem: Problem, rows: int) -> str:
    bounded = np.isfinite(problem.curvature_bound)  # not for Poisson, where trajectories are mostly rejected
    if problem.dim >= HAMILTONIAN_FROM and bounded:
        return "hmc"
    return "polya_gamma" if isinstance(problem, LogisticRegression) and rows <= GIBBS_UP_TO else "mala"
