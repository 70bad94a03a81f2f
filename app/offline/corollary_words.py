"""What ZXG Corollaries 3.6 and 3.8 prescribe for the Gaussian race's data, and what the exact law makes of it."""

from __future__ import annotations

import math
from functools import lru_cache

from app.number_words import scientific, short
from app.state.offline_races import GAUSSIAN_DIM, GaussianConfig
from sampler import SvrgLD
from sampler.theory import PrescriptionCheck, check_prescription, gaussian_experiment, prescription_exponents

COARSE, FINE = 1.5, 1 / 3
"""Of the eps at which Corollary 3.6 would take all data: one prescription above it, by 3.6, and one below, by 3.8."""
STEEP = {"epsilon": 1e-3, "kappa": 1e4, "dim": 10, "sigma": 1.0}
"""Where the exponent of kappa is taken: that far out nothing else counts."""


def corollaries(config: GaussianConfig) -> str:
    """Return what is prescribed and what is so, as HTML; an eps above the start's W2 is left out."""
    return _words(config.n, config.seed)


@lru_cache(maxsize=16)
def _words(n: int, seed: int) -> str:
    experiment = gaussian_experiment(n, GAUSSIAN_DIM, seed)
    noise = float((experiment.curvatures**2 * experiment.data.var(axis=0)).sum())
    border = 12 * math.sqrt(noise / n) / float(experiment.curvatures.min())
    start = experiment.wasserstein(SvrgLD(1e-3), 0.0)
    said = [_one(check_prescription(experiment, float(f"{share * border:.2g}")), n) for share in (COARSE, FINE)
            if share * border < start]
    kappa = prescription_exponents(**STEEP)["kappa"]
    return (f"<b>ZXG Corollaries 3.6 and 3.8</b>, their constants taken from Theorem 3.5. {' '.join(said)} In 3.6 the"
            f" gradients grow like κ to the {kappa:.2g}, one more than printed: the theorem wants ηm ≤ 1/(6M).")


def _one(found: PrescriptionCheck, n: int) -> str:
    by, enough = found.prescription, float(f"{found.reached / n:.3g}")
    return (f"For W₂ ≤ {found.epsilon:g}, {by.corollary} prescribes B = {by.anchor_batch:,}, m = {by.anchor_every:,},"
            f" η = {short(by.step_size)} and {short(float(f'{by.gradients / n:.3g}'))} passes; they bring it to"
            f" {_tiny(found.wasserstein)}, and {short(enough)} were enough.")


def _tiny(value: float) -> str:
    return scientific(value) if value < 0.01 else f"{value:.2g}"
