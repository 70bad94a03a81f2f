"""L of F_t on all of R^d, from the rows themselves: what the lemmas on total variation ask for."""

import numpy as np


def posterior_smoothness(posterior) -> float | None:
    """Largest curvature of F_t anywhere, certified by the rows: O(t d^2).

    For a one-score model this is the largest eigenvalue of diag(prior precision) + h_max sum_k u_k u_k', h_max the
    largest second derivative of a term in its score: never above LMV's L_0 + t L, L = h_max max_k ||u_k||^2. Linear
    regression has this curvature everywhere, logistic regression at theta = 0: no smaller constant will do.

    Parameters
    ----------
    posterior : Posterior

    Returns
    -------
    float or None
        inf where the terms' curvature has no bound (Poisson); None where it is not known (a user's own gradient).

    Examples
    --------
    >>> from sampler import LogisticRegression
    >>> posterior_smoothness(LogisticRegression(2).posterior([[2.0, 0.0], [0.0, 1.0]], [0, 1]))
    2.0
    """
    problem = posterior.problem
    if problem.kind == "gaussian_mean":
        return problem.curvature_bound * posterior.t
    bound = getattr(problem, "curvature_bound", None)
    rows = getattr(posterior, "rows", None)
    if bound is None or rows is None:
        return None
    if not np.isfinite(bound):
        return float("inf")
    curvature = np.diag(problem.prior_precision) + bound * (rows.T @ rows)
    return float(np.linalg.eigvalsh(curvature)[-1])
