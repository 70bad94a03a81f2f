"""Marginal accuracy, the score of LMV-n section 5, for samples against samples or against exact marginals.

MA = 1 - (1/d) sum_i TV_i, where TV_i is half the L1 distance between histograms of coordinate i with
bins 0.25 reference standard deviations wide. (The paper prints 1/(2d) with the L1 norm: the same number.)
Best value 1; even an exact sampler scores below it, see ``sampler.metrics.ceiling``.
"""

import numpy as np
from scipy.special import ndtri

from sampler.arguments import real_number, sample_array
from sampler.metrics.bin_noise import BIN_WIDTH, normal_bins
from sampler.metrics.ceiling import bin_frame

OUTERMOST = 32  # bins beyond 8 standard deviations are one bin: no reference mass is there


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
    reference, mean, width = bin_frame(reference)
    samples = sample_array("samples", samples, dim=reference.shape[1])
    truth = np.floor((reference - mean) / width)
    low, high = truth.min(axis=0) - 1, truth.max(axis=0) + 1
    bins = int((high - low).max()) + 1
    # Samples beyond the reference's range meet no reference mass, so one outer bin a side loses nothing.
    found = np.clip(np.floor((samples - mean) / width), low, high)
    return float(
        1.0 - 0.5 * np.abs(_shares(found - low, bins) - _shares(truth - low, bins)).sum(axis=1).mean()
    )


def total_variation_marginals(uniforms: np.ndarray) -> np.ndarray:
    """Distance TV_i of each coordinate's histogram from its exact marginal.

    Parameters
    ----------
    uniforms : (n, d) array in [0, 1]
        Samples passed through the exact marginal CDFs; draws of different epochs may be pooled.

    Returns
    -------
    (d,) array in [0, 1]; an exact sampler gets about ``1 - exact_ceiling(n).mean``, not 0.

    Raises
    ------
    ValueError
        For values outside [0, 1].
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
    advice = "both are shares, 1 is the best"
    accuracy = real_number("accuracy", accuracy, advice, least=0.0, most=1.0)
    return accuracy + 1.0 - real_number("ceiling", ceiling, advice, least=0.0, most=1.0)


def _shares(indices: np.ndarray, bins: int) -> np.ndarray:
    """Histogram of integer bin indices (n, d) as shares, (d, bins)."""
    n, d = indices.shape
    flat = (indices + np.arange(d) * bins).astype(np.int64).ravel()
    return np.bincount(flat, minlength=d * bins).reshape(d, bins) / n
