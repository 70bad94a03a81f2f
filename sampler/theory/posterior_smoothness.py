"""L of F_t on all of R^d, from the rows themselves: what the lemmas on total variation ask for."""

import numpy as np

from sampler.arguments import SMALLEST, has_parts, real_array, square_matrix
from sampler.problems.base import Posterior


def posterior_smoothness(posterior: Posterior, metric: np.ndarray | None = None) -> float | None:
    """Largest curvature of F_t anywhere, certified by the rows: O(t d^2).

    For a one-score model this is the largest eigenvalue of diag(prior precision) + h_max sum_k u_k u_k', h_max the
    largest second derivative of a term in its score: never above LMV's L_0 + t L, L = h_max max_k ||u_k||^2. Linear
    regression has this curvature everywhere, logistic regression at theta = 0: no smaller constant will do.

    Parameters
    ----------
    posterior : Posterior
    metric : (d, d) or (m, d, d) array, optional
        H of a preconditioned sampler, or of m of its chains: the largest eigenvalue is then of C^-1 (..) C^-T with
        H = C C', over all m.

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
    has_parts("posterior", posterior, ("t", "dim", "problem"), "make one with problem.posterior(data)")
    metrics = None if metric is None else _checked_metrics(metric, posterior.dim)
    bound = getattr(posterior.problem, "curvature_bound", None)
    rows = getattr(posterior, "rows", None)
    if bound is None or rows is None:
        return None
    if not np.isfinite(bound):
        return float("inf")
    if posterior.problem.kind == "gaussian_mean":
        curvature = bound * posterior.t * np.eye(posterior.dim)
    else:
        curvature = np.diag(posterior.problem.prior_precision) + bound * (rows.T @ rows)
    if metrics is not None:  # the eigenvalues of H^-1 times the curvature, which is similar to the symmetric product
        return float(np.linalg.eigvals(np.linalg.solve(metrics, curvature)).real.max())
    return float(np.linalg.eigvalsh(curvature)[-1])


def _checked_metrics(metric: np.ndarray, dim: int) -> np.ndarray:
    """Positive definite matrices, (m, dim, dim), from one or several."""
    wanted = f"numbers of shape ({dim}, {dim}) or (m, {dim}, {dim})"
    given = real_array("metric", metric, wanted, "take precision_matrix(chain) of the sampler")
    if given.ndim not in (2, 3) or not given.size:
        raise ValueError(f"metric must be {wanted}, got shape {given.shape}; take precision_matrix(chain) of the sampler")
    matrices = np.array([square_matrix("metric", one, dim) for one in given.reshape(-1, *given.shape[-2:])])
    least = float(np.linalg.eigvalsh(matrices)[:, 0].min())
    if not least > SMALLEST:
        raise ValueError(f"metric must be positive definite, its smallest eigenvalue is {least:g}; "
                         "take precision_matrix(chain) of the sampler")
    return matrices
