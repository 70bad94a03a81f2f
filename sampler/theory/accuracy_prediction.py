"""Prediction from eta0, b and i_max: the chain's law after an epoch and its accuracy, in closed Gaussian form.

Near pi_t ~ N(x*, H^-1) a chain from deviation z is, after n steps and in H's eigenbasis, normal with

    mean r_i^n z_i, covariance (2 eta I + eta^2 N)_ij (1 - (r_i r_j)^n) / (1 - r_i r_j), r = 1 - eta lambda.

Marginals over chains and run lengths are mixtures of normals, binned as in marginal accuracy (0.25 posterior
standard deviations wide); the noise of both histograms is added in closed form.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import erf, ndtr

from sampler.arguments import instance_of, sample_array, whole_number
from sampler.kernels.predicted_accuracy import NODES, RUN_LENGTHS, WEIGHTS
from sampler.settings import Settings
from sampler.theory.gradient_noise import GradientNoise

REACH = 6.0  # target standard deviations covered by bins
EDGES = np.arange(-24, 25) * 0.25  # (49,): 50 bins with the two unbounded ones
CELLS_PER_BIN = 4  # starts are first binned on a finer grid of spacing 1/16
FINE_REACH = 8.0


def target_share() -> np.ndarray:
    """Return the bin probabilities of N(0, 1), (50,)."""
    return _differences(ndtr(EDGES))


def normal_share(widths: np.ndarray, centres: np.ndarray | float = 0.0) -> np.ndarray:
    """Return the bin probabilities of N(centre, width^2), (..., d) -> (..., d, 50)."""
    return _differences(ndtr((EDGES - np.asarray(centres)[..., None]) / np.asarray(widths)[..., None]))


def binned_mixture(centres: np.ndarray, spreads: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the bin probabilities of the mixture of N(centre, spread^2) over run lengths and chains, (d, 50).

    ``centres`` (lengths, k, d), ``spreads`` (lengths, d), ``weights`` (lengths,). Centres are first distributed linearly
    over a grid of spacing 1/16, so that a mixture of thousands of components costs one convolution.
    """
    lengths, k, d = centres.shape
    step = 0.25 / CELLS_PER_BIN
    cells = int(2 * FINE_REACH / step) + 1
    place = np.clip((centres.transpose(0, 2, 1).reshape(lengths * d, k) + FINE_REACH) / step, 0.0, cells - 1.001)
    cell = place.astype(np.int64)
    part = place - cell
    flat = (cell + np.arange(lengths * d)[:, None] * cells).ravel()
    size = lengths * d * cells
    gathered = np.bincount(flat, (1.0 - part).ravel(), size) + np.bincount(flat + 1, part.ravel(), size)
    gathered = gathered.reshape(lengths * d, cells) / k
    # Distance edge - cell is a multiple of the step, so one table of the normal CDF serves every pair.
    furthest = FINE_REACH + REACH
    table = ndtr(np.arange(-furthest, furthest + step / 2, step) / spreads.reshape(lengths * d, 1))
    windows = np.lib.stride_tricks.sliding_window_view(table, cells, axis=1)[:, ::CELLS_PER_BIN]
    below = np.matmul(windows, gathered[:, ::-1, None])[:, :, 0].reshape(lengths, d, len(EDGES))
    return _differences(np.tensordot(weights, below, axes=1))


def mean_square_share(centres: np.ndarray, spreads: np.ndarray, weights: np.ndarray, most: int = 32) -> np.ndarray:
    """Return the mean over at most ``most`` chains of the squared bin probabilities of each chain's law, (d, 50).

    A bin's count has variance sum_k q_k (1 - q_k), less than that of pooled draws if chains depend on their starts.
    """
    every = -(-centres.shape[1] // most)
    return np.mean(np.square(each_start(centres[:, ::every], spreads, weights)), axis=0)


def each_start(centres: np.ndarray, spreads: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the bin probabilities of each chain's law, averaged over run lengths, (k, d, 50)."""
    below: np.ndarray | float = 0.0
    for centre, spread, weight in zip(centres, spreads, weights, strict=True):
        below = below + weight * ndtr((EDGES - centre[:, :, None]) / spread[:, None])
    return _differences(np.asarray(below))


def _differences(below: np.ndarray) -> np.ndarray:
    """Return the probabilities between edges, unbounded bins included: (..., 49) -> (..., 50)."""
    return np.diff(below, axis=-1, prepend=0.0, append=1.0)


WIDEST_TRUSTED = 0.5  # relative excess variance of SAGA-LD above which the closed form overestimates (measured)


@dataclass(frozen=True)
class AccuracyPrediction:
    """Prediction of the Gaussian model for one epoch.

    Attributes
    ----------
    accuracy : float
        Expected measured marginal accuracy, histogram noise included; 0 if unstable.
    true_accuracy : float
        Marginal accuracy in the limit of infinitely many draws on both sides.
    width : (d,) array
        Ratio of the chain's to the posterior's standard deviation along each eigenvector of H, smallest eigenvalue
        first; 1 is exact.
    gradient_noise : float
        Covariance added per step by the stochastic gradient relative to the injected noise, eta tr N / (2 d).
    memory : float
        Correlation with the start after an epoch in the slowest direction: mean over run lengths of
        (1 - eta lambda)^n.
    stable : bool
        False if the chain's variance diverges.
    trusted : bool
        False if unstable, or outside the validated range of the closed form (SAGA-LD: at most 50 % excess variance).
    largest_stable_eta0 : float
        Stability limit of eta0 with exact gradients.
    """

    accuracy: float
    true_accuracy: float
    width: np.ndarray
    gradient_noise: float
    memory: float
    stable: bool
    trusted: bool
    largest_stable_eta0: float


def predict_accuracy(
    noise: GradientNoise, settings: Settings, t: int, start: np.ndarray | None = None, draws: int = 1000,
    reference_draws: int | None = None, rerun: bool = False,
) -> AccuracyPrediction:
    """Predict the accuracy of X^t.

    Parameters
    ----------
    noise : GradientNoise
        ``GradientNoise.of_posterior(posterior, mode)``; carries the Hessian, and the metric of a preconditioned sampler.
    settings : Settings
        eta0, batch_size, i_max, offset, variance_reduction and random_length are read.
    t : int >= 1
    start : (k, d) array, optional
        Deviations X_0^t - x*_t of the chains; those of several epochs may be pooled, scaled by
        sqrt((s + c)/(t + c)) for epoch s. None: equilibrium (with ``rerun``, 256 draws of N(0, H^-1)).
    draws : int >= 1
        Number of scored draws, pooled over chains and epochs.
    reference_draws : int, optional
        Number of reference draws; None for exact marginals.
    rerun : bool
        False: independent chains, each from its own start, are scored together (the Live page). True: each
        start is rerun ``draws`` times separately and the scores are averaged (LMV-n section 5, rerun of the
        saved state).
    """
    instance_of("noise", noise, GradientNoise, "make one with GradientNoise.of_posterior")
    instance_of("settings", settings, Settings, "make one with Settings()")
    t, draws = whole_number("t", t), whole_number("draws", draws)
    eta, dim, lam = noise.step_size(settings, t), noise.dim, noise.eigenvalues
    if reference_draws is not None:
        reference_draws = whole_number("reference_draws", reference_draws)
    if start is not None:
        start = sample_array("start", start, dim=dim)
    limit = float(2.0 * settings.eta0 / (eta * lam[-1]))
    ratio = 1.0 - eta * lam
    law = noise.stationary(t, eta, settings.batch_size, settings.variance_reduction)
    if not law.stable:
        return AccuracyPrediction(0.0, 0.0, np.full(dim, np.inf), np.inf, 1.0, False, False, limit)
    lengths, weights = run_lengths(settings)
    powers = np.abs(ratio)[None, :] ** lengths[:, None]  # (lengths, d); powers of a negative ratio alternate in sign
    powers = np.where((ratio < 0) & (np.round(lengths)[:, None] % 2 == 1), -powers, powers)
    memory = float(np.abs(weights @ powers).max())
    inflation = law.variances * lam
    sds = np.sqrt(((noise.vectors**2) / lam).sum(axis=1))  # of the target's marginals
    grown = law.covariance * (1.0 - powers[:, :, None] * powers[:, None, :])
    turned = np.einsum("ai,nij,aj->na", noise.vectors, grown, noise.vectors, optimize=True)
    spreads = np.sqrt(np.maximum(turned, 1e-300)) / sds  # (lengths, d)
    if start is None and rerun:
        start = np.random.default_rng(0).standard_normal((256, dim)) / np.sqrt(lam) @ noise.vectors.T
    if start is None:
        share = normal_share(np.sqrt(np.einsum("ai,ij,aj->a", noise.vectors, law.covariance, noise.vectors)) / sds)
        square = np.square(share)
    else:
        centres = (noise.in_modes(start) * powers[:, None, :]) @ noise.vectors.T / sds  # (lengths, k, d)
        if rerun:
            share = each_start(centres, spreads, weights)
            square = np.square(share)
        else:
            share = binned_mixture(centres, spreads, weights)
            square = mean_square_share(centres, spreads, weights)
    measured, true = expected_accuracy(share, square, target_share(), draws, reference_draws)
    trusted = bool(not settings.variance_reduction or np.max(inflation) - 1 <= WIDEST_TRUSTED)
    added = float(0.5 * eta * np.trace(law.noise) / dim)
    return AccuracyPrediction(float(measured), float(true), np.sqrt(inflation), added, memory, True, trusted, limit)


def run_lengths(settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Return quadrature nodes and weights of the run length: uniform on 1..i_max, or i_max itself."""
    if not settings.random_length:
        return np.array([float(settings.i_max)]), np.ones(1)
    if settings.i_max <= RUN_LENGTHS:
        return np.arange(1.0, settings.i_max + 1), np.full(settings.i_max, 1.0 / settings.i_max)
    return 0.5 + settings.i_max * (NODES + 1) / 2, WEIGHTS / 2


def expected_accuracy(share: np.ndarray, square: np.ndarray, target: np.ndarray, draws: float,
                      reference_draws: float | None) -> tuple[float, float]:
    """Return the expected measured and true accuracy from bin probabilities of chains, (..., bins), and target, (bins,).

    E |q^ - p^| is that of a folded normal with mean q - p and the variance of both histograms, capped at q + p.
    """
    gap = share - target
    variance = np.maximum(share - square, 0.0) / draws
    if reference_draws is not None:
        variance = variance + target * (1 - target) / reference_draws
    s = np.sqrt(np.maximum(variance, 1e-300))
    noisy = s * np.sqrt(2 / np.pi) * np.exp(-0.5 * (gap / s) ** 2) + gap * erf(gap / (s * np.sqrt(2)))
    noisy = np.minimum(noisy, share + target)
    return 1.0 - 0.5 * noisy.sum(axis=-1).mean(), 1.0 - 0.5 * np.abs(gap).sum(axis=-1).mean()
