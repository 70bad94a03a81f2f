"""NUTS in a race, where blackjax is installed: from scratch, and with the step size and mass matrix of the epoch before."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sampler.racing.blackjax_nuts import NutsTarget
from sampler.racing.nuts_process import NutsJob, NutsProcess
from sampler.racing.race_setup import EpochSetup
from sampler.racing.runners import Runner

PACKAGES = ("blackjax", "jax")
INSTALL = "blackjax, which is not installed here: pip install 'exit-time-lab[nuts]', then start again"
PRICE = 5.0
"""Gradient evaluations of ours in the time of one of NUTS's: 21 ns of a core a datum and leapfrog step at t = 1,000 and
d = 21, against 5."""
BLOCKS = 20  # calls in which the one chain from scratch makes K draws
LEAPFROGS = 10.0  # a transition, before any is known


def missing() -> str:
    """What NUTS needs, in words; empty where it is installed."""
    return INSTALL if any(importlib.util.find_spec(name) is None for name in PACKAGES) else ""


class NutsRunner(Runner):
    """K draws in the unit of every runner, a chain's mean: gradients of all F_t times t over K.

    Warm-started, K chains stand where every sampler starts, with the step size and mass matrix that NUTS adapted on F_{t-1}
    (uncounted, as a memory is); a step is a transition. From scratch, one chain adapts from the origin and makes K draws one
    after the other; all is counted. Until it has all K, those it has stand for the rest.
    """

    def __init__(self, setup: EpochSetup, warm: bool) -> None:
        target = NutsTarget.of(setup.posterior)
        before = None
        if warm:
            rows = target.rows.copy()
            rows[-1] = 0.0
            before = replace(target, rows=rows)
        self.diagnosable = warm
        self._t, self._chains, self._warm = setup.t, setup.chains, warm
        self._block = -(-setup.chains // BLOCKS)
        start = setup.start if warm else np.zeros_like(setup.start)
        self._draws = np.empty((0, setup.problem.dim)) if not warm else np.tile(setup.start, (setup.chains, 1))
        self._gradients, self.step_cost = 0, LEAPFROGS * setup.t * (1.0 if warm else self._block / setup.chains)
        self._process = NutsProcess(NutsJob(target, before, np.asarray(start, float), setup.chains, self._block, setup.seed))

    @property
    def evaluations(self) -> float:
        """See Runner."""
        return self._gradients * self._t / self._chains

    @property
    def positions(self) -> np.ndarray:
        """See Runner."""
        return np.resize(self._draws, (self._chains, self._draws.shape[1]))

    def advance(self, target: float, stop: Callable[[], bool] | None = None) -> None:
        """See Runner."""
        while True:
            before = self._gradients
            answer = self._process.more(stop)
            if answer is None:
                return
            self._draws = answer.draws if self._warm else np.concatenate([self._draws, answer.draws])
            self._gradients, self.step_size = answer.gradients, answer.step_size
            self.seconds = answer.seconds / self._chains
            self.steps += 1.0 if self._warm else len(answer.draws) / self._chains
            if self.steps > 1.0 or not self._warm and len(self._draws) > self._block:  # the first holds start or adaptation
                self.step_cost = (self._gradients - before) * self._t / self._chains
            if not self._warm and len(self._draws) >= self._chains:
                self._draws, self.moving = self._draws[:self._chains], False
                return
            if self.evaluations + self.step_cost > target or (stop is not None and stop()):
                return

    def close(self) -> None:
        """See Runner."""
        self._process.close()
