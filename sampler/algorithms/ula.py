"""ULA, the unadjusted Langevin algorithm (LMC): the full gradient at every step.

    X <- X - eta_t grad F_t(X) + sqrt(2 eta_t) xi,   eta_t = eta_0/(t+c),   i_t steps in epoch t

The same warm starts, random run lengths and step sizes as online SAGA-LD (LMV-n section 5), t gradients a step.
Near a Gaussian target with Hessian H its stationary variance along an eigenvector is (1/lambda)/(1 - eta lambda/2).
"""

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.chain_block import ChainBlock
from sampler.algorithms.state_file import StateFile
from sampler.algorithms.stream_sampler import StreamSampler
from sampler.kernels import glm_langevin
from sampler.kernels.chains import NOISE_STREAM
from sampler.kernels.lanes import lanes_for, padded
from sampler.kernels.langevin_step import land, langevin_point, take_normals
from sampler.kernels.run_length import run_length
from sampler.problems.base import Problem
from sampler.settings import Settings


class ULA(StateFile, StreamSampler):
    """Full-gradient Langevin chains on a stream; ``batch_size``, ``variance_reduction``, ``refresh`` are not used."""

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None) -> None:
        super().__init__(problem, settings, chains, seed, start, threads)
        self._lanes = lanes_for(self.dim)
        self._precision = np.zeros((2, padded(self.dim)))
        self._precision[:, :self.dim] = getattr(problem, "prior_precision", np.zeros(self.dim)), np.ones(self.dim)

    def _open(self, t: int, counts: np.ndarray) -> None:
        glm_langevin.arrive(self._state, t, self._knobs(), self._center, counts)

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        if not self._rows.is_glm:
            return self._advance_any(n, traced, trace, counts)
        rows, knobs = self._rows, self._knobs()

        def run(block: ChainBlock) -> bool:
            return glm_langevin.advance(self._lanes, self.problem.kind_code, self._precision, rows.rows, rows.targets,
                                        block.chains, self.t, knobs, n, self._center, traced - block.first, trace,
                                        block.counts)

        return self._in_blocks(run, self._steps_ahead(n) * self.t, counts)

    def _advance_any(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        """The same steps with the posterior's own gradient: any problem, one call a step and chain."""
        state, posterior, step_size = self._state, self.posterior, self.settings.step_size(self.t)
        knobs, mask, point = self._knobs(), self._precision[1], np.zeros(len(self._precision[1]))
        done = True
        for k in range(self.chains):
            if state.diverged_epoch[k]:
                continue
            left = run_length(state.length_draw[k], knobs.i_max, knobs.random_length) - state.steps_done[k]
            x, noise = state.position[k], state.noise[k]
            for i in range(min(n, left)):
                point[:self.dim] = posterior.gradient(x[:self.dim])
                at = take_normals(state.rng[k, NOISE_STREAM], noise, state.noise_at, k, self.dim)
                if k == traced:
                    xi = np.sqrt(2 * step_size) * noise[at:at + self.dim]
                    trace[i, 0], trace[i, 1], trace[i, 3] = x[:self.dim], point[:self.dim], xi
                size = langevin_point(self._lanes, x, point, step_size, mask, noise, at)
                counts[0] += self.t
                counts[3] += 1
                if not land(self._lanes, state, k, self.t, x, point, size, self._center):
                    break
            done &= bool(left <= n or state.diverged_epoch[k] > 0)
        return done
