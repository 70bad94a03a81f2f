"""Gradient caches of online SAGA-LD: one number per datum and chain for one-score models, one vector otherwise.

A GradientOracle is called back from the compiled loop, once per step and chain, or called there directly if it is
compiled itself; GaussianMean, the only built-in model with cached vectors, is compiled throughout. All use the same epoch
opening and the same step, with a metric (`ChainMetrics`), or None without preconditioning.
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
from sampler.kernels.python_callback import GradientCallback, gradient_buffers
from sampler.kernels.refresh_calendar import ITEM, LINK, find_due
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded
from sampler.problems.base import Problem
from sampler.problems.gaussian_mean import GaussianMean

NO_TRACE, NOTHING_DUE = np.empty((0, 4, 0)), np.empty(0, np.int64)


class GlmMemory:
    """Cached mean(score) and refresh calendar entry, 16 bytes per datum and chain.

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

    def reserve(self, capacity: int, t: int) -> None:
        """Allocate memory for ``capacity`` data and keep the first ``t``."""
        if self.items.shape[1] < capacity:
            old = self.items
            self.items = aligned_zeros((self.chains, capacity), ITEM)
            self.items[:, :t] = old[:, :t]

    def _play(self, block: ChainBlock, rows: Rows, metric: Any, *rest: Any) -> bool:
        whitening, weighting = (metric.own(block), metric.weighting) if metric else ((), ())
        return glm_saga.play(self.lanes, self.problem.kind_code, self.precision, rows.rows, rows.targets, block.chains,
                             (block.own(self.items),), whitening, weighting, *rest, block.counts)

    def open(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, metric: Any, rebuild: bool,
             center: np.ndarray) -> None:
        """Open epoch ``t`` in all chains of a ``ChainBlock``."""
        self._play(block, rows, metric, True, t, t, knobs, 0, rebuild, center, -1, NO_TRACE, np.empty(t, np.int64))

    def advance(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, metric: Any, n: int, center: np.ndarray,
                traced: int, trace: np.ndarray) -> bool:
        """Make up to ``n`` steps in every unfinished chain of a ``ChainBlock``; ``traced`` is an index in it."""
        return self._play(block, rows, metric, False, t, t, knobs, n, False, center, traced, trace, NOTHING_DUE)

    def run(self, block: ChainBlock, rows: Rows, first: int, last: int, knobs: Knobs, metric: Any, rebuild: bool,
            center: np.ndarray) -> None:
        """Run the epochs ``first`` to ``last`` of a ``ChainBlock`` completely in one compiled call."""
        self._play(block, rows, metric, True, first, last, knobs, knobs.i_max, rebuild, center, -1, NO_TRACE,
                   np.empty(last, np.int64))

    def rebuild(self, state: Chains, rows: Rows, chain: int, t: int) -> None:
        """Recompute the whole cache of one chain at its position."""
        glm_saga.rebuild_chain(self.problem.kind_code, rows.rows, rows.targets, state, self.items, chain, t)

    def keep_last(self, state: Chains, rows: Rows, dropped: int, t: int) -> None:
        """Drop the cache of the first ``dropped`` data, with ``t`` remaining in ``rows``, and recompute its sum."""
        glm_saga.keep_last(rows.rows, rows.targets, state.gradient_sum, self.items, dropped, t)
        kept, self.items = self.items, aligned_zeros((self.chains, t), ITEM)  # releases the memory of the others
        self.items[:] = kept[:, :t]

    def cached_scores(self, chain: int, t: int) -> np.ndarray:
        """Return the scores at the anchors, (t,), computed from the cached means."""
        return self.problem.score_of_mean(self.items["value"][chain, :t])

    def cached_gradients(self, rows: Rows, chain: int, t: int) -> np.ndarray:
        """Return G^1..G^t of one chain, (t, dim)."""
        return (self.items["value"][chain, :t] - rows.targets[:t])[:, None] * rows.rows[:t, :self.problem.dim]

    def touched(self, chain: int, t: int) -> np.ndarray:
        """Return the last update epoch of each cached gradient, (t,)."""
        return self.items["touched"][chain, :t].copy()

    def arrays(self, t: int) -> dict[str, np.ndarray]:
        """Return the arrays to save in a file."""
        return {"items": self.items[:, :t]}

    def restore(self, arrays: dict[str, np.ndarray], t: int) -> None:
        """Restore the state from the output of ``arrays``."""
        self.reserve(t, 0)
        self.items[:, :t] = arrays["items"]


@contextmanager
def gradient_source(problem: Problem, batch_size: int) -> Iterator[tuple[Any, ...]]:
    """Yield the gradient source of a compiled loop, as its arguments ``function`` to ``buffers``.

    The source is a GradientOracle's compiled functions, callbacks to its Python functions (their exceptions are raised
    here), or, for GaussianMean, the loop itself.
    """
    compiled = getattr(problem, "compiled", None)
    if compiled is not None:
        yield compiled.function, compiled.prior, compiled.data, gradient_buffers(batch_size, problem.dim)
        return
    callback = None if isinstance(problem, GaussianMean) else GradientCallback(problem, batch_size)
    yield None, None, np.zeros(1), callback.buffers if callback else gradient_buffers(batch_size, problem.dim)
    if callback and callback.error:
        raise callback.error


class VectorMemory:
    """Cached gradients G^k and the refresh calendar.

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
        # Python gradients of all chains are evaluated before any chain opens the epoch.
        self.opens_in_blocks = self.compiled
        self.lanes, self.mask = lanes_for(problem.dim), np.zeros(padded(problem.dim))
        self.mask[:problem.dim] = 1.0
        self.values, self.links = np.zeros((chains, 0, problem.dim)), np.zeros((chains, 0), LINK)

    def reserve(self, capacity: int, t: int) -> None:
        """Allocate memory for ``capacity`` data and keep the first ``t``."""
        if self.values.shape[1] < capacity:
            values, links = self.values, self.links
            self.values = np.zeros((self.chains, capacity, self.problem.dim))
            self.links = np.zeros((self.chains, capacity), LINK)
            self.values[:, :t], self.links[:, :t] = values[:, :t], links[:, :t]

    def open(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, metric: Any, rebuild: bool,
             center: np.ndarray) -> None:
        """Open epoch ``t`` in a ``ChainBlock``; all gradients and curvatures are evaluated before any state changes."""
        scratch, state = np.empty(t + 1, np.int64), block.chains
        if self.compiled:
            whitening = metric.own(block) if metric else ()
            vector_saga.arrive_gaussian(rows.rows, state, block.own(self.values), block.own(self.links), whitening, t, knobs,
                                        rebuild, center, scratch, block.counts)
            return
        evaluated = [self._evaluate(block, k, t, knobs, metric, rebuild, scratch) for k in range(self.chains)]
        if metric and t == 1:
            metric.settle(evaluated[0][-1])
        for k, (data, fresh, prior, curvature) in enumerate(evaluated):
            vector_saga.open_epoch(state, self.values, self.links, metric.whitening if metric else (), k, t, knobs, rebuild,
                                   center, data, fresh, prior, block.counts)
            if metric:
                metric.take(k, *curvature)

    def _evaluate(self, block: ChainBlock, k: int, t: int, knobs: Knobs, metric: Any, rebuild: bool,
                  scratch: np.ndarray) -> tuple[Any, ...]:
        """Return the data that chain k evaluates to open epoch t, their gradients at its start, and the metric's input."""
        problem, dim, state = self.problem, self.problem.dim, block.chains
        scratch[0] = t - 1
        n = 1 + (find_due(self.links[k], t, rebuild, scratch[1:]) if knobs.refresh else 0)
        back = opens_at_checkpoint(state, metric.whitening if metric else (), k, t, knobs)
        data, start = scratch[:n].copy(), (state.checkpoint if back else state.position)[k, :dim]
        fresh, prior = problem.gradients(data, start.copy()), np.zeros(state.position.shape[1])
        block.counts[0] += n  # at once: a later call may raise
        if metric is None:
            return data, fresh, prior, None
        prior[:dim] = problem.prior_gradient(state.position[k, :dim].copy())
        return data, fresh, prior, metric.at(k, t, start.copy())

    def advance(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, metric: Any, n: int, center: np.ndarray,
                traced: int, trace: np.ndarray) -> bool:
        """Make up to ``n`` steps in every unfinished chain of a ``ChainBlock``; ``traced`` is an index in it."""
        with gradient_source(self.problem, knobs.batch_size) as source:
            return vector_saga.advance(self.lanes, self.mask, rows.rows, *source, block.chains,
                                       (block.own(self.values), block.own(self.links)), metric.own(block) if metric else (),
                                       t, knobs, n, center, traced, trace, block.counts)

    def rebuild(self, state: Chains, rows: Rows, chain: int, t: int) -> None:
        """Recompute the whole cache of one chain at its position."""
        fresh = rows.posterior(t).term_gradients(state.position[chain, :self.problem.dim].copy())
        vector_saga.rebuild_chain(state, self.values, self.links, chain, t, fresh)

    def keep_last(self, state: Chains, rows: Rows, dropped: int, t: int) -> None:
        """Drop the cache of the first ``dropped`` data, with ``t`` remaining, and recompute its sum."""
        vector_saga.keep_last(state.gradient_sum, self.values, self.links, dropped, t)
        self.values, self.links = (np.array(a[:, :t]) for a in (self.values, self.links))

    def cached_scores(self, chain: int, t: int) -> None:
        """Return None: these models have no scores."""

    def cached_gradients(self, rows: Rows, chain: int, t: int) -> np.ndarray:
        """Return G^1..G^t of one chain, (t, dim)."""
        return self.values[chain, :t].copy()

    def touched(self, chain: int, t: int) -> np.ndarray:
        """Return the last update epoch of each cached gradient, (t,)."""
        return self.links["touched"][chain, :t].copy()

    def arrays(self, t: int) -> dict[str, np.ndarray]:
        """Return the arrays to save in a file."""
        return {"values": self.values[:, :t], "links": self.links[:, :t]}

    def restore(self, arrays: dict[str, np.ndarray], t: int) -> None:
        """Restore the state from the output of ``arrays``."""
        self.values, self.links = np.array(arrays["values"]), np.array(arrays["links"])
