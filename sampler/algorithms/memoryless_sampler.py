"""Chains without a memory of gradients: an epoch opens for free, and steps are made one at a time."""

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.state_file import StateFile
from sampler.algorithms.stream_sampler import StreamSampler
from sampler.kernels import glm_langevin
from sampler.kernels.chains import NOISE_STREAM
from sampler.kernels.lanes import lanes_for, padded
from sampler.kernels.langevin_step import land, take_normals
from sampler.kernels.run_length import run_length
from sampler.problems.base import Posterior, Problem
from sampler.settings import Settings


class StepwiseSampler(StateFile, StreamSampler):
    """Base of samplers that keep nothing of past data but the rows; a subclass gives ``_step``.

    Problems with a compiled kernel override ``_advance``; this one calls back into Python once a step and chain.
    """

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None) -> None:
        super().__init__(problem, settings, chains, seed, start, threads)
        self._compiled = self._rows.is_glm  # is there a kernel for all of an epoch?
        self._lanes = lanes_for(self.dim)
        self._precision = np.zeros((2, padded(self.dim)))  # the prior's, and the mask of real coordinates
        self._precision[:, :self.dim] = getattr(problem, "prior_precision", np.zeros(self.dim)), np.ones(self.dim)

    def _step(self, posterior: Posterior, chain: int, record: np.ndarray | None, counts: np.ndarray) -> bool:
        """One step of one chain; is it still sound? An exception must leave the chain as it was."""
        raise NotImplementedError

    def _open(self, t: int, counts: np.ndarray) -> None:
        glm_langevin.arrive(self._state, t, self._knobs(), self._center, counts)

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        state, posterior, settings, done = self._state, self.posterior, self.settings, True
        for k in range(self.chains):
            if state.diverged_epoch[k]:
                continue
            length = run_length(state.length_draw[k], settings.i_max, settings.random_length)
            left = int(length - state.steps_done[k])
            for i in range(min(n, left)):
                sound = self._step(posterior, k, trace[i] if k == traced else None, counts)
                counts[3] += 1
                if not sound:
                    break
            done &= bool(left <= n or state.diverged_epoch[k] > 0)
        return done

    def _normals(self, chain: int) -> np.ndarray:
        """``dim`` fresh normals of one chain's own stream."""
        state = self._state
        at = take_normals(state.rng[chain, NOISE_STREAM], state.noise[chain], state.noise_at, chain, self.dim)
        return state.noise[chain, at:at + self.dim].copy()

    def _land(self, chain: int, point: np.ndarray) -> bool:
        """Move a chain to ``point`` (dim,); False, and marked diverged, when the point is not sound."""
        padded_point = np.zeros(self._state.position.shape[1])
        padded_point[:self.dim] = point
        return land(self._lanes, self._state, chain, self.t, self._state.position[chain], padded_point,
                    float(point @ point), self._center)
