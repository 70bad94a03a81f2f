"""Polya-Gamma Gibbs sampling of a logistic posterior (Polson, Scott and Windle 2013): exact, no step size.

    omega_k ~ PG(1, u_k . theta) for k = 1..t;   theta ~ N(V sum_k kappa_k u_k, V),
    V = (prior precision + sum_k omega_k u_k u_k')^-1,   kappa_k = y_k - 1/2

i_t sweeps in epoch t from X^{t-1}; a sweep counts t evaluations and takes O(t d^2) operations.
"""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs

from sampler.algorithms.langevin import StepwiseSampler, proper_precision
from sampler.problems.base import Posterior

# Largest products, in multiply-adds, that OpenBLAS computes on the calling thread. For larger ones its threads synchronise
# at every product: on a busy machine a sweep can take tens of times as long, at d = 21 and t = 20,000.
MATRIX_WORK, VECTOR_WORK = 2**18, 9_215  # its limits: at most 65,536 * 4, and below 2,304 * 4
FEWEST, MANY = 16, 2048  # rows weighted at once: fewer would cost more than the threads, more would exceed the cache


def gibbs_pull(posterior: Any) -> np.ndarray:
    """Return sum_k kappa_k u_k, (d,): encoded rows include the label's sign, so every kappa is -1/2."""
    return -0.5 * posterior.rows.sum(axis=0)


def gibbs_sweep(posterior: Any, pull: np.ndarray, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Make one sweep of a chain from ``theta``, (d,) -> (d,); ``pull`` is ``gibbs_pull(posterior)``."""
    from polyagamma import random_polyagamma  # slow to import, and used by these chains only

    rows, scores = posterior.rows, np.empty(len(posterior.rows))
    few = min(MANY, VECTOR_WORK // len(theta), MATRIX_WORK // len(theta) ** 2)  # rows with products on one thread
    few = few if few >= FEWEST else MANY
    parts = [slice(start, start + few) for start in range(0, len(rows), few)]
    for part in parts:
        scores[part] = rows[part] @ theta
    omega = random_polyagamma(1.0, scores, random_state=rng, disable_checks=True)
    precision = np.diag(posterior.problem.prior_precision)
    for part in parts:
        precision += (rows[part] * omega[part, None]).T @ rows[part]
    root, failed = dpotrf(precision, lower=1)  # LAPACK directly: the wrappers would cost more than the computation
    if failed:
        raise ValueError("prior_precision must be above 0 where data do not determine theta; set a small one, 1e-6")
    half = dtrtrs(root, pull, lower=1)[0]
    return dtrtrs(root, half + rng.standard_normal(len(pull)), lower=1, trans=1)[0]


class PolyaGamma(StepwiseSampler):
    """Polya-Gamma Gibbs on K independent chains, logistic regression only; a step is a sweep, ``eta0`` is not used.

    All chains run on one thread, since drawing the omegas holds Python's global interpreter lock.
    """

    kinds = ("logistic",)
    needs = "a LogisticRegression, the only model with Polya-Gamma weights,"
    traceable = False
    _in_python = ("logistic",)

    def _allocate(self) -> None:
        super()._allocate()
        proper_precision(self)  # raises for a flat prior
        seeds = np.random.SeedSequence([self.seed, 2]).spawn(self.chains)
        self._generators = [np.random.default_rng(s) for s in seeds]
        self._pull_at, self._pull = -1, np.zeros(self.dim)

    def _step(self, posterior: Posterior, chain: int, record: np.ndarray | None, counts: np.ndarray) -> bool:
        if self._pull_at != posterior.t:
            self._pull_at, self._pull = posterior.t, gibbs_pull(posterior)
        x = self._state.position[chain, :self.dim]
        point = gibbs_sweep(posterior, self._pull, x, self._generators[chain])
        counts[0] += self.t
        return self._land(chain, point)

    def _memory_meta(self) -> dict[str, Any]:
        return {"generators": [g.bit_generator.state for g in self._generators]}

    def _restore_memory(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        for generator, state in zip(self._generators, meta["generators"], strict=True):
            generator.bit_generator.state = state
