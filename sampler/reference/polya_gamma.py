"""Polya-Gamma Gibbs sampling of a logistic posterior (Polson, Scott and Windle 2013): an exact chain."""

from collections.abc import Iterator

import numpy as np
from scipy.linalg import solve_triangular


def polya_gamma_chain(posterior, starts: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Endless states of parallel Gibbs chains, each (chains, d), O(chains t d^2) a sweep.

    omega_k ~ PG(1, u_k . theta), theta ~ N(V sum_k kappa_k u_k, V), V = (prior precision + sum omega_k u_k
    u_k')^-1, with kappa_k = y_k - 1/2: for the encoded rows u_k, whose label is 0, kappa_k = -1/2.

    Parameters
    ----------
    posterior : GlmPosterior of a LogisticRegression
    starts : (chains, d) array
    rng : numpy Generator
    """
    from polyagamma import random_polyagamma  # slow to import, and only reference chains need it

    rows, precision = posterior.rows, np.diag(posterior.problem.prior_precision)
    pull = -0.5 * rows.sum(axis=0)
    theta = np.array(starts, dtype=float)
    while True:
        for k in range(len(theta)):
            omega = random_polyagamma(1.0, rows @ theta[k], random_state=rng, disable_checks=True)
            root = np.linalg.cholesky(precision + (rows * omega[:, None]).T @ rows)
            half = solve_triangular(root, pull, lower=True)
            theta[k] = solve_triangular(root, half + rng.standard_normal(len(pull)), lower=True, trans="T")
        yield theta.copy()
