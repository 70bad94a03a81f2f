"""Online SAGA-LD's memory for any gradient: one cached vector a datum a chain.

A GradientOracle is called back from the compiled loop, once a step and chain, or called there directly if it is
compiled itself; GaussianMean, the one built-in model that needs vectors, is compiled throughout. All run the same epoch
opening and the same step.
"""

import numpy as np

from sampler.algorithms.chain_block import ChainBlock
from sampler.algorithms.stream_rows import Rows
from sampler.kernels import user_gradient_saga, vector_saga
from sampler.kernels.chains import Chains, Knobs
from sampler.kernels.checkpoint_and_reset import opens_at_checkpoint
from sampler.kernels.lanes import lanes_for, padded
from sampler.kernels.python_callback import Asking, nobody
from sampler.kernels.refresh_calendar import LINK, find_due
from sampler.problems.base import Problem
from sampler.problems.gaussian_mean import GaussianMean


class VectorMemory:
    """Cached gradients G^k and the calendar.

    Attributes
    ----------
    values : (chains, capacity, dim) array
        G^k of every chain.
    links : (chains, capacity) record array
        ``touched`` last epoch, ``following`` calendar link.
    """

    def __init__(self, problem: Problem, chains: int) -> None:
        self.problem, self.chains = problem, chains
        self.compiled = isinstance(problem, GaussianMean)
        # Python calls take turns; and an opening by Python asks for the gradients of all chains before any changes.
        self.opens_in_blocks = self.compiled
        self.steps_in_blocks = self.compiled or getattr(problem, "compiled", None) is not None
        self.lanes, self.mask = lanes_for(problem.dim), np.zeros(padded(problem.dim))
        self.mask[:problem.dim] = 1.0
        self.values, self.links = np.zeros((chains, 0, problem.dim)), np.zeros((chains, 0), LINK)

    def hold(self, capacity: int, t: int) -> None:
        """Make room for ``capacity`` data, the first ``t`` kept."""
        if self.values.shape[1] < capacity:
            values, links = self.values, self.links
            self.values = np.zeros((self.chains, capacity, self.problem.dim))
            self.links = np.zeros((self.chains, capacity), LINK)
            self.values[:, :t], self.links[:, :t] = values[:, :t], links[:, :t]

    def open(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, rebuild: bool, center: np.ndarray) -> None:
        """Open epoch t in a ``ChainBlock``; every gradient is asked for before anything changes."""
        scratch, state = np.empty(t + 1, np.int64), block.chains
        if self.compiled:
            vector_saga.arrive_gaussian(rows.rows, state, block.own(self.values), block.own(self.links), t, knobs,
                                        rebuild, center, scratch, block.counts)
            return
        found, dim = [], self.problem.dim
        for k in range(self.chains):
            scratch[0] = t - 1
            n = 1 + (find_due(self.links[k], t, rebuild, scratch[1:]) if knobs.refresh else 0)
            data = scratch[:n].copy()
            start = (state.checkpoint if opens_at_checkpoint(state, k, t, knobs) else state.position)[k]
            found.append((data, self.problem.gradients(data, start[:dim].copy())))
        for k, (data, fresh) in enumerate(found):
            vector_saga.open_epoch(state, self.values, self.links, k, t, knobs, rebuild, center, data, fresh,
                                   block.counts)

    def advance(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, n: int, center: np.ndarray, traced: int,
                trace: np.ndarray) -> bool:
        """Up to n steps in every unfinished chain of a ``ChainBlock``; ``traced`` counts within it."""
        memory = block.chains, block.own(self.values), block.own(self.links)
        foreign = getattr(self.problem, "compiled", None)
        if foreign is not None:
            return user_gradient_saga.advance_foreign(foreign.function, foreign.prior, foreign.data, self.lanes, self.mask,
                                                      *memory, t, knobs, n, center, traced, trace, block.counts)
        asking = None if self.compiled else Asking(self.problem, knobs.batch_size)
        asked = asking.asked if asking else nobody(knobs.batch_size, self.problem.dim)
        done = vector_saga.advance(self.lanes, self.mask, rows.rows, *memory, t, knobs, n, center, traced, trace, asked,
                                   block.counts)
        if asking and asking.error:
            raise asking.error
        return done

    def rebuild(self, state: Chains, rows: Rows, chain: int, t: int) -> None:
        """Recompute all of one chain's cache at its position."""
        fresh = rows.posterior(t).term_gradients(state.position[chain, :self.problem.dim].copy())
        vector_saga.rebuild_chain(state, self.values, self.links, chain, t, fresh)

    def cached_scores(self, chain: int, t: int) -> None:
        """No scores here: always None."""

    def cached_gradients(self, rows: Rows, chain: int, t: int) -> np.ndarray:
        """G^1..G^t of one chain, (t, dim)."""
        return self.values[chain, :t].copy()

    def touched(self, chain: int, t: int) -> np.ndarray:
        """Epoch that last updated each cached gradient, (t,)."""
        return self.links["touched"][chain, :t].copy()

    def arrays(self, t: int) -> dict[str, np.ndarray]:
        """Return the arrays that a file must hold."""
        return {"values": self.values[:, :t], "links": self.links[:, :t]}

    def restore(self, arrays: dict[str, np.ndarray], t: int) -> None:
        """Put back what ``arrays`` gave."""
        self.values, self.links = np.array(arrays["values"]), np.array(arrays["links"])
