"""Prediction from eta0, b and i_max: the chain's law after an epoch, in closed Gaussian form, and its accuracy.

Near pi_t ~ N(x*, H^-1) a chain from deviation z is, after n steps and in H's eigenbasis, normal with

    mean r_i^n z_i, covariance (2 eta I + eta^2 N)_ij (1 - (r_i r_j)^n) / (1 - r_i r_j), r = 1 - eta lambda.

Over chains and run lengths its marginals are mixtures of normals, binned 0.25 posterior standard deviations
wide as marginal accuracy bins them; the noise of both histograms is added in closed form.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from sampler.arguments import SMALLEST, instance_of, real_number, sample_array, square_matrix, whole_number
from sampler.settings import Settings
from sampler.theory.binned_law import (
    binned_mixture,
    each_start,
    mean_square_share,
    normal_share,
    target_share,
)
from sampler.theory.gradient_noise import GradientNoise

RUN_LENGTHS = 24  # Gauss-Legendre nodes over a random run length; all lengths when there are no more
WIDEST_TRUSTED = 0.5  # SAGA-LD's variance inflation beyond which the closed form overshoots (measured)


@dataclass(frozen=True)
class AccuracyPrediction:
    """Prediction of the Gaussian model for one epoch.

    Attributes
    ----------
    accuracy : float
        Marginal accuracy one would measure, histogram noise included; 0 when not stable.
    true_accuracy : float
        The same with infinitely many draws on both sides.
    width : (d,) array
        Standard deviation over the posterior's along each eigenvector of H, smallest eigenvalue first; 1 is
        right.
    gradient_noise : float
        Covariance the stochastic gradient adds a step over the injected one's, eta tr N / (2 d).
    memory : float
        Correlation left of the start after an epoch in the slowest direction: mean over run lengths of (1 -
        eta lambda)^n.
    stable : bool
        False when the chain's variance grows without end.
    trusted : bool
        False when not stable, or beyond what the closed form was checked for (SAGA-LD: 50 % more variance).
    largest_stable_eta0 : float
        Where even exact gradients stop being stable.
    """

    accuracy: float
    true_accuracy: float
    width: np.ndarray
    gradient_noise: float
    memory: float
    stable: bool
    trusted: bool
    largest_stable_eta0: float


def largest_stable_eta0(hessian: np.ndarray, t: int, offset: float) -> float:
    """eta0 at which eta_t lambda_max = 2: 2 (t + c) / lambda_max(H), from the (d, d) Hessian of F_t.

    Parameters
    ----------
    hessian : (dim, dim) array
        Of F_t at its mode.
    t : int >= 1
        Data.
    offset : float >= 0
        c of eta0 / (t + c).

    Raises
    ------
    ValueError
        For a Hessian without a positive eigenvalue, and an offset outside [0, inf).
    """
    largest = np.linalg.eigvalsh(square_matrix("hessian", hessian))[-1]
    if largest <= SMALLEST:
        raise ValueError(
            f"hessian must have a positive eigenvalue, its largest is {largest:g}; observe a datum first"
        )
    offset = real_number("offset", offset, "use settings.offset", least=0.0)
    return float(2.0 * (whole_number("t", t) + offset) / largest)


def predict_accuracy(
    noise: GradientNoise,
    settings: Settings,
    t: int,
    start: np.ndarray | None = None,
    draws: int = 1000,
    reference_draws: int | None = None,
    rerun: bool = False,
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
        Deviations X_0^t - x*_t of the chains; those of several epochs may be pooled, each times
        sqrt((s + c)/(t + c)) for epoch s. None: equilibrium (with ``rerun``, 256 draws of N(0, H^-1)).
    draws : int >= 1
        Draws scored, pooled over chains and epochs.
    reference_draws : int, optional
        Draws of the reference; None for exact marginals.
    rerun : bool
        False: independent chains, each from its own start, scored together (the Live page). True: every
        start is re-run ``draws`` times on its own and the scores are averaged (LMV-n section 5, the saved
        state re-run).
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
    powers = _powers(ratio, lengths)
    memory = float(np.abs(weights @ powers).max())
    inflation = law.variances * lam
    sds = np.sqrt(((noise.vectors**2) / lam).sum(axis=1))  # of the target's marginals
    full = law.covariance
    grown = full * (1.0 - powers[:, :, None] * powers[:, None, :])
    turned = np.einsum("ai,nij,aj->na", noise.vectors, grown, noise.vectors, optimize=True)
    spreads = np.sqrt(np.maximum(turned, 1e-300)) / sds  # (lengths, d)
    if start is None and rerun:
        start = np.random.default_rng(0).standard_normal((256, dim)) / np.sqrt(lam) @ noise.vectors.T
    if start is None:
        share = normal_share(np.sqrt(np.einsum("ai,ij,aj->a", noise.vectors, full, noise.vectors)) / sds)
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
    return AccuracyPrediction(
        float(measured),
        float(true),
        np.sqrt(inflation),
        float(0.5 * eta * np.trace(law.noise) / dim),
        memory,
        True,
        trusted,
        limit,
    )


def run_lengths(settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of an epoch that stand for all, and their weights: uniform on 1..i_max, or i_max itself."""
    if not settings.random_length:
        return np.array([float(settings.i_max)]), np.ones(1)
    if settings.i_max <= RUN_LENGTHS:
        return np.arange(1.0, settings.i_max + 1), np.full(settings.i_max, 1.0 / settings.i_max)
    nodes, weights = np.polynomial.legendre.leggauss(RUN_LENGTHS)
    return 0.5 + settings.i_max * (nodes + 1) / 2, weights / 2


def _powers(ratio: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """ratio^length, (lengths, d); a negative ratio (a step beyond the mode) alternates in sign."""
    size = np.abs(ratio)[None, :] ** lengths[:, None]
    return np.where((ratio < 0) & (np.round(lengths)[:, None] % 2 == 1), -size, size)


def expected_accuracy(share: np.ndarray, square: np.ndarray, target: np.ndarray, draws: float,
                      reference_draws: float | None) -> tuple[float, float]:
    """Expected measured and true accuracy from the bin shares of the chains, (..., bins), and target,
    (bins,).

    E |q^ - p^| is a folded normal's with mean q - p and variance of both histograms, and never above q + p.
    """
    gap = share - target
    variance = np.maximum(share - square, 0.0) / draws
    if reference_draws is not None:
        variance = variance + target * (1 - target) / reference_draws
    s = np.sqrt(np.maximum(variance, 1e-300))
    noisy = s * np.sqrt(2 / np.pi) * np.exp(-0.5 * (gap / s) ** 2) + gap * erf(gap / (s * np.sqrt(2)))
    noisy = np.minimum(noisy, share + target)
    return 1.0 - 0.5 * noisy.sum(axis=-1).mean(), 1.0 - 0.5 * np.abs(gap).sum(axis=-1).mean()
