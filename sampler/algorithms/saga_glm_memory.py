"""Online SAGA-LD's memory for one-score models: one cached number a datum a chain, compiled throughout."""

from typing import Any

import numpy as np

from sampler.algorithms.chain_block import ChainBlock
from sampler.algorithms.stream_rows import Rows
from sampler.kernels import glm_saga
from sampler.kernels.chains import Chains, Knobs
from sampler.kernels.lanes import aligned_zeros, lanes_for, padded
from sampler.kernels.refresh_calendar import ITEM
from sampler.problems.base import Problem


class GlmMemory:
    """Cached mean(score) of every datum for every chain, and the calendar: 16 bytes each.

    Attributes
    ----------
    items : (chains, capacity) record array
        ``value`` mean(score) at the anchor, ``touched`` last epoch, ``following`` calendar link.
    """

    opens_in_blocks = steps_in_blocks = True

    def __init__(self, problem: Problem, chains: int) -> None:
        self.problem, self.chains = problem, chains
        self.lanes = lanes_for(problem.dim)
        self.precision = np.zeros((2, padded(problem.dim)))  # the prior's, and the mask of real coordinates
        self.precision[:, :problem.dim] = problem.prior_precision, np.ones(problem.dim)
        self.items = aligned_zeros((chains, 0), ITEM)

    def hold(self, capacity: int, t: int) -> None:
        """Make room for ``capacity`` data, the first ``t`` kept."""
        if self.items.shape[1] < capacity:
            old = self.items
            self.items = aligned_zeros((self.chains, capacity), ITEM)
            self.items[:, :t] = old[:, :t]

    def _model(self, rows: Rows) -> tuple[Any, ...]:
        return self.problem.kind_code, rows.rows, rows.targets

    def open(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, rebuild: bool, center: np.ndarray) -> None:
        """Open epoch t in a ``ChainBlock``."""
        glm_saga.arrive(*self._model(rows), block.chains, block.own(self.items), t, knobs, rebuild, center,
                        np.empty(t, np.int64), block.counts)

    def advance(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, n: int, center: np.ndarray, traced: int,
                trace: np.ndarray) -> bool:
        """Up to n steps in every unfinished chain of a ``ChainBlock``; ``traced`` counts within it."""
        kind, *data = self._model(rows)
        return glm_saga.advance(self.lanes, kind, self.precision, *data, block.chains, block.own(self.items), t, knobs,
                                n, center, traced, trace, block.counts)

    def run(self, block: ChainBlock, rows: Rows, first: int, last: int, knobs: Knobs, rebuild: bool,
            center: np.ndarray) -> None:
        """Epochs first..last of a ``ChainBlock`` whole, in one compiled call."""
        kind, *data = self._model(rows)
        glm_saga.run_epochs(self.lanes, kind, self.precision, *data, block.chains, block.own(self.items), first, last,
                            knobs, rebuild, center, np.empty(last, np.int64), block.counts)

    def rebuild(self, state: Chains, rows: Rows, chain: int, t: int) -> None:
        """Recompute all of one chain's cache at its position."""
        glm_saga.rebuild_chain(*self._model(rows), state, self.items, chain, t)

    def cached_scores(self, chain: int, t: int) -> np.ndarray:
        """Scores at the anchors, (t,), recovered from the cached means."""
        return self.problem.score_of_mean(self.items["value"][chain, :t])

    def cached_gradients(self, rows: Rows, chain: int, t: int) -> np.ndarray:
        """G^1..G^t of one chain, (t, dim)."""
        return (self.items["value"][chain, :t] - rows.targets[:t])[:, None] * rows.rows[:t, :self.problem.dim]

    def touched(self, chain: int, t: int) -> np.ndarray:
        """Epoch that last updated each cached gradient, (t,)."""
        return self.items["touched"][chain, :t].copy()

    def arrays(self, t: int) -> dict[str, np.ndarray]:
        """Return the arrays that a file must hold."""
        return {"items": self.items[:, :t]}

    def restore(self, arrays: dict[str, np.ndarray], t: int) -> None:
        """Put back what ``arrays`` gave."""
        self.hold(t, 0)
        self.items[:, :t] = arrays["items"]
