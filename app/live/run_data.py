"""The problem and the data of a Live run, made from its configuration."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from app.live.snapshot import HORIZON
from app.state.live import LiveConfig
from app.state.own_data_defaults import OWN
from app.state.problem_menu import choice_of
from sampler import synthetic_stream
from sampler.reference import ModeTracker, OracleModeTracker

_stream = lru_cache(maxsize=4)(synthetic_stream)
"""Visits share the rows of a stream, which nobody changes: 1.5 MB in two dimensions, 11 MB in 21."""


class Data:
    """A problem with the rows that will arrive, to be read in any order."""

    def __init__(self, config: LiveConfig) -> None:
        self.given = config.given if config.problem == OWN else None
        self.problem = choice_of(config.problem, self.given).problem
        self.kind, self.dim = self.problem.kind, self.problem.dim
        self.length = HORIZON if self.given is None else min(self.given.t, HORIZON)
        if self.given is None:
            self._stream = _stream(self.kind, self.dim, config.stream, HORIZON, config.seed)

    def start(self, config: LiveConfig) -> np.ndarray | None:
        """X^0: None for the prior's draws; the first target's where the prior is flat; near 0 for Poisson."""
        if self.kind not in ("gaussian_mean", "poisson") or (self.given is not None and self.kind == "poisson"):
            return None
        noise = np.random.default_rng([config.seed, 3]).standard_normal((config.chains, self.dim))
        return self.row(1)[0] + np.sqrt(0.5) * noise if self.kind == "gaussian_mean" else 0.3 * noise

    def row(self, t: int) -> tuple[np.ndarray, ...]:
        """What arrives at epoch t >= 1: (features, label), (y,) for the Gaussian mean, nothing for an oracle."""
        data = self.given or self._stream
        if data.features is None:
            return ()
        if data.labels is None:
            return (data.features[t - 1],)
        return data.features[t - 1], data.labels[t - 1]

    def spent(self, t: int) -> bool:
        """Whether epoch t took in the last datum of the user's own."""
        return self.given is not None and t >= self.given.t

    def tracker(self) -> ModeTracker | OracleModeTracker:
        """Return what follows the mode, at t = 0."""
        return OracleModeTracker(self.problem) if self.kind == "oracle" else ModeTracker(self.problem)
