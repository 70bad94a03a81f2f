"""What theorems promise of a Gaussian race: lines in its figure, and corollaries in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from app.number_words import scientific, short
from app.offline.race_samplers import make
from app.offline.wasserstein_race_job import GaussianRace, grid
from app.state.offline_races import GAUSSIAN_DIM, GaussianConfig
from sampler import SvrgLD
from sampler.theory import (
    PrescriptionCheck,
    check_prescription,
    gaussian_experiment,
    gaussian_promise,
    prescription_exponents,
)

EVERY = 8
"""Passes of the race's own grid between two of these."""


@dataclass(frozen=True, eq=False)
class TheoremLine:
    """The promise for one sampler at its step size."""

    passes: np.ndarray  #: (p,)
    promised: np.ndarray  #: (p,) W2; inf where the step size is too long for the theorem
    repaired: float  #: at the last pass, with the proof's last step mended
    largest_step_size: float  #: that the theorem allows

    @property
    def holds(self) -> bool:
        """Whether the theorem speaks at this step size."""
        return bool(np.isfinite(self.promised).all())


def theorem_lines(race: GaussianRace) -> dict[str, TheoremLine]:
    """Return a line for each sampler of the race that anchors, by key."""
    lines = {key: _line(race.config, key, curve.step_size) for key, curve in race.curves.items()}
    return {key: line for key, line in lines.items() if line is not None}


@lru_cache(maxsize=32)
def _line(config: GaussianConfig, key: str, step_size: float) -> TheoremLine | None:
    sampler = make(key, config, config.n)
    if not isinstance(sampler, SvrgLD):
        return None
    experiment, passes = gaussian_experiment(config.n, GAUSSIAN_DIM, config.seed), grid(config)[::-1][::EVERY][::-1]
    promises = [gaussian_promise(experiment, replace(sampler, step_size=step_size), float(p)) for p in passes]
    return TheoremLine(passes, np.array([p.value for p in promises]), promises[-1].repaired, promises[-1].largest_step_size)


COARSE, FINE = 1.5, 1 / 3
"""Of the eps at which Corollary 3.6 would take all data: one prescription above it, by 3.6, and one below, by 3.8."""
STEEP = {"epsilon": 1e-3, "kappa": 1e4, "dim": 10, "sigma": 1.0}
"""Where the exponent of kappa is taken: that far out nothing else counts."""


def corollaries(config: GaussianConfig) -> str:
    """Return what is prescribed and what is so, as HTML; an eps above the start's W2 is left out."""
    return _corollaries(config.n, config.seed)


@lru_cache(maxsize=16)
def _corollaries(n: int, seed: int) -> str:
    experiment = gaussian_experiment(n, GAUSSIAN_DIM, seed)
    noise = float((experiment.curvatures**2 * experiment.data.var(axis=0)).sum())
    border = 12 * math.sqrt(noise / n) / float(experiment.curvatures.min())
    start = experiment.wasserstein(SvrgLD(1e-3), 0.0)
    sentences = [_prescribed(check_prescription(experiment, float(f"{share * border:.2g}")), n)
                 for share in (COARSE, FINE) if share * border < start]
    kappa = prescription_exponents(**STEEP)["kappa"]
    return (f"<b>ZXG Corollaries 3.6 and 3.8</b>, their constants taken from Theorem 3.5. {' '.join(sentences)} In 3.6 the"
            f" gradients grow like κ to the {kappa:.2g}, one more than printed: the theorem wants ηm ≤ 1/(6M).")


def _prescribed(check: PrescriptionCheck, n: int) -> str:
    by, enough = check.prescription, float(f"{check.reached / n:.3g}")
    reached = scientific(check.wasserstein) if check.wasserstein < 0.01 else f"{check.wasserstein:.2g}"
    return (f"For W₂ ≤ {check.epsilon:g}, {by.corollary} prescribes B = {by.anchor_batch:,}, m = {by.anchor_every:,},"
            f" η = {short(by.step_size)} and {short(float(f'{by.gradients / n:.3g}'))} passes; they bring it to"
            f" {reached}, and {short(enough)} were enough.")
