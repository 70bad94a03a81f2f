"""What ZXG Theorem 3.5 promises the SVRG-LD family in the race of exact recursions, beside which it is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from app.offline.race_samplers import make
from app.offline.wasserstein_race_job import GaussianRace, grid
from app.state.offline_races import GAUSSIAN_DIM, GaussianConfig
from sampler import SvrgLD
from sampler.theory import gaussian_experiment, gaussian_promise

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
    def known(self) -> bool:
        """Whether the theorem speaks at this step size."""
        return bool(np.isfinite(self.promised).all())


def theorem_lines(race: GaussianRace) -> dict[str, TheoremLine]:
    """Return a line for each sampler of the race that anchors, by key."""
    found = {key: _line(race.config, key, curve.step_size) for key, curve in race.curves.items()}
    return {key: line for key, line in found.items() if line is not None}


@lru_cache(maxsize=32)
def _line(config: GaussianConfig, key: str, step_size: float) -> TheoremLine | None:
    sampler = make(key, config, config.n)
    if not isinstance(sampler, SvrgLD):
        return None
    experiment, passes = gaussian_experiment(config.n, GAUSSIAN_DIM, config.seed), grid(config)[::-1][::EVERY][::-1]
    promises = [gaussian_promise(experiment, replace(sampler, step_size=step_size), float(p)) for p in passes]
    return TheoremLine(passes, np.array([p.value for p in promises]), promises[-1].repaired, promises[-1].largest_step_size)
