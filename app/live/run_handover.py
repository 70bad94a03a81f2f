"""`LiveHandover`: state of a Live run for other pages: rows, chains, gradient noise, constants, good events.

Arrays and plain Python, also translated for the lab in one file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np

from app.live.certificates import spread_over
from sampler import Settings
from sampler.theory import batch_noise

if TYPE_CHECKING:
    from app.live.run import Run

def new_key() -> str:
    """Return a unique text."""
    return uuid4().hex


@dataclass(frozen=True, eq=False)
class LiveHandover:
    """State of a Live run at the end of epoch t, with K chains in d dimensions."""

    problem: str  #: label, such as "Logistic regression, d = 2"
    kind: str  #: "logistic", "linear", "poisson" or "gaussian_mean"
    t: int
    settings: Settings  #: of plain SAGA-LD; its defaults with Live's c if Live ran another algorithm
    escape_radius: float  #: R
    features: np.ndarray  #: (t, d)
    labels: np.ndarray | None  #: (t,)
    prior_precision: np.ndarray  #: (d,)
    mode: np.ndarray  #: (d,)
    hessian: np.ndarray  #: (d, d) at the mode
    positions: np.ndarray  #: (K, d)
    variance_trace: float  #: V, largest over the visited states
    variance_max: float  #: v, largest over the visited states
    increment_bound: float  #: B, largest over the visited states
    visited: int  #: number of states these three were measured on
    smoothness: float  #: L, largest curvature of one term; inf for Poisson
    drift: float  #: D, largest displacement of the mode while the data doubled, times sqrt(t + c)
    first_exit: np.ndarray  #: (K,) first epoch in which a chain left its escape ball, 0 if never
    reset_epochs: np.ndarray  #: (p,) powers of two up to t
    reset_distances: np.ndarray  #: (p, K) distance of each chain's sample to the mode at those epochs
    preconditioned: bool = False  #: whether Live's chains were preconditioned, with steps in other units
    fresh: bool = False  #: whether it was computed for the requesting page rather than provided by the Live page
    key: str = field(default_factory=new_key)  #: identifier, equal in copies of other processes

    @property
    def dim(self) -> int:
        """Number of coordinates, d."""
        return self.mode.size

    @property
    def step_size(self) -> float:
        """Step size eta0 / (t + c)."""
        return self.settings.step_size(self.t)

    @property
    def escape_distance(self) -> float:
        """Radius R / sqrt(t + c) of the escape ball."""
        return self.escape_radius / math.sqrt(self.t + self.settings.offset)


WORK = 2_000_000
"""Maximum number of gradient coordinates evaluated to measure the noise, about 50 ms."""


def hand_over(run: Run, fresh: bool = False) -> LiveHandover | None:
    """Return the state at the end of the current epoch (finished first); None before epoch 1 or if a chain diverged."""
    state = run.state
    if state.halted or (state.t == 0 and state.done):
        return None
    if not state.done:
        run.go(state.longest)
    if state.halted:
        return None
    saga, t, dim = state.saga, state.count, state.saga.dim
    settings = state.plain_settings.replace(offset=saga.settings.offset) if state.preconditioned else saga.settings
    first_exit, epochs, distances = run.good.until(state.t)
    features, labels, prior_precision = state.rows_so_far()
    visited = spread_over(range(saga.chains), WORK // max(t * dim, 1))
    noises = [batch_noise(*state.terms(chain, settings.variance_reduction), settings.batch_size) for chain in visited]
    return LiveHandover(
        problem=state.data.label, kind=state.data.kind, t=t, settings=settings, preconditioned=state.preconditioned,
        escape_radius=state.config.escape_radius, features=features, labels=labels, prior_precision=prior_precision,
        mode=np.array(state.tracker.mode), hessian=np.array(state.tracker.hessian).reshape(dim, dim),
        positions=saga.positions, variance_trace=max(n.variance_trace for n in noises),
        variance_max=max(n.variance_max for n in noises),
        increment_bound=max(n.increment_bound for n in noises), visited=len(noises),
        smoothness=state.constants.meter.smoothness,
        drift=state.constants.meter.largest_drift, first_exit=first_exit, reset_epochs=epochs,
        reset_distances=distances, fresh=fresh)
