"""Chains that diverged: which, why, and how they go on."""

from typing import Any

import numpy as np

from sampler.algorithms.chain_states import ChainStates
from sampler.algorithms.epoch_records import Divergence, DivergenceError, diverged_words
from sampler.algorithms.one_caller import one_at_a_time
from sampler.problems.base import Problem
from sampler.problems.term_faults import TermWatch, not_finite


class DivergedChains(ChainStates):
    """Part of a ``StreamSampler``: what is said of its chains that stopped, and their way back."""

    problem: Problem
    _watch: TermWatch | None = None

    @property
    def diverged(self) -> np.ndarray:
        """Chains that stopped because their next point was not sound, (chains,) bool."""
        return self._state.diverged_epoch > 0

    @property
    def divergence(self) -> Divergence | None:
        """The first divergence, or None while all chains are sound."""
        chains = np.flatnonzero(self.diverged)
        if not chains.size:
            return None
        epochs, steps = self._state.diverged_epoch[chains], self._state.diverged_step[chains]
        first = np.lexsort((steps, epochs))[0]
        return Divergence(int(chains[first]), int(epochs[first]), int(steps[first]))

    @one_at_a_time
    def restart_diverged(self) -> int:
        """Put diverged chains back at their checkpoint with all gradients recomputed (t evaluations each, counted).

        Their epoch counts as finished. Returns how many chains.
        """
        chains = np.flatnonzero(self.diverged)
        for k in chains:
            self._state.position[k] = self._state.checkpoint[k]
            self._rebuild(int(k))
            self._state.diverged_epoch[k] = 0
            self._state.steps_done[k] = self.run_lengths[k]
        return len(chains)

    def _rebuild(self, chain: int) -> None:
        """Make the chain's own memory of gradients true at its position."""

    def _tell_falls(self) -> None:
        """Warn the caller of a public method whose gradients fell; when all is done, since a warning may be an error."""
        if self._watch is not None:
            self._watch.tell(4)  # this, the method, its turn, the caller

    def _raise_if_diverged(self) -> None:
        where: Any = self.divergence
        if where:
            why = not_finite(self.problem, self.t, self._state.position[where.chain, :self.dim])
            raise DivergenceError(diverged_words(where, self.settings.eta0, why, self._watch.words if self._watch else ""))
