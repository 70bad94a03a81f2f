"""Noise of histograms: expected distance of independent draws from the truth, and effective sample size of chains.

A bin's indicator decorrelates faster than the mean: for 1,000 draws of an autoregression with coefficient 0.9, the
effective size is 53 for the mean and 414 for a histogram with bins of a quarter standard deviation.
"""

from functools import lru_cache

import numpy as np
from scipy.special import betainc, gammaln, ndtr, xlog1py, xlogy

from sampler.arguments import chain_array, real_array, shown, vector, whole_number

BIN_WIDTH = 0.25  # in standard deviations of the reference (LMV-n section 5)
TABLE = np.logspace(-9, np.log10(0.5), 72)  # bin probabilities at which the exact deviation is tabulated


@lru_cache(maxsize=1)
def normal_bins() -> np.ndarray:
    """Return the probabilities of N(0, 1) in 64 bins 0.25 wide from -8 to 8; they sum to 1."""
    edges = np.arange(-32, 33) * BIN_WIDTH
    return np.diff(ndtr(edges))


def mean_deviation(probabilities: np.ndarray, draws: int) -> np.ndarray:
    """Return E |X/n - p| for X ~ Binomial(n, p), exact (de Moivre), elementwise.

    Parameters
    ----------
    probabilities : array in [0, 1]
    draws : int >= 1
        n.
    """
    p = np.asarray(probabilities, dtype=float)
    n = draws
    nu = np.floor(n * p) + 1.0
    inside = (p > 0) & (p < 1) & (nu <= n)
    nu = np.where(inside, nu, 1.0)
    p = np.where(inside, p, 0.5)
    log_pmf = gammaln(n + 1) - gammaln(nu + 1) - gammaln(n - nu + 1) + xlogy(nu, p) + xlog1py(n - nu, -p)
    return np.where(inside, 2.0 * nu * (1.0 - p) * np.exp(log_pmf) / n, 0.0)


def mean_difference(probabilities: np.ndarray, draws: int, reference_draws: int) -> np.ndarray:
    """Return E |X/n - Y/m| for independent X ~ Binomial(n, p), Y ~ Binomial(m, p), elementwise.

    Interpolated between exact values at 72 probabilities, with a relative error below 1e-3. The normal
    approximation sqrt(2/pi) sqrt(p (1-p) (1/n + 1/m)) has an error of 5 % at n p = 1, and is too large by a
    factor of 2 at n p = 0.1.
    """
    p = np.asarray(probabilities, dtype=float)
    folded = np.minimum(p, 1.0 - p)
    normal = np.sqrt(2.0 / np.pi * folded * (1.0 - folded) * (1.0 / draws + 1.0 / reference_draws))
    ratio = np.interp(
        np.log(np.maximum(folded, TABLE[0])), np.log(TABLE), _ratio_table(draws, reference_draws)
    )
    return np.minimum(normal * ratio, 2.0 * folded)


@lru_cache(maxsize=64)
def _ratio_table(n: int, m: int) -> np.ndarray:
    """Return the ratio of the exact E |X/n - Y/m| to its normal approximation at the probabilities of TABLE."""
    ratios = np.ones(len(TABLE))
    for i, p in enumerate(TABLE):
        scale = np.sqrt(p * (1 - p) * (1 / n + 1 / m))
        if min(n, m) * p > 200:  # the normal approximation is good to 1e-3 here
            continue
        ratios[i] = _exact_difference(p, n, m) / (scale * np.sqrt(2 / np.pi))
    return ratios


def _exact_difference(p: float, n: int, m: int) -> float:
    """Return E |A - B|, the integral of F (1 - G) + G (1 - F), on the merged lattice of A = X/n and B = Y/m."""
    steps, functions = [], []
    for size in (n, m):
        reach = 10 * np.sqrt(size * p * (1 - p)) + 20
        counts = np.arange(max(0, int(size * p - reach)), min(size, int(size * p + reach)) + 1)
        below = np.minimum(counts, size - 1)  # P(count <= k) = I_{1-p}(size - k, k + 1), which needs k < size
        steps.append(counts / size)
        functions.append(np.where(counts == size, 1.0, betainc(size - below, below + 1.0, 1 - p)))
    points = np.unique(np.concatenate(steps))
    cdfs = []
    for at, cdf in zip(steps, functions, strict=True):
        index = np.searchsorted(at, points, side="right") - 1
        cdfs.append(np.where(index >= 0, cdf[np.maximum(index, 0)], 0.0))
    f, g = cdfs
    return float(np.sum((f * (1 - g) + g * (1 - f))[:-1] * np.diff(points)))


LEAST_SHARE = 0.005  # bins with a smaller probability are too noisy and left out
HERMITE_TERMS = 400  # a bin of 0.25 is resolved by about (pi / 0.25)^2 = 158 terms
MEMORIES = 1.0 - np.logspace(0, -4, 81)  # autoregressive coefficients of the table


def histogram_ess(draws: np.ndarray, bulk: np.ndarray | None = None) -> np.ndarray:
    """Return the effective sample size of the chains' histograms per coordinate, (d,); chains * n if independent.

    ArviZ's effective size of the bins' indicators is valid for every kind of chain, but 20 % too large at 50 effective
    draws: covariances about the sample mean underestimate slow modes. `histogram_ess_from` the bulk effective size errs
    in the other direction there; where it is smaller, the two are averaged on a log scale, with weights 1 and 2.
    A size within the estimation noise, 3/sqrt(draws), of all draws is set to all draws.

    Parameters
    ----------
    draws : (chains, n, d) array
        Draws in sampling order, n >= 4.
    bulk : (d,) array, optional
        Bulk effective sizes from `chain_diagnostics`, if already computed.

    Raises
    ------
    ValueError
        For draws of another shape, fewer than 4 draws per chain, a constant coordinate, or values that are not
        finite.
    """
    from arviz_stats.base import array_stats  # 0.8 s to import, and only drawn references need it

    draws = chain_array(draws)
    chains, n, d = draws.shape
    total, sizes = chains * n, np.empty(d)
    bulk = None if bulk is None else vector("bulk", bulk, d, "one effective size per coordinate")
    still = np.flatnonzero(draws.std(axis=(0, 1)) <= 1e-14 * np.abs(draws).max(axis=(0, 1)))
    if still.size:
        raise ValueError(f"draws must vary in every coordinate, coordinate {still[0]} is constant; leave it out")
    for i in range(d):
        column = draws[:, :, i]
        bins = np.floor((column - column.mean()) / (BIN_WIDTH * column.std()))
        values, counts = np.unique(bins, return_counts=True)
        share = counts / total
        often = share >= min(LEAST_SHARE, share.max())
        inside = (bins == values[often][:, None, None]).astype(float)
        size = array_stats.ess(inside, chain_axis=-2, draw_axis=-1, method="mean")
        weight = np.sqrt(share[often] * (1.0 - share[often]))
        bulk_size = array_stats.ess(column, chain_axis=-2, draw_axis=-1) if bulk is None else bulk[i]
        alike = float(histogram_ess_from(float(bulk_size), total))
        # The bins' standard deviations add up in the distance, so their roots are averaged.
        direct = total * (weight.sum() / (weight * np.sqrt(total / size)).sum()) ** 2 if weight.sum() > 0 else total
        size = np.cbrt(direct * alike * alike) if alike < direct else direct
        sizes[i] = total if size > (1.0 - 3.0 / np.sqrt(total)) * total else size
    return sizes


def histogram_ess_from(ess: float | np.ndarray, draws: int) -> float | np.ndarray:
    """Return the effective size of the histogram of a normal autoregression with effective size ``ess`` of the mean.

    Parameters
    ----------
    ess : float or array > 0
        ArviZ's bulk effective size; values above ``draws`` are clipped.
    draws : int
        Total number of draws of all chains.

    Raises
    ------
    ValueError
        If ``ess`` is not above 0, or ``draws`` is below 1.
    """
    draws, advice = whole_number("draws", draws), "leave out coordinates that did not move"
    ess = real_array("ess", ess, "numbers above 0", advice)
    if not np.all(ess > 0):
        raise ValueError(f"ess must be above 0, got {shown(ess)}; {advice}")
    share = np.clip(ess / draws, 1e-6, 1.0)
    memory = (1.0 - share) / (1.0 + share)
    return draws / np.interp(-np.log1p(-np.minimum(memory, MEMORIES[-1])), -np.log1p(-MEMORIES), _slowness())


@lru_cache(maxsize=1)
def _slowness() -> np.ndarray:
    """Return the number of draws per independent draw of a histogram, at each of MEMORIES.

    By Mehler's formula a bin's indicators at lag l have covariance sum_k c_k^2 rho^(k l), with the bin's Hermite
    coefficients c_k, so that the variance in a long chain is sum_k c_k^2 (1 + rho^k)/(1 - rho^k) per draw.
    """
    edges = np.arange(-32, 33) * BIN_WIDTH
    density = np.exp(-0.5 * edges * edges) / np.sqrt(2 * np.pi)
    functions = [density, edges * density]  # of He_k / sqrt(k!)
    for k in range(1, HERMITE_TERMS - 1):
        functions.append((edges * functions[k] - np.sqrt(k) * functions[k - 1]) / np.sqrt(k + 1))
    orders = np.arange(1, HERMITE_TERMS + 1)
    squares = (np.diff(-np.array(functions), axis=1) / np.sqrt(orders)[:, None]) ** 2  # c_k^2, (orders, bins)
    share = normal_bins()
    white = share * (1.0 - share)
    ratios = []
    for memory in MEMORIES:
        power = memory**orders
        long = white + (2.0 * power / (1.0 - power)) @ squares
        ratios.append((np.sqrt(long).sum() / np.sqrt(white).sum()) ** 2)
    return np.array(ratios)
