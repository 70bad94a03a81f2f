"""Means and standard deviations of the full-data posterior, the reference for scoring draws."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.arguments import whole_number
from sampler.kernels.coreset_likelihoods import log_posteriors
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded
from sampler.metrics.diagnostics import chain_diagnostics
from sampler.threads import checked_threads, cut, run_blocks

CHAINS = 32
HEAVY_DF = 10
AUTOREGRESSION = 0.8
TERM_WORK = 20  # multiply-adds in the time of one term's logarithm or exponential


@dataclass(frozen=True, eq=False)
class Truth:
    """Means and standard deviations of the full-data posterior.

    Attributes
    ----------
    mean, std : (D,) arrays
    how : {"exact", "long chains", "Gibbs", "user values"}
    ess : float
        Smallest effective sample size over coordinates; inf if exact.
    rhat : float
        Largest split R-hat over coordinates; 1 if exact.
    mode : (D,) array or None
        Mode of Laplace's approximation, if it was used as a check.
    noise : float
        Squared Monte Carlo error of ``mean`` over ``std``, averaged over coordinates; 0 if exact. It adds to
        any z-score against this truth.
    """

    mean: np.ndarray
    std: np.ndarray
    how: str
    ess: float = np.inf
    rhat: float = 1.0
    mode: np.ndarray | None = None
    noise: float = 0.0

    def __post_init__(self) -> None:
        mean, std = np.asarray(self.mean, float), np.asarray(self.std, float)
        if mean.ndim != 1 or mean.shape != std.shape or not np.isfinite(mean).all() or not (
                np.isfinite(std).all() and (std > 0).all()):
            raise ValueError(f"truth must be two finite arrays of one length, std above 0, got {mean!r} and {std!r}; "
                             "check the model for a coordinate that the data do not identify")

    @property
    def laplace_gap(self) -> float | None:
        """Largest distance of a mean from the mode, in posterior standard deviations; None without a Laplace check."""
        return None if self.mode is None else float(np.max(np.abs(self.mean - self.mode) / self.std))


def student_log_density(white: np.ndarray) -> np.ndarray:
    """Return the log density of a multivariate t with `HEAVY_DF` degrees of freedom, up to a constant, (K, D) -> (K,)."""
    return -0.5 * (HEAVY_DF + white.shape[1]) * np.log1p((white**2).sum(axis=1) / HEAVY_DF)


def long_chains(
    model: Any, draws: int = 12_800, seed: int = 0, stop: Callable[[], bool] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Truth | None:
    """Compute the truth of a score model from 32 exact Metropolis chains around Laplace's approximation.

    Steps alternate between an independent proposal from a Student t (10 degrees of freedom), which crosses the whole
    posterior, and an autoregressive proposal that leaves the normal approximation invariant, which follows its tails.
    The draws do not depend on the number of threads, which `use_threads` sets.

    Parameters
    ----------
    model : ScoreModel
    draws : int >= 640
        Number of draws over all chains.
    seed : int
    stop : callable, optional
        Called before every step; True ends the computation.
    progress : callable, optional
        ``progress(fraction)`` after every step.

    Returns
    -------
    Truth, or None if stopped.
    """
    draws = whole_number("draws", draws, 20 * CHAINS, advice="12800 is a good truth")
    mode, precision = model.laplace()
    factor = np.linalg.cholesky(np.linalg.inv(precision))
    rng, dim = np.random.default_rng([seed, 3]), model.dim  # independent of synthetic data of this seed
    thetas, heights = aligned_zeros((CHAINS, padded(dim))), np.empty(CHAINS)
    threads = checked_threads(None)
    parts = cut(CHAINS, threads, CHAINS * model.rows.shape[0] * (padded(dim) + TERM_WORK))

    def fill(part: Any) -> None:
        log_posteriors(lanes_for(dim), model.family, model.prior, model.rows, model.labels, thetas[slice(*part)], dim,
                       heights[slice(*part)])

    def height(white: np.ndarray) -> Any:
        thetas[:, :dim] = mode + white @ factor.T
        run_blocks(fill, parts, threads)
        return heights.copy()

    white = rng.standard_normal((CHAINS, dim))
    current, states = height(white), []
    steps = -(-draws // CHAINS)
    for step in range(steps + steps // 4):
        if stop is not None and stop():
            return None
        noise = rng.standard_normal((CHAINS, dim))
        if step % 2:
            moved = AUTOREGRESSION * white + np.sqrt(1 - AUTOREGRESSION**2) * noise
            balance = 0.5 * (moved**2).sum(axis=1) - 0.5 * (white**2).sum(axis=1)
        else:
            moved = noise / np.sqrt(rng.chisquare(HEAVY_DF, CHAINS) / HEAVY_DF)[:, None]
            balance = student_log_density(white) - student_log_density(moved)
        proposed = height(moved)
        with np.errstate(invalid="ignore"):
            accepted = np.log(rng.random(CHAINS)) < proposed - current + balance
        white, current = np.where(accepted[:, None], moved, white), np.where(accepted, proposed, current)
        if step >= steps // 4:
            states.append(white)
        if progress is not None:
            progress((step + 1) / (steps + steps // 4))
    return drawn_truth(mode + np.array(states).swapaxes(0, 1) @ factor.T, "long chains", mode)


def drawn_truth(states: np.ndarray, how: str, mode: np.ndarray | None = None) -> Truth:
    """Return the truth estimated from the draws of parallel chains, ``states`` (chains, draws, D)."""
    measured, cloud = chain_diagnostics(states), states.reshape(-1, states.shape[2])
    std = cloud.std(axis=0, ddof=1)
    return Truth(cloud.mean(axis=0), std, how, float(np.min(measured.ess)), float(np.max(measured.rhat)), mode,
                 float(np.mean((measured.mcse / std) ** 2)))
