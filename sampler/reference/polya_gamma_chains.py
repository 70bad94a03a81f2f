"""Endless Polya-Gamma Gibbs chains on one posterior: the exact reference of a logistic model."""

from collections.abc import Iterator

import numpy as np

from sampler.algorithms.polya_gamma import gibbs_pull, gibbs_sweep
from sampler.problems.base import Posterior


def polya_gamma_chain(posterior: Posterior, starts: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Endless states of parallel Gibbs chains (Polson, Scott and Windle 2013), each (chains, d).

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
