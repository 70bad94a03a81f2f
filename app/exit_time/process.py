"""exp(theta D^2) of the chains shown: the exponential supermartingale as a process of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.exit_time.crowd import Crowd
from app.exit_time.setup import ExitSetup
from sampler.theory import exit_process

MOST_PATHS = 40


@dataclass(frozen=True, eq=False)
class Process:
    """The process of some chains; (k, p) shares of the level, NaN after the exit."""

    steps: np.ndarray  #: (p,)
    shares: np.ndarray  #: (k, p) process over its level
    exits: np.ndarray  #: (k,) exit steps, 0 for none
    start: float  #: where it begins, over the level: no mean of it is larger, and P(exit) is at most that
    reach: float  #: theta r^2 at the last step: by so much the logarithm grows from the mode to the escape line
    chains: int  #: so many in all
    left: int  #: so many of them left


def process_of(setup: ExitSetup, crowd: Crowd) -> Process | None:
    """Return the process; None where no theta proves anything, or the chains start at many distances."""
    config = setup.config
    if setup.distances.size > 1:
        return None
    found = exit_process(config.dim, config.step_size, config.steps, config.radius, float(setup.distances[0]),
                         crowd.path_steps, config.noise, setup.smoothness, setup.curvature)
    if found is None:
        return None
    squares = crowd.paths[:MOST_PATHS].astype(float) * crowd.radius**2
    reach = float(found.exponent[-1] * crowd.radius**2)
    return Process(crowd.path_steps, np.exp(found.log_share(squares)), crowd.path_exits[:MOST_PATHS], found.bound, reach,
                   crowd.chains, crowd.left)
