"""Variance of stochastic gradients: exact for SAGA-LD and SGLD, and the bound of Lemma 6.2 (LMV-a).

With delta_k = grad f_k(x) - G^k and a batch of b indices drawn uniformly with replacement from t,
E ||g - grad F_t(x)||^2 = (t^2/b) (mean_k ||delta_k||^2 - ||mean_k delta_k||^2);
SGLD has delta_k = grad f_k(x).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.arguments import (
    has_parts,
    positive_matrix,
    positive_number,
    real_array,
    real_number,
    sample_array,
    seed_number,
    vector,
    whole_number,
)
from sampler.kernels.gradient_variance import MOST_ROWS
from sampler.problems.base import Posterior, quiet


@dataclass(frozen=True)
class GradientVariance:
    """E ||g - grad F_t||^2 at one point, summed over coordinates, in units of 1/theta^2 (dimensionless in a metric).

    Attributes
    ----------
    saga, sgld : float, >= 0
        Variance with and without the cached gradients as control variates.
    bound : float or None
        Bound of Lemma 6.2 on ``saga``; None if the curvature is unbounded or was not passed.
    saga_error, sgld_error : float
        Standard errors, 0 if all rows were read.
    """

    saga: float
    sgld: float
    bound: float | None = None
    saga_error: float = 0.0
    sgld_error: float = 0.0


def gradient_variance(fresh: np.ndarray, cached: np.ndarray, batch_size: int) -> GradientVariance:
    """Return exact variances from all gradients at x and all cached ones.

    Parameters
    ----------
    fresh, cached : (t, d) arrays
        grad f_k(x) and G^k for k = 1..t.
    batch_size : int >= 1

    Raises
    ------
    ValueError
        If ``cached`` and ``fresh`` have different numbers of rows.
    """
    fresh = sample_array("fresh", fresh)
    cached = sample_array("cached", cached, dim=fresh.shape[1])
    if len(cached) != len(fresh):
        raise ValueError(f"cached must have {len(fresh)} rows, as fresh, got {len(cached)}; one gradient per datum")
    b = whole_number("batch_size", batch_size)
    return GradientVariance(_spread(fresh - cached)[0] / b, _spread(fresh)[0] / b)


def lemma_6_2_bound(curvature_bound: float, row_norms: np.ndarray, scores: np.ndarray, anchor_scores: np.ndarray,
                    batch_size: int) -> float | None:
    """Return (t^2/b) mean_k (h_max ||u_k|| |z_k - z_k^anchor|)^2: Lemma 6.2 along each row of a one-score model.

    Differs from the paper: L ||x - u_k|| is taken along the row, since only the score of an anchor is stored;
    this bound is the smaller of the two.

    Parameters
    ----------
    curvature_bound : float > 0
        h_max; for inf the result is None (Poisson: no finite smoothness, no bound).
    row_norms, scores, anchor_scores : (t,) arrays
        ||u_k||, u_k . x and u_k . anchor_k.
    batch_size : int >= 1
    """
    row_norms = vector("row_norms", row_norms)
    scores = vector("scores", scores, len(row_norms))
    anchor_scores = vector("anchor_scores", anchor_scores, len(row_norms))
    b = whole_number("batch_size", batch_size)
    curvature_bound = positive_number("curvature_bound", curvature_bound, np.inf, "0.25 for logistic regression")
    if np.isinf(curvature_bound):
        return None
    real_number("curvature_bound", curvature_bound, "inf means unbounded", above=0.0)
    t = len(scores)
    return float(t * curvature_bound**2 * ((row_norms * (scores - anchor_scores)) ** 2).sum() / b)


def uniform_variance_bound(t: int, smoothness: float, radius: float, drift: float, batch_size: int) -> float:
    """Return sigma_t^2 = 9 t L^2 (R + D)^2 / b, the proof's bound on the variance in an epoch (LMV-a, Lemma 6.2).

    Parameters
    ----------
    t : int >= 1
        Number of data.
    smoothness : float >= 0
        L of one term.
    radius : float >= 0
        R, radius of the ball that contains the chains.
    drift : float >= 0
        D, in units of ``radius``.
    batch_size : int >= 1
    """
    smoothness, radius, drift = (real_number(name, value, "measure it on the stream first", least=0.0) for name, value in (
        ("smoothness", smoothness), ("radius", radius), ("drift", drift)))
    return 9.0 * whole_number("t", t) * smoothness**2 * (radius + drift) ** 2 / whole_number("batch_size", batch_size)


def measure_gradient_variance(posterior: Posterior, theta: np.ndarray, batch_size: int,
                              anchor_scores: np.ndarray | None = None, cached: np.ndarray | None = None, seed: int = 0,
                              max_rows: int = MOST_ROWS, metric: np.ndarray | None = None) -> GradientVariance:
    """Return variances at one point of a posterior, O(t d), on a random subset of rows if t exceeds ``max_rows``.

    Parameters
    ----------
    posterior : Posterior
    theta : (d,) array
        Position of a chain.
    batch_size : int >= 1
    anchor_scores : (t,) array, optional
        Scores at the anchors (``saga.cached_scores(chain)``), for one-score models.
    cached : (t, d) array, optional
        Cached gradients (``saga.cached_gradients(chain)``), for any other problem. Pass exactly one of the two.
    seed : int
        Seed of the subset.
    max_rows : int >= 2
    metric : (d, d) array, optional
        H of a preconditioned sampler: variances are then of L^-1 g with H = L L', dimensionless.

    Raises
    ------
    ValueError
        If t = 0, if both or none of ``cached`` and ``anchor_scores`` are passed, and for shapes that do not match
        the posterior.
    """
    has_parts("posterior", posterior, ("t", "dim", "problem", "term_gradients"), "make one with problem.posterior(data)")
    theta, b = vector("theta", theta, posterior.dim), whole_number("batch_size", batch_size)
    max_rows, seed = whole_number("max_rows", max_rows, 2, 10**9), seed_number(seed)
    if metric is not None:
        metric = positive_matrix("metric", metric, posterior.dim, "take precision_matrix(chain) of the sampler")
    t = posterior.t
    if t < 1:
        raise ValueError(f"posterior must have t >= 1 data, got {t}; observe one first")
    if (anchor_scores is None) == (cached is None):
        raise ValueError("exactly one of anchor_scores and cached must be passed; "
                         "use saga.cached_scores(chain) for a one-score model, else saga.cached_gradients(chain)")
    chosen = None if t <= max_rows else np.random.default_rng(seed).integers(0, t, max_rows)
    pick = slice(None) if chosen is None else chosen
    with quiet():
        parts = [posterior.term_gradients(theta, chosen)]
        if cached is not None:
            parts.append(parts[0] - _of_chain("cached", cached, (t, posterior.dim))[pick])
        else:
            problem, rows = posterior.problem, posterior.rows[pick]  # type: ignore[attr-defined]  # of a one-score model
            scores, anchors = rows @ theta, _of_chain("anchor_scores", anchor_scores, (t,))[pick]
            parts.append((problem.mean_function(scores) - problem.mean_function(anchors))[:, None] * rows)
            if np.isfinite(problem.curvature_bound):
                parts.append((problem.curvature_bound * (scores - anchors))[:, None] * rows)
        if metric is not None:
            whitener = np.linalg.inv(np.linalg.cholesky(metric))
            parts = [part @ whitener.T for part in parts]
        measured = [value / b for part in parts[:2] for value in _spread(part, t)]
        measured += [t * t * (part**2).sum(axis=1).mean() / b for part in parts[2:]]
    # nan where the squares of a diverged chain's gradients overflow: report inf
    sgld, sgld_error, saga, saga_error, *bound = (float(np.inf if np.isnan(value) else value) for value in measured)
    errors = (0.0, 0.0) if chosen is None else (saga_error, sgld_error)
    return GradientVariance(saga, sgld, bound[0] if bound else None, *errors)


def _of_chain(name: str, values: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return a chain's cached values as float64 of this shape; values cached while it diverged may not be finite."""
    advice = "read it and the posterior at the same epoch"
    array = real_array(name, values, f"numbers of shape {shape}", advice)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}; {advice}")
    return array


def _spread(terms: np.ndarray, t: int | None = None) -> tuple[float, float]:
    """Return t^2 (mean ||d_k||^2 - ||mean d_k||^2) of gradients (n, d), and its sampling standard error."""
    t = len(terms) if t is None else t
    squares = ((terms - terms.mean(axis=0)) ** 2).sum(axis=1)
    return float(t * t * squares.mean()), float(t * t * squares.std() / np.sqrt(len(terms)))
