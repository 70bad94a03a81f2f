"""ULA and SGLD: Langevin chains without cached gradients, and the base of samplers that step one chain at a time.

ULA, the unadjusted Langevin algorithm (LMC): the full gradient at every step.

    X <- X - eta_t grad F_t(X) + sqrt(2 eta_t) xi,   eta_t = eta_0/(t+c),   i_t steps in epoch t

The same warm starts, random run lengths and step sizes as online SAGA-LD (LMV-n section 5), t gradients per step.
Near a Gaussian target with Hessian H its stationary variance along an eigenvector is (1/lambda)/(1 - eta lambda/2).

SGLD, stochastic gradient Langevin dynamics (Welling and Teh 2011): a fresh batch per step, no cached gradients.

    draw S, b indices with replacement from 1..t
    X <- X - eta_t (grad f_0(X) + (t/b) sum_{k in S} grad f_k(X)) + sqrt(2 eta_t) xi,   eta_t = eta_0/(t+c)

i_t steps in epoch t, with the warm starts and random run lengths of online SAGA-LD (LMV-n Algorithm 2). The batches
and the noise are those OnlineSagaLD draws from the same seed, so its path with ``variance_reduction=False`` is the same;
this sampler makes b evaluations per step and none on arrival, and stores no gradients.
"""

import numpy as np

from sampler.algorithms.chain_states import ChainBlock
from sampler.algorithms.saga_memory import gradient_source
from sampler.algorithms.saved_sampler import SavedSampler
from sampler.algorithms.stream_sampler import StreamSampler
from sampler.kernels import glm_langevin, glm_saga, vector_saga
from sampler.kernels.chains import NOISE_STREAM, Knobs
from sampler.kernels.langevin_step import land, langevin_point, run_length, take_normals
from sampler.kernels.simd_lanes import lanes_for, padded
from sampler.problems.base import Posterior


class StepwiseSampler(SavedSampler):
    """Base of samplers that store only the rows of past data.

    A subclass implements ``_advance_block``, and ``_step`` for the kinds of problem in ``_in_python``, which have no
    kernel: ``_step`` is called once per step and chain.
    """

    _in_python: tuple[str, ...] = ()

    def _allocate(self) -> None:
        self._compiled = self.problem.kind not in self._in_python
        self._lanes = lanes_for(self.dim)
        self._precision = np.zeros((2, padded(self.dim)))  # the prior's, and the mask of real coordinates
        self._precision[:, :self.dim] = getattr(self.problem, "prior_precision", np.zeros(self.dim)), np.ones(self.dim)

    def _step(self, posterior: Posterior, chain: int, record: np.ndarray | None, counts: np.ndarray) -> bool:
        """Make one step of one chain; return False if it diverged. An exception must leave the chain unchanged."""
        raise NotImplementedError

    def _open(self, t: int, counts: np.ndarray) -> None:
        glm_langevin.arrive(self._state, t, self._knobs(), self._center, counts)

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        if self._compiled:
            return super()._advance(n, traced, trace, counts)
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
        """Draw ``dim`` standard normals from the stream of one chain."""
        state = self._state
        at = take_normals(state.rng[chain, NOISE_STREAM], state.noise[chain], state.noise_at, chain, self.dim)
        return state.noise[chain, at:at + self.dim].copy()

    def _land(self, chain: int, point: np.ndarray) -> bool:
        """Move a chain to ``point`` (dim,); mark it as diverged and return False if the point is not finite or too far."""
        return land(self._lanes, self._state, chain, self.t, self._state.position[chain], self._widened(point),
                    float(point @ point), self._center)

    def _widened(self, vector: np.ndarray) -> np.ndarray:
        """Return ``vector`` (d,) padded with zeros to whole SIMD lanes."""
        wide = np.zeros(padded(self.dim))
        wide[:self.dim] = vector
        return wide


class DrawSampler(StepwiseSampler):
    """Base of samplers that make one draw per chain and epoch, independent of the settings and without resets."""

    traceable = False

    @property
    def run_lengths(self) -> np.ndarray:
        """Ones, (chains,)."""
        return np.ones(self.chains, np.int64)

    def _open(self, t: int, counts: np.ndarray) -> None:
        glm_langevin.arrive(self._state, t, self._knobs()._replace(reset=False), self._center, counts)


def proper_precision(sampler: StreamSampler) -> np.ndarray:
    """Return the prior precision of a sampler's problem, (dim,); ValueError if the prior is flat in any coordinate."""
    precision = sampler.problem.prior_precision
    if not np.all(precision > 0):
        raise ValueError(f"prior_precision must be above 0 in every coordinate for {type(sampler).__name__}, "
                         f"got {precision!r}; use a small value such as 1e-6 for a nearly flat prior")
    return precision


class ULA(StepwiseSampler):
    """Full-gradient Langevin chains on a stream; ``batch_size``, ``variance_reduction``, ``refresh`` are not used."""

    _in_python = ("gaussian_mean", "oracle")

    def _step_work(self) -> float:
        return self.t

    def _advance_block(self, block: ChainBlock, knobs: Knobs, n: int, traced: int, trace: np.ndarray) -> bool:
        return glm_langevin.advance(self._lanes, self.problem.kind_code, self._precision, self._rows.rows,
                                    self._rows.targets, block.chains, self.t, knobs, n, self._center, traced, trace,
                                    block.counts)

    def _step(self, posterior: Posterior, chain: int, record: np.ndarray | None, counts: np.ndarray) -> bool:
        state, dim, step_size = self._state, self.dim, self.settings.step_size(self.t)
        x, noise = state.position[chain], state.noise[chain]
        point = self._widened(posterior.gradient(x[:dim]))  # and then the next position
        at = take_normals(state.rng[chain, NOISE_STREAM], noise, state.noise_at, chain, dim)
        if record is not None:
            record[0], record[1], record[3] = x[:dim], point[:dim], np.sqrt(2 * step_size) * noise[at:at + dim]
        size = langevin_point(self._lanes, x, point, step_size, self._precision[1], noise, at)
        counts[0] += self.t
        return land(self._lanes, state, chain, self.t, x, point, size, self._center)


class SGLD(StepwiseSampler):
    """SGLD on K independent chains; ``variance_reduction`` and ``refresh`` are not used."""

    def _step_work(self) -> float:
        return self.settings.batch_size

    def _advance_block(self, block: ChainBlock, knobs: Knobs, n: int, traced: int, trace: np.ndarray) -> bool:
        rows, knobs = self._rows, knobs._replace(variance_reduction=False)
        if rows.is_glm:
            return glm_saga.play(self._lanes, self.problem.kind_code, self._precision, rows.rows, rows.targets,
                                 block.chains, (), (), (), False, self.t, self.t, knobs, n, False, self._center,
                                 traced, trace, np.empty(0, np.int64), block.counts)
        with gradient_source(self.problem, knobs.batch_size) as source:
            return vector_saga.advance(self._lanes, self._precision[1], rows.rows, *source, block.chains, (), (), self.t,
                                       knobs, n, self._center, traced, trace, block.counts)
