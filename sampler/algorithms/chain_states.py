"""States of K chains: starting points, blocks for threads, divergence and read-only properties."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.one_caller import Turn, between_calls, one_at_a_time
from sampler.algorithms.results import Divergence, DivergenceError, divergence_message
from sampler.arguments import check_size, real_array, whole_number
from sampler.kernels.chains import Chains
from sampler.kernels.initial_state import PRIOR_WORD
from sampler.problems.base import Problem
from sampler.problems.term_faults import TermWatch, not_finite
from sampler.settings import Settings


def starting_points(problem: Problem, chains: int, seed: int, start: ArrayLike | None = None) -> np.ndarray:
    """Return X^0 of every chain, (chains, dim): ``start``, or draws from the prior (zero where it is flat)."""
    dim = problem.dim
    if start is not None:
        advice = "None draws from the prior"
        points = real_array("start", start, f"numbers of shape ({dim},) or ({chains}, {dim})", advice)
        if points.shape not in ((dim,), (chains, dim)):
            raise ValueError(f"start must be finite with shape ({dim},) or ({chains}, {dim}), "
                             f"got shape {points.shape}; {advice}")
        check_size("start", points, advice)
        return np.array(np.broadcast_to(points, (chains, dim)))
    precision = getattr(problem, "prior_precision", np.zeros(dim))
    spread = np.divide(1.0, np.sqrt(precision), out=np.zeros(dim), where=precision > 0)
    return np.random.default_rng([seed, PRIOR_WORD]).standard_normal((chains, dim)) * spread


CACHE_LINE = 8  # int64 numbers in a cache line: the counts of two threads must not share one


@dataclass(slots=True, eq=False)
class ChainBlock:
    """Chains ``first`` to ``last`` - 1 of a sampler, as passed to the kernels.

    Attributes
    ----------
    first, last : int
    chains : Chains
        Views of the sampler's arrays: kernels write into them in place.
    counts : (4,) int64
        Gradient evaluations, resets, refreshed gradients and steps of this block.
    """

    first: int
    last: int
    chains: Chains
    counts: np.ndarray

    def own(self, array: np.ndarray) -> np.ndarray:
        """Return this block's part of an array along its first axis, the chains."""
        return array if self.last - self.first == len(array) else array[self.first:self.last]


def tallied_blocks(chains: Chains, parts: list[tuple[int, int]]) -> tuple[list[ChainBlock], np.ndarray]:
    """Return a block for each (first, last) in ``parts``, and the counts of all blocks, (blocks, 4)."""
    tallies = np.zeros((len(parts), 2 * CACHE_LINE), np.int64)[:, :4]
    return [ChainBlock(first, last, Chains(*(array[first:last] for array in chains)), tally)
            for (first, last), tally in zip(parts, tallies, strict=True)], tallies


class ChainStates:
    """Current states of the chains of a ``StreamSampler``, as copies; divergence and recovery from it."""

    problem: Problem
    chains: int
    dim: int
    t: int
    settings: Settings
    _state: Chains
    _done: bool
    _center: np.ndarray
    _turn: Turn
    _watch: TermWatch | None = None

    @property
    def done(self) -> bool:
        """True if every chain has finished the epoch."""
        return self._done

    @property
    @between_calls
    def positions(self) -> np.ndarray:
        """Current position X of every chain, a copy (chains, dim)."""
        return self._state.position[:, :self.dim].copy()

    @property
    def checkpoints(self) -> np.ndarray:
        """X^{t'} of every chain, a copy (chains, dim)."""
        return self._state.checkpoint[:, :self.dim].copy()

    @property
    def checkpoint_epoch(self) -> int:
        """T' = 2^floor(log2(t-1)), 0 in the first epoch."""
        return 1 << ((self.t - 1).bit_length() - 1) if self.t > 1 else 0

    @property
    def warm_starts(self) -> np.ndarray:
        """X^{t-1}: position of each chain before this epoch (and before any reset), a copy (chains, dim)."""
        return self._state.warm_start[:, :self.dim].copy()

    @property
    def was_reset(self) -> np.ndarray:
        """True for chains that started this epoch at the checkpoint, (chains,) bool."""
        return self._state.was_reset.copy()

    @property
    def run_lengths(self) -> np.ndarray:
        """i_t of every chain under the current settings, (chains,) int."""
        i_max = self.settings.i_max
        if not self.settings.random_length:
            return np.full(self.chains, i_max, np.int64)
        return np.minimum(1 + (self._state.length_draw * i_max).astype(np.int64), i_max)

    @property
    def steps_done(self) -> np.ndarray:
        """Steps made by each chain in this epoch, (chains,) int."""
        return self._state.steps_done.copy()

    def gradient_sum(self, chain: int) -> np.ndarray:
        """Return S of one ``chain``, the sum of its cached gradients, (dim,)."""
        return self._state.gradient_sum[whole_number("chain", chain, 0, self.chains - 1), :self.dim].copy()

    @between_calls
    def watch(self, center: np.ndarray | None) -> None:
        """Start recording ``farthest``, the largest ||X - center||^2 of each chain in the epoch.

        ``center`` is a vector of dim finite numbers (ValueError otherwise); None stops the recording.
        """
        if center is None:
            self._center = np.empty(0)
            return
        center = np.asarray(center, float)
        if center.shape != (self.dim,) or not np.all(np.isfinite(center)):
            raise ValueError(f"center must be {self.dim} finite numbers, got shape {center.shape}")
        self._center = np.zeros(self._state.position.shape[1])
        self._center[:self.dim] = center
        self._state.farthest[:] = ((self._state.position - self._center) ** 2).sum(axis=1)

    @property
    def farthest(self) -> np.ndarray:
        """Maximum of ||X - center||^2 over the epoch so far, its start included (see ``watch``), (chains,)."""
        return self._state.farthest.copy()

    # divergence and recovery

    @property
    def diverged(self) -> np.ndarray:
        """True for chains that stopped because their next point was not finite or too far out, (chains,) bool."""
        return self._state.diverged_epoch > 0

    @property
    def divergence(self) -> Divergence | None:
        """First divergence, in order of epoch and step; None if no chain has diverged."""
        chains = np.flatnonzero(self.diverged)
        if not chains.size:
            return None
        epochs, steps = self._state.diverged_epoch[chains], self._state.diverged_step[chains]
        first = np.lexsort((steps, epochs))[0]
        return Divergence(int(chains[first]), int(epochs[first]), int(steps[first]))

    @one_at_a_time
    def restart_diverged(self) -> int:
        """Move diverged chains back to their checkpoint and recompute all their gradients (t evaluations each, counted).

        Their epoch counts as finished. Return the number of restarted chains.
        """
        chains = np.flatnonzero(self.diverged)
        for k in chains:
            self._state.position[k] = self._state.checkpoint[k]
            self._rebuild(int(k))
            self._state.diverged_epoch[k] = 0
            self._state.steps_done[k] = self.run_lengths[k]
        return len(chains)

    def _rebuild(self, chain: int) -> None:
        """Recompute the chain's cached gradients, if it has any, at its position."""

    def _warn_nonmonotone(self) -> None:
        """Warn the caller about non-monotone gradients; last in a public method, since a warning may be an error."""
        if self._watch is not None:
            self._watch.warn(4)  # this, the method, its turn, the caller

    def _raise_if_diverged(self) -> None:
        where: Any = self.divergence
        if where:
            why = not_finite(self.problem, self.t, self._state.position[where.chain, :self.dim])
            warned = self._watch.message if self._watch is not None else None
            raise DivergenceError(divergence_message(where, self.settings.eta0, why, warned))
