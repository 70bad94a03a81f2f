"""Polya-Gamma Gibbs sampling of a logistic posterior (Polson, Scott and Windle 2013): exact, no step size.

    omega_k ~ PG(1, u_k . theta) for k = 1..t;   theta ~ N(V sum_k kappa_k u_k, V),
    V = (prior precision + sum_k omega_k u_k u_k')^-1,   kappa_k = y_k - 1/2

i_t sweeps in epoch t from X^{t-1}; a sweep counts t evaluations and costs O(t d^2).
"""

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs

from sampler.algorithms.memoryless_sampler import StepwiseSampler

CHUNK = 2048  # rows weighted at once, so that the weighted copy stays in the processor's cache


def gibbs_pull(posterior) -> np.ndarray:
    """sum_k kappa_k u_k, (d,): an encoded row carries its label's sign, so every kappa is -1/2."""
    return -0.5 * posterior.rows.sum(axis=0)


def gibbs_sweep(posterior, pull: np.ndarray, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One sweep of the chain from ``theta``, (d,) -> (d,).

    Parameters
    ----------
    posterior : GlmPosterior of a LogisticRegression
    pull : (d,) array
        ``gibbs_pull(posterior)``.
    """
    from polyagamma import random_polyagamma  # slow to import, and only these chains need it

    rows = posterior.rows
    omega = random_polyagamma(1.0, rows @ theta, random_state=rng, disable_checks=True)
    precision = np.diag(posterior.problem.prior_precision)
    for start in range(0, len(rows), CHUNK):
        some = rows[start:start + CHUNK]
        precision += (some * omega[start:start + CHUNK, None]).T @ some
    root, failed = dpotrf(precision, lower=1)  # LAPACK itself: the wrappers would cost more than the work
    if failed:
        raise ValueError("prior_precision must be above 0 where data do not pin theta down; set a small one, 1e-6")
    half = dtrtrs(root, pull, lower=1)[0]
    return dtrtrs(root, half + rng.standard_normal(len(pull)), lower=1, trans=1)[0]


class PolyaGamma(StepwiseSampler):
    """Polya-Gamma Gibbs on K independent chains, logistic regression only; a step is a sweep, ``eta0`` is not used."""

    kinds = ("logistic",)
    needs = "a LogisticRegression, as its likelihood alone has Polya-Gamma weights,"
    traceable = False

    def __init__(self, problem, settings=None, chains: int = 256, seed: int = 0, start=None, threads=None) -> None:
        super().__init__(problem, settings, chains, seed, start, threads)
        if not np.all(problem.prior_precision > 0):
            raise ValueError(f"prior_precision must be above 0 in every coordinate for PolyaGamma, "
                             f"got {problem.prior_precision!r}; a small one, 1e-6, is nearly flat")
        seeds = np.random.SeedSequence([self.seed, 2]).spawn(self.chains)
        self._generators = [np.random.default_rng(s) for s in seeds]
        self._pull_at, self._pull = -1, np.zeros(self.dim)

    def _advance(self, n, traced, trace, counts) -> bool:
        if self._pull_at != self.t:
            self._pull_at, self._pull = self.t, gibbs_pull(self.posterior)

        def run(block) -> bool:
            return self._steps_of(block.first, block.last, n, traced, trace, block.counts)

        return self._in_blocks(run, self._steps_ahead(n) * self.t * self.dim / 2 if self.t > CHUNK else 0, counts)

    def _step(self, posterior, chain, record, counts) -> bool:
        x = self._state.position[chain, :self.dim]
        point = gibbs_sweep(posterior, self._pull, x, self._generators[chain])
        counts[0] += self.t
        return self._land(chain, point)

    def _memory_meta(self) -> dict:
        return {"generators": [g.bit_generator.state for g in self._generators]}

    def _restore_memory(self, meta, arrays) -> None:
        for generator, state in zip(self._generators, meta["generators"], strict=True):
            generator.bit_generator.state = state
