"""Marginal accuracy, the score of LMV-n section 5, for samples against samples or against exact marginals.

MA = 1 - (1/d) sum_i TV_i, where TV_i is half the L1 distance between histograms of coordinate i with
bins 0.25 reference standard deviations wide. (The paper prints 1/(2d) with the L1 norm: the same number.)
Best value 1; even an exact sampler scores below it, see ``accuracy_ceiling`` and ``exact_ceiling``.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from sampler.arguments import sample_array, whole_number
from sampler.metrics.bin_noise import BIN_WIDTH, mean_deviation, mean_difference, normal_bins

OUTERMOST = 32  # bins beyond 8 standard deviations are one bin: no reference mass is there


@dataclass(frozen=True)
class Ceiling:
    """Score of an exact sampler: ``mean`` and its standard deviation ``sd`` over repetitions."""

    mean: float
    sd: float


def marginal_accuracy(samples: np.ndarray, reference: np.ndarray) -> float:
    """Marginal accuracy of samples against reference draws.

    Parameters
    ----------
    samples : (n, d) array
    reference : (m, d) array
        Draws from the truth; their standard deviations set the bins.

    Returns
    -------
    float in [0, 1]; compare it with ``accuracy_ceiling(reference, n)``.
    """
    reference, mean, width = _bin_frame(reference)
    samples = sample_array("samples", samples, dim=reference.shape[1])
    truth = np.floor((reference - mean) / width)
    low, high = truth.min(axis=0) - 1, truth.max(axis=0) + 1
    bins = int((high - low).max()) + 1
    # Samples beyond the reference's range meet no reference mass, so one outer bin a side loses nothing.
    found = np.clip(np.floor((samples - mean) / width), low, high)
    return float(
        1.0 - 0.5 * np.abs(_shares(found - low, bins) - _shares(truth - low, bins)).sum(axis=1).mean()
    )


def accuracy_ceiling(reference: np.ndarray, n: int) -> float:
    """Expected ``marginal_accuracy`` of n independent exact draws against these reference draws.

    Both histograms are noisy, E MA = 1 - (1/2) mean_i sum_j E|X_j/n - Y_j/m| with binomial counts of the
    reference's bin shares: about 0.922 for n = m = 1000 normal draws, 0.945 for m = 50,000.

    Parameters
    ----------
    reference : (m, d) array
    n : int >= 1
    """
    n = whole_number("n", n)
    reference, mean, width = _bin_frame(reference)
    truth = np.floor((reference - mean) / width)
    low = truth.min(axis=0)
    shares = _shares(truth - low, int((truth.max(axis=0) - low).max()) + 1)
    return float(1.0 - 0.5 * mean_difference(shares, n, len(reference)).sum(axis=1).mean())


def exact_ceiling(n: int, dim: int = 1, reference_draws: int | None = None) -> Ceiling:
    """Ceiling for near-normal marginals known exactly, or through ``reference_draws`` exact draws.

    Parameters
    ----------
    n : int >= 1
        Independent draws scored.
    dim : int >= 1
        Coordinates averaged over; ``sd`` falls as 1/sqrt(dim) (coordinates taken as independent).
    reference_draws : int >= 1, optional
        Effective size of a sampled reference; None is an exact one.

    Returns
    -------
    Ceiling with ``.mean`` (0.946 at n = 1,024) and ``.sd`` (0.0066 there for dim 2).
    """
    n, dim, p = whole_number("n", n), whole_number("dim", dim), normal_bins()
    rate = 1.0 / n
    if reference_draws is None:
        deviation = mean_deviation(p, n)
    else:
        m = whole_number("reference_draws", reference_draws)
        deviation, rate = mean_difference(p, n, m), rate + 1.0 / m
    # Var sum |Z_j| for jointly normal Z: Cov(|a|,|b|) = (2/pi)(r asin r + sqrt(1-r^2) - 1) in units of both
    # sds.
    scale = np.sqrt(p * (1 - p) * rate)
    odds = np.sqrt(p / (1 - p))
    r = np.clip(-np.outer(odds, odds), -1, 1)
    np.fill_diagonal(r, 1.0)
    kernel = 2 / np.pi * (r * np.arcsin(r) + np.sqrt(1 - r * r) - 1)
    return Ceiling(float(1 - 0.5 * deviation.sum()), float(0.5 * np.sqrt(scale @ kernel @ scale / dim)))


def total_variation_marginals(uniforms: np.ndarray) -> np.ndarray:
    """Distance TV_i of each coordinate's histogram from its exact marginal.

    Parameters
    ----------
    uniforms : (n, d) array in [0, 1]
        Samples passed through the exact marginal CDFs; draws of different epochs may be pooled.

    Returns
    -------
    (d,) array in [0, 1]; an exact sampler gets about ``1 - exact_ceiling(n).mean``, not 0.
    """
    u = sample_array("uniforms", uniforms)
    if u.min() < -1e-9 or u.max() > 1 + 1e-9:
        raise ValueError(
            f"uniforms must lie in [0, 1], got values from {u.min():g} to {u.max():g}; "
            "pass samples through reference.cdf first"
        )
    scores = ndtri(np.clip(u, 0.0, 1.0))  # 0 and 1 give infinities, which the clip below bins at the ends
    found = np.clip(np.floor(scores / BIN_WIDTH), -OUTERMOST, OUTERMOST - 1) + OUTERMOST
    return 0.5 * np.abs(_shares(found, 2 * OUTERMOST) - normal_bins()).sum(axis=1)


def uniform_accuracy(uniforms: np.ndarray) -> float:
    """Marginal accuracy against exact marginals: 1 - mean of ``total_variation_marginals``, (n, d) -> float.

    Normal scores of the uniforms are binned 0.25 wide, so it is the same figure as ``marginal_accuracy``
    with an infinite reference; its ceiling is ``exact_ceiling(n, d)``.
    """
    return float(1.0 - total_variation_marginals(uniforms).mean())


def debiased_accuracy(accuracy: float, ceiling: float) -> float:
    """``accuracy + (1 - ceiling)``: the score with the histograms' noise taken off.

    Near the ceiling it hides small errors (noise and error do not add), and it may exceed 1 by noise.
    """
    for name, value in (("accuracy", accuracy), ("ceiling", ceiling)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be in [0, 1], got {value!r}")
    return float(accuracy + 1.0 - ceiling)


def _bin_frame(reference) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Checked reference draws, their means and the bin widths, (m, d), (d,), (d,)."""
    reference = sample_array("reference", reference, least=2)
    sd = reference.std(axis=0)
    flat = np.flatnonzero(sd <= 1e-14 * np.abs(reference).max(axis=0))
    if flat.size:
        raise ValueError(
            f"reference must vary in every coordinate, coordinate {flat[0]} has standard deviation 0; "
            "draw from the whole posterior, not one point"
        )
    return reference, reference.mean(axis=0), BIN_WIDTH * sd


def _shares(indices: np.ndarray, bins: int) -> np.ndarray:
    """Histogram of integer bin indices (n, d) as shares, (d, bins)."""
    n, d = indices.shape
    flat = (indices + np.arange(d) * bins).astype(np.int64).ravel()
    return np.bincount(flat, minlength=d * bins).reshape(d, bins) / n
