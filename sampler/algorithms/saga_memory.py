"""Online SAGA-LD's memory: one cached number a datum and chain for one-score models, one cached vector otherwise.

A GradientOracle is called back from the compiled loop, once a step and chain, or called there directly if it is
compiled itself; GaussianMean, the one built-in model that needs vectors, is compiled throughout. All run the same epoch
opening and the same step, with a metric (`ChainMetrics`) or, for the plain sampler, None.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sampler.algorithms.chain_states import ChainBlock
from sampler.algorithms.stream_rows import Rows
from sampler.kernels import glm_saga, vector_saga
from sampler.kernels.chains import Chains, Knobs
from sampler.kernels.preconditioned_steps import opens_at_checkpoint
from sampler.kernels.python_callback import Asking, nobody
from sampler.kernels.refresh_calendar import ITEM, LINK, find_due
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded
from sampler.problems.base import Problem
from sampler.problems.gaussian_mean import GaussianMean

NO_TRACE, NOTHING_DUE = np.empty((0, 4, 0)), np.empty(0, np.int64)


class GlmMemory:
    """Cached mean(score) of every datum for every chain, and the calendar: 16 bytes each.

    Attributes
    ----------
    items : (chains, capacity) record array
        ``value`` mean(score) at the anchor, ``touched`` last epoch, ``following`` calendar link.
    """

    opens_in_blocks = True

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

    def _play(self, block: ChainBlock, rows: Rows, metric: Any, *asked: Any) -> bool:
        whitening, weighting = (metric.own(block), metric.weighting) if metric else ((), ())
        return glm_saga.play(self.lanes, self.problem.kind_code, self.precision, rows.rows, rows.targets, block.chains,
                             (block.own(self.items),), whitening, weighting, *asked, block.counts)

    def open(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, metric: Any, rebuild: bool,
             center: np.ndarray) -> None:
        """Open epoch t in a ``ChainBlock``."""
        self._play(block, rows, metric, True, t, t, knobs, 0, rebuild, center, -1, NO_TRACE, np.empty(t, np.int64))

    def advance(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, metric: Any, n: int, center: np.ndarray,
                traced: int, trace: np.ndarray) -> bool:
        """Up to n steps in every unfinished chain of a ``ChainBlock``; ``traced`` counts within it."""
        return self._play(block, rows, metric, False, t, t, knobs, n, False, center, traced, trace, NOTHING_DUE)

    def run(self, block: ChainBlock, rows: Rows, first: int, last: int, knobs: Knobs, metric: Any, rebuild: bool,
            center: np.ndarray) -> None:
        """Epochs first..last of a ``ChainBlock`` whole, in one compiled call."""
        self._play(block, rows, metric, True, first, last, knobs, knobs.i_max, rebuild, center, -1, NO_TRACE,
                   np.empty(last, np.int64))

    def rebuild(self, state: Chains, rows: Rows, chain: int, t: int) -> None:
        """Recompute all of one chain's cache at its position."""
        glm_saga.rebuild_chain(self.problem.kind_code, rows.rows, rows.targets, state, self.items, chain, t)

    def keep_last(self, state: Chains, rows: Rows, dropped: int, t: int) -> None:
        """Keep the cache of the ``t`` data after the first ``dropped``, whose rows are those left, and sum it up anew."""
        glm_saga.keep_last(rows.rows, rows.targets, state.gradient_sum, self.items, dropped, t)
        kept, self.items = self.items, aligned_zeros((self.chains, t), ITEM)  # the room of the others is given back
        self.items[:] = kept[:, :t]

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


@contextmanager
def gradient_source(problem: Problem, batch_size: int) -> Iterator[tuple[Any, ...]]:
    """Where a compiled loop takes the gradients of batches from, as its arguments ``function`` to ``asked``.

    Compiled functions of a GradientOracle, its Python ones, called back (what these raise is raised here), or GaussianMean's
    in the loop itself.
    """
    compiled = getattr(problem, "compiled", None)
    if compiled is not None:
        yield compiled.function, compiled.prior, compiled.data, nobody(batch_size, problem.dim)
        return
    asking = None if isinstance(problem, GaussianMean) else Asking(problem, batch_size)
    yield None, None, np.zeros(1), asking.asked if asking else nobody(batch_size, problem.dim)
    if asking and asking.error:
        raise asking.error


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
        # An opening by Python asks for the gradients of all chains before any changes.
        self.opens_in_blocks = self.compiled
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

    def open(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, metric: Any, rebuild: bool,
             center: np.ndarray) -> None:
        """Open epoch t in a ``ChainBlock``; gradients and curvatures are all asked for before anything changes."""
        scratch, state = np.empty(t + 1, np.int64), block.chains
        if self.compiled:
            whitening = metric.own(block) if metric else ()
            vector_saga.arrive_gaussian(rows.rows, state, block.own(self.values), block.own(self.links), whitening, t, knobs,
                                        rebuild, center, scratch, block.counts)
            return
        answers = [self._asked(state, k, t, knobs, metric, rebuild, scratch) for k in range(self.chains)]
        if metric and t == 1:
            metric.settle(answers[0][-1])
        for k, (data, fresh, prior, curvature) in enumerate(answers):
            vector_saga.open_epoch(state, self.values, self.links, metric.whitening if metric else (), k, t, knobs, rebuild,
                                   center, data, fresh, prior, block.counts)
            if metric:
                metric.take(k, *curvature)

    def _asked(self, state: Chains, k: int, t: int, knobs: Knobs, metric: Any, rebuild: bool,
               scratch: np.ndarray) -> tuple[Any, ...]:
        """Data that chain k opens epoch t with, their gradients where it starts, and what a metric needs."""
        problem, dim = self.problem, self.problem.dim
        scratch[0] = t - 1
        n = 1 + (find_due(self.links[k], t, rebuild, scratch[1:]) if knobs.refresh else 0)
        back = opens_at_checkpoint(state, metric.whitening if metric else (), k, t, knobs)
        data, start = scratch[:n].copy(), (state.checkpoint if back else state.position)[k, :dim]
        fresh, prior = problem.gradients(data, start.copy()), np.zeros(state.position.shape[1])
        if metric is None:
            return data, fresh, prior, None
        prior[:dim] = problem.prior_gradient(state.position[k, :dim].copy())
        return data, fresh, prior, metric.at(k, t, start.copy())

    def advance(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, metric: Any, n: int, center: np.ndarray,
                traced: int, trace: np.ndarray) -> bool:
        """Up to n steps in every unfinished chain of a ``ChainBlock``; ``traced`` counts within it."""
        with gradient_source(self.problem, knobs.batch_size) as source:
            return vector_saga.advance(self.lanes, self.mask, rows.rows, *source, block.chains,
                                       (block.own(self.values), block.own(self.links)), metric.own(block) if metric else (),
                                       t, knobs, n, center, traced, trace, block.counts)

    def rebuild(self, state: Chains, rows: Rows, chain: int, t: int) -> None:
        """Recompute all of one chain's cache at its position."""
        fresh = rows.posterior(t).term_gradients(state.position[chain, :self.problem.dim].copy())
        vector_saga.rebuild_chain(state, self.values, self.links, chain, t, fresh)

    def keep_last(self, state: Chains, rows: Rows, dropped: int, t: int) -> None:
        """Keep the cache of the ``t`` data after the first ``dropped``, and sum it up anew."""
        vector_saga.keep_last(state.gradient_sum, self.values, self.links, dropped, t)
        self.values, self.links = (np.array(a[:, :t]) for a in (self.values, self.links))

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
