"""Ceiling of marginal accuracy: the expected score of exact draws, below 1 since histograms of finite samples are noisy.

For exact and sampled references, E MA = 1 - (1/2) mean_i sum_j E|X_j/n - Y_j/m|, with binomial counts X of exact draws
and Y of the reference's m effective draws. Bin probabilities are those of a normal distribution for exact marginals or
uniforms, and estimated from the reference otherwise.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, ndtr

from sampler.arguments import LARGEST, SMALLEST, real_array, sample_array, shown, whole_number
from sampler.metrics.bin_noise import BIN_WIDTH, histogram_ess, mean_deviation, mean_difference, normal_bins

CELLS = 8  # cells per bin for smoothing the reference's distribution
WIDE = 8.0  # reference draws are clipped at this many standard deviations
MOST_DRAWS = 10**12  # scored, or of a reference: the counts of a bin then take about 50 MB


@dataclass(frozen=True)
class Ceiling:
    """Score of an exact sampler: ``mean`` and standard deviation ``sd`` over repetitions."""

    mean: float
    sd: float


def exact_ceiling(n: int, dim: int = 1, reference_draws: int | None = None) -> Ceiling:
    """Return the ceiling for near-normal marginals, exact or estimated from ``reference_draws`` exact draws.

    Parameters
    ----------
    n : int in [1, 10**12]
        Number of independent draws scored.
    dim : int >= 1
        Number of coordinates averaged; ``sd`` decays as 1/sqrt(dim), as for independent coordinates.
    reference_draws : int in [1, 10**12], optional
        Effective size of a sampled reference's histograms (``SampleReference.ceiling_draws``); None: exact reference.

    Returns
    -------
    Ceiling with ``.mean`` (0.946 at n = 1,024) and ``.sd`` (0.0066 there for dim 2).
    """
    n, dim, p = whole_number("n", n, 1, MOST_DRAWS), whole_number("dim", dim, 1, MOST_DRAWS), normal_bins()
    if reference_draws is None:
        deviation, rate = mean_deviation(p, n), 1.0 / n
    else:
        m = whole_number("reference_draws", reference_draws, 1, MOST_DRAWS)
        deviation, rate = mean_difference(p, n, m), 1.0 / n + 1.0 / m
    return Ceiling(float(1 - 0.5 * deviation.sum()), float(np.sqrt(_distance_variance(p, rate) / dim)))


def sampled_ceiling(reference: Any, n: int) -> Ceiling:
    """Return the ceiling of ``marginal_accuracy(samples, reference)`` for n independent exact draws, any marginals.

    Plugging in the reference's relative frequencies for the bin probabilities would underestimate the distance. The
    distance between two halves of the reference, averaged over all splits, is unbiased; it is rescaled to sizes n and
    m by the ratio of the two expected distances under the smoothed distribution.

    Parameters
    ----------
    reference : SampleReference, or (m, d) array
        Draws from the true posterior; those of an array in sampling order, from one chain. Their effective size is used
        (see ``histogram_ess``).
    n : int in [1, 10**12]

    Returns
    -------
    Ceiling. From 300 effective draws on, its mean bias is within 0.001 for normal, exponential and uniform marginals, within
    0.004 for bimodal or heavy-tailed ones (measured: -0.0015 for modes 30 standard deviations apart with probabilities 0.7
    and 0.3, +0.002 for Student's t with 5 degrees of freedom), and it decreases with the number of draws.
    """
    n = whole_number("n", n, 1, MOST_DRAWS)
    draws = sample_array("reference", getattr(reference, "samples", reference), least=2)
    draws, mean, width = bin_frame(draws)
    m, d = draws.shape
    size = getattr(reference, "ceiling_draws", None)
    if size is None:
        size = equivalent_draws(histogram_ess(draws[None]) if m >= 16 else np.full(d, float(m)))
    size = min(m, max(4, round(size)))
    scores, half, distances, variances = (draws - mean) / width, size // 2, [], []
    for column in scores.T:
        counts = np.unique(np.floor(column), return_counts=True)[1] * (size / m)
        law = _smoothed(column, size)
        carried = mean_difference(law, n, size).sum() / mean_difference(law, half, size - half).sum()
        distances.append(0.5 * halves_difference(counts, size).sum() * carried)
        variances.append(_distance_variance(law, 1.0 / n + 1.0 / size))
    return Ceiling(float(1.0 - np.mean(distances)), float(np.sqrt(np.mean(variances) / d)))


def accuracy_ceiling(reference: Any, n: int) -> float:
    """Return the expected ``marginal_accuracy`` of n independent exact draws: the mean of ``sampled_ceiling``.

    Parameters
    ----------
    reference : SampleReference, or (m, d) array
        Draws from the true posterior. The result is about 0.923 for n = m = 1000 normal draws, 0.945 for m = 50,000.
    n : int in [1, 10**12]
    """
    return sampled_ceiling(reference, n).mean


def equivalent_draws(sizes: ArrayLike) -> float:
    """Return the number of draws with the mean noise of coordinates with effective ``sizes`` (d,).

    Raises
    ------
    ValueError
        If a size is not above 0.
    """
    advice = "leave out coordinates that did not move"
    sizes = real_array("sizes", sizes, "numbers above 0", advice)
    if not sizes.size or not np.all((sizes >= SMALLEST) & (sizes <= LARGEST)):
        raise ValueError(f"sizes must be above 0, from {SMALLEST:g} to {LARGEST:g}, got {shown(sizes)}; {advice}")
    return float(np.mean(sizes ** -0.5) ** -2)


def halves_difference(counts: np.ndarray, size: int) -> np.ndarray:
    """Return the mean of |A/k - B/(m - k)| over all splits of m draws into halves, with A + B = ``counts`` in a bin.

    A is hypergeometric; its mean absolute deviation is 2 v (m - y - k + v)/m P(A = v), v = floor(k y/m) + 1, by a
    telescoping sum as in de Moivre's formula. Counts that are not integers are interpolated linearly.

    Parameters
    ----------
    counts : array in [0, size]
    size : int >= 2
        m; k = floor(m/2).
    """
    below = np.floor(counts)
    part = counts - below
    return (1.0 - part) * _halves_difference(below, size) + part * _halves_difference(np.minimum(below + 1.0, size), size)


def _halves_difference(y: np.ndarray, m: int) -> np.ndarray:
    k = m // 2
    v = np.floor(k * y / m) + 1.0
    other = m - y - k + v  # draws outside the bin and in the second half
    inside = (v <= np.minimum(y, k)) & (other > 0)
    v, other = np.where(inside, v, 1.0), np.where(inside, other, 1.0)
    y = np.where(inside, y, 1.0)
    log_chance = (_log_choose(y, v) + _log_choose(m - y, np.minimum(k - v, m - y))
                  - _log_choose(np.float64(m), np.float64(k)))
    deviation = np.where(inside, 2.0 * v * other / m * np.exp(log_chance), 0.0)
    return deviation * m / (k * (m - k))


def _log_choose(n: np.ndarray | np.float64, k: np.ndarray | np.float64) -> np.ndarray | np.float64:
    return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)


def _smoothed(column: np.ndarray, size: int) -> np.ndarray:
    """Return bin probabilities of draws in bin units, smoothed by a normal kernel and shrunk to preserve the variance."""
    scores = np.clip(column * BIN_WIDTH, -WIDE, WIDE)
    spread = min(1.0, float(np.subtract(*np.percentile(scores, [75, 25]))) / 1.349)
    kernel = 0.9 * max(spread, 0.05) * size**-0.2  # Silverman's rule
    shrink = 1.0 / np.sqrt(1.0 + kernel * kernel)
    cells, counts = np.unique(np.floor(scores * (CELLS / BIN_WIDTH)), return_counts=True)
    middle = (cells + 0.5) * (BIN_WIDTH / CELLS) * shrink
    edges = np.arange(np.floor((scores.min() - 1) / BIN_WIDTH), np.ceil((scores.max() + 1) / BIN_WIDTH) + 1) * BIN_WIDTH
    below = ndtr((edges[:, None] - middle) / (shrink * kernel)) @ counts / len(column)
    return np.diff(below)


def _distance_variance(p: np.ndarray, rate: float) -> float:
    """Return the variance of half the L1 distance of histograms with jointly normal bins, which have
    Cov(|a|, |b|) = (2/pi)(r asin r + sqrt(1 - r^2) - 1) in units of both standard deviations.
    """
    p = p[(p > 1e-12) & (p < 1.0)]
    scale, odds = np.sqrt(p * (1 - p) * rate), np.sqrt(p / (1 - p))
    r = np.clip(-np.outer(odds, odds), -1, 1)
    np.fill_diagonal(r, 1.0)
    kernel = 2 / np.pi * (r * np.arcsin(r) + np.sqrt(1 - r * r) - 1)
    return float(0.25 * scale @ kernel @ scale)


def bin_frame(reference: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return validated reference draws (m, d), their means (d,) and the bin widths (d,)."""
    reference = sample_array("reference", reference, least=2)
    sd = reference.std(axis=0)
    flat = np.flatnonzero(sd <= 1e-14 * np.abs(reference).max(axis=0))
    if flat.size:
        raise ValueError(f"reference must vary in every coordinate, coordinate {flat[0]} has standard deviation 0; "
                         "use draws of the whole posterior, not of one point")
    return reference, reference.mean(axis=0), BIN_WIDTH * sd
