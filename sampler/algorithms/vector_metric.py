"""The preconditioner of terms known by their gradients: GaussianMean's exact one, a GradientOracle's own curvatures.

No term's curvature is kept. At epoch t, T < t <= 2T with T a power of two, the new term's curvature and that of term t - T
are taken where the chain stands; H has all new ones added, and at 2T it becomes the sum of those taken since T. So two
are taken an epoch, and none in H is older than t/4; memory is d^2 or d numbers a chain, whatever t is.
"""

from typing import Any

import numpy as np

from sampler.algorithms.chain_block import ChainBlock
from sampler.algorithms.saga_vector_memory import VectorMemory
from sampler.algorithms.stream_rows import Rows
from sampler.kernels import low_rank_metric, vector_preconditioned
from sampler.kernels.chains import Chains, Knobs
from sampler.kernels.lanes import aligned_zeros, padded
from sampler.kernels.low_rank_metric import LowRankMetric
from sampler.kernels.python_callback import Asking, nobody
from sampler.kernels.refresh_calendar import find_due
from sampler.kernels.whitening import Whitening, factor
from sampler.problems.base import Problem

SMALLEST_PIVOT = 1e-12  # of its diagonal


def dense_whitening(chains: int, diagonal: np.ndarray) -> Whitening:
    """Dense arrays of K chains, H = diag(diagonal), (dim,); a diagonal of 0 has no whitener yet."""
    dim = diagonal.size
    shape, every = (chains, dim, padded(dim)), np.arange(dim)
    whitening = Whitening(np.zeros((chains, 0)), aligned_zeros(shape), aligned_zeros(shape), aligned_zeros(shape),
                          np.zeros(chains, np.bool_))
    whitening.precision[:, every, every] = diagonal
    whitening.frozen[:] = whitening.precision
    whitening.whitener[:, every, every] = np.divide(1.0, np.sqrt(diagonal), out=np.zeros(dim), where=diagonal > 0)
    return whitening


class VectorMetric:
    """H of every chain for GaussianMean or a GradientOracle.

    Attributes
    ----------
    metric : LowRankMetric or Whitening
        A diagonal until the first curvature shows that it is a matrix.
    taken : (chains, dim) or (chains, dim, dim) array
        Sum of the curvatures taken since the last power of two.
    """

    def __init__(self, problem: Problem, memory: VectorMemory, state: Chains, rank: int | None) -> None:
        if rank:
            raise ValueError(f"metric must be dense or diagonal for {problem!r}, got low-rank: no term's curvature is "
                             "kept, so none can be looked at again; choose one of the two")
        self.diagonal = rank == 0
        self.problem, self.memory, self.state, self.chains = problem, memory, state, len(state.position)
        self.curvatures: Any = getattr(problem, "curvatures", None)
        self.metric: Any  # Whitening where H is a matrix, else LowRankMetric
        self._lay(1)

    def _lay(self, axes: int) -> None:
        """Arrays of a diagonal (1 axis) or of matrices (2)."""
        dim = self.problem.dim
        self.prior = np.zeros(dim) if self.curvatures is None else self.curvatures.prior
        self.taken = np.zeros((self.chains, *(dim,) * axes))
        if axes == 2:
            self.metric = dense_whitening(self.chains, self.prior)
        else:
            self.metric = low_rank_metric.new_metric(self.chains, 0, np.pad(self.prior, (0, padded(dim) - dim)))

    @property
    def dense(self) -> bool:
        """Whether H is a matrix."""
        return isinstance(self.metric, Whitening)

    def own(self, block: ChainBlock) -> Any:
        """Return the block's part of the metric."""
        return type(self.metric)(*map(block.own, self.metric))

    def hold(self, capacity: int, t: int) -> None:
        """Nothing is kept a datum."""

    # epochs -------------------------------------------------------------------------------------------------------

    def open(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, reset: bool, rebuild: bool,
             center: np.ndarray) -> None:
        """Open epoch t in a ``ChainBlock``; gradients and curvatures are all asked for before anything changes."""
        scratch, memory = np.empty(t + 1, np.int64), self.memory
        if self.curvatures is None:
            vector_preconditioned.arrive_gaussian(rows.rows, block.chains, block.own(memory.values), block.own(memory.links),
                                                  self.own(block), t, knobs, reset, rebuild, center, scratch, block.counts)
            return
        found = [self._asked(block.chains, k, t, knobs, reset, rebuild, scratch) for k in range(self.chains)]
        if t == 1 and found[0][5].ndim == 2 and not self.dense:
            self._lay(2)
        for k, (back, data, fresh, prior, taken, precision, root) in enumerate(found):
            vector_preconditioned.open_in_metric(block.chains, memory.values, memory.links, self.metric, k, t, knobs, back,
                                                 rebuild, center, data, fresh, prior, block.counts)
            self.taken[k] = taken
            self._set(k, precision, root)

    def _asked(self, state: Chains, k: int, t: int, knobs: Knobs, reset: bool, rebuild: bool,
               scratch: np.ndarray) -> tuple[Any, ...]:
        problem, dim = self.problem, self.problem.dim
        back = bool(vector_preconditioned.sent_back(state, self.metric, k, t, reset, knobs.acceptance_radius))
        scratch[0] = t - 1
        n = 1 + (find_due(self.memory.links[k], t, rebuild, scratch[1:]) if knobs.refresh else 0)
        data, start = scratch[:n].copy(), (state.checkpoint if back else state.position)[k, :dim].copy()
        prior = np.zeros(state.position.shape[1])
        prior[:dim] = problem.prior_gradient(state.position[k, :dim].copy())
        doubled, since = t > 1 and t & (t - 1) == 0, 1 << ((t - 1).bit_length() - 1) if t > 1 else 0  # T
        weighed = np.array([t - 1, t - 1 - since] if t > 1 else [0], np.int64)
        fresh, curvature = problem.gradients(data, start.copy()), self._curvature(weighed, start.copy())
        matrix = curvature.ndim == 3
        if t > 1 and matrix != self.dense:
            raise ValueError(f"{self.curvatures.name} must return the shape it did before, got {curvature.shape}; "
                             "diagonals or matrices, not both")
        own = np.diag(self.prior) if matrix else self.prior
        before = own if t == 1 else self._precision(k)
        taken = self.taken[k] + curvature.sum(axis=0) if t > 1 else 0.0 * curvature[0]
        precision = own + taken if doubled else before + curvature[0]
        return back, data, fresh, prior, 0.0 * taken if doubled else taken, precision, self._root(precision, t)

    def _curvature(self, indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
        found = self.curvatures.of(indices, theta)
        return np.einsum("nii->ni", found).copy() if self.diagonal and found.ndim == 3 else found

    @property
    def step_work(self) -> float:
        """Work of W and W' in a step, in gradients of one term."""
        return 2 * self.problem.dim if self.dense else 2

    def _root(self, precision: np.ndarray, t: int) -> np.ndarray:
        """W of a matrix or 1/sqrt of a diagonal, or the error that it is singular."""
        if precision.ndim == 1:
            coordinate, least = int(precision.argmin()), precision.min()
            singular = not least > 0
            root = precision if singular else 1.0 / np.sqrt(precision)
        else:
            dim = len(precision)
            wide, lower, root = np.zeros((dim, padded(dim))), np.zeros((dim, padded(dim))), np.zeros((dim, padded(dim)))
            wide[:, :dim] = precision
            with np.errstate(all="ignore"):
                factor(wide, lower, root)
            pivots = np.diagonal(lower)[:dim] ** 2
            share = pivots / np.maximum(np.diagonal(precision), 1e-300)
            lost = np.flatnonzero(~(share > SMALLEST_PIVOT))  # not a number after the first that is lost
            singular, coordinate = lost.size > 0, int(lost[0]) if lost.size else 0
            least = pivots[coordinate]
        if singular:
            raise ValueError(f"prior_curvature must make the sum of {self.curvatures.name} positive definite, at t = {t} "
                             f"its pivot in coordinate {coordinate} is {least:.3g}; give a prior_curvature above 0, a small "
                             "ridge will do")
        return root

    def _precision(self, k: int) -> np.ndarray:
        """H of one chain, a matrix or a diagonal as it is kept: O(d) numbers of a diagonal."""
        if self.dense:
            return self.metric.precision[k, :, :self.problem.dim]
        root = 1.0 / self.metric.short[k, :self.problem.dim]
        return root * root

    def _set(self, k: int, precision: np.ndarray, root: np.ndarray) -> None:
        dim = self.problem.dim
        if self.dense:
            self.metric.precision[k, :, :dim], self.metric.whitener[k] = precision, root
        else:
            self.metric.short[k, :dim] = root

    def advance(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, n: int, center: np.ndarray, traced: int,
                trace: np.ndarray) -> bool:
        """Up to n steps in every unfinished chain of a ``ChainBlock``; ``traced`` counts within it."""
        memory, foreign = self.memory, getattr(self.problem, "compiled", None)
        asking = Asking(self.problem, knobs.batch_size) if self.curvatures is not None and foreign is None else None
        asked = asking.asked if asking else nobody(knobs.batch_size, self.problem.dim)
        functions = (foreign.function, foreign.prior, foreign.data) if foreign else (None, None, np.zeros(1))
        done = vector_preconditioned.advance(rows.rows, *functions, block.chains, block.own(memory.values),
                                             block.own(memory.links), self.own(block), t, knobs, n, center, traced, trace,
                                             asked, block.counts)
        if asking and asking.error:
            raise asking.error
        return done

    def rebuild(self, state: Chains, rows: Rows, k: int, t: int) -> None:
        """H of one chain from nothing, every curvature taken where it stands."""
        if self.curvatures is None:
            return
        total = np.diag(self.prior) if self.dense else self.prior.copy()
        since, taken = (1 << ((t - 1).bit_length() - 1) if t > 1 else 0), np.zeros_like(self.taken[k])
        for first in range(0, t, 64):
            data = np.arange(first, min(t, first + 64))
            curvature = self._curvature(data, self.state.position[k, :self.problem.dim].copy())
            total = total + curvature.sum(axis=0)
            taken += curvature[(data < t - since) | (data >= since)].sum(axis=0)
        self.taken[k] = 0.0 if t & (t - 1) == 0 else taken
        self._set(k, total, self._root(total, t))

    # what a user reads, and files ---------------------------------------------------------------------------------

    def precision_matrix(self, k: int) -> np.ndarray:
        """H of one chain, (dim, dim)."""
        dim, metric = self.problem.dim, self.metric
        if self.dense:
            return metric.precision[k, :, :dim].copy()
        return low_rank_metric.precision(metric.short[k, :dim], metric.basis[k, :, :dim], metric.pull[k])

    def acceptance_matrix(self, k: int) -> np.ndarray:
        """H when the checkpoint was taken, (dim, dim)."""
        dim, metric = self.problem.dim, self.metric
        if self.dense:
            return metric.frozen[k, :, :dim].copy()
        return low_rank_metric.precision(metric.frozen_short[k, :dim], metric.frozen_basis[k, :, :dim],
                                         metric.frozen_pull[k])

    @property
    def trusted(self) -> np.ndarray:
        """Whether each checkpoint looked like a draw, (chains,) bool."""
        return self.metric.trusted

    def arrays(self, t: int) -> dict[str, np.ndarray]:
        """Return the arrays that a file must hold."""
        return {"taken": self.taken, **{f"metric_{name}": a for name, a in self.metric._asdict().items()}}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Put back what ``arrays`` gave."""
        kind = Whitening if "metric_whitener" in arrays else LowRankMetric
        self.metric = kind(*(np.array(arrays[f"metric_{name}"]) for name in kind._fields))
        self.taken = np.array(arrays["taken"])
