"""Preconditioners without stored term curvatures: the exact one of GaussianMean, or from a GradientOracle's curvatures.

At epoch t, T < t <= 2T with T a power of two, the curvatures of the new term and of term t - T are evaluated at the chain's
position; every new one is added to H, and at 2T H becomes the sum of those evaluated since T. So two are evaluated per
epoch, and none in H is older than t/4; memory is d^2 or d numbers per chain, for every t.
"""

from typing import Any

import numpy as np

from sampler.algorithms.chain_states import ChainBlock
from sampler.algorithms.stream_rows import Rows
from sampler.kernels import low_rank_metric
from sampler.kernels.chains import Chains
from sampler.kernels.low_rank_metric import LowRankMetric
from sampler.kernels.simd_lanes import aligned_zeros, padded
from sampler.kernels.whitening import Whitening, factor
from sampler.problems.base import Problem

SMALLEST_PIVOT = 1e-12  # relative to the diagonal entry


def dense_whitening(chains: int, diagonal: np.ndarray) -> Whitening:
    """Return dense arrays of K chains with H = diag(diagonal), (dim,); a zero entry has whitener 0."""
    dim = diagonal.size
    shape, every = (chains, dim, padded(dim)), np.arange(dim)
    whitening = Whitening(np.zeros((chains, 0)), aligned_zeros(shape), aligned_zeros(shape), aligned_zeros(shape),
                          np.zeros(chains, np.bool_))
    whitening.precision[:, every, every] = diagonal
    whitening.frozen[:] = whitening.precision
    whitening.whitener[:, every, every] = np.divide(1.0, np.sqrt(diagonal), out=np.zeros(dim), where=diagonal > 0)
    return whitening


class ChainMetrics:
    """Base of the two kinds of metric: H of every chain and its public views.

    Attributes
    ----------
    whitening : Whitening, LowRankWhitening or LowRankMetric
        Arrays of all chains; a Whitening if H is stored as a matrix.
    """

    problem: Problem
    whitening: Any
    weighting: Any = ()

    def reserve(self, capacity: int, t: int) -> None:
        """Allocate memory for ``capacity`` data and keep the first ``t``; the default stores nothing per datum."""

    @property
    def dense(self) -> bool:
        """True if H is stored as a matrix."""
        return isinstance(self.whitening, Whitening)

    def own(self, block: ChainBlock) -> Any:
        """Return the block's part of the arrays."""
        return type(self.whitening)(*map(block.own, self.whitening))

    def precision_matrix(self, k: int) -> np.ndarray:
        """Return H of chain ``k``, (dim, dim)."""
        dim, metric = self.problem.dim, self.whitening
        if self.dense:
            return metric.precision[k, :, :dim].copy()
        return low_rank_metric.precision(metric.short[k, :dim], metric.basis[k, :, :dim], metric.pull[k])

    def acceptance_matrix(self, k: int) -> np.ndarray:
        """Return H of chain ``k`` at the time of its checkpoint, (dim, dim)."""
        dim, metric = self.problem.dim, self.whitening
        if self.dense:
            return metric.frozen[k, :, :dim].copy()
        return low_rank_metric.precision(metric.frozen_short[k, :dim], metric.frozen_basis[k, :, :dim],
                                         metric.frozen_pull[k])

    @property
    def trusted(self) -> np.ndarray:
        """True for chains with a checkpoint that is plausible as a draw, (chains,) bool."""
        return self.whitening.trusted


class VectorMetric(ChainMetrics):
    """H of every chain for GaussianMean or a GradientOracle, diagonal unless the first curvature is a matrix.

    Attributes
    ----------
    taken : (chains, dim) or (chains, dim, dim) array
        Sum of the curvatures evaluated since the last power of two.
    """

    def __init__(self, problem: Problem, chains: int, rank: int | None) -> None:
        if rank:
            raise ValueError(f"metric must be dense or diagonal for {problem!r}, got low-rank: its update would need the "
                             "curvatures of past terms, which are not stored; choose one of the two")
        self.diagonal = rank == 0
        self.problem, self.chains = problem, chains
        self.curvatures: Any = getattr(problem, "curvatures", None)
        self._allocate(1)

    def _allocate(self, axes: int) -> None:
        """Allocate the arrays of diagonals (1 axis) or of matrices (2)."""
        dim = self.problem.dim
        self.prior = np.zeros(dim) if self.curvatures is None else self.curvatures.prior
        self.taken = np.zeros((self.chains, *(dim,) * axes))
        if axes == 2:
            self.whitening = dense_whitening(self.chains, self.prior)
        else:
            self.whitening = low_rank_metric.new_metric(self.chains, 0, np.pad(self.prior, (0, padded(dim) - dim)))

    # epochs -------------------------------------------------------------------------------------------------------

    def settle(self, first: tuple[np.ndarray, ...]) -> None:
        """Allocate matrices if the first curvature, as returned by `at`, is one."""
        if first[1].ndim == 2 and not self.dense:
            self._allocate(2)

    def at(self, k: int, t: int, start: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ``taken``, H and W (or their diagonals) of chain k in epoch t, opened at ``start``; stores nothing."""
        doubled, since = t > 1 and t & (t - 1) == 0, 1 << ((t - 1).bit_length() - 1) if t > 1 else 0  # T
        weighed = np.array([t - 1, t - 1 - since] if t > 1 else [0], np.int64)
        curvature = self._curvature(weighed, start)
        matrix = curvature.ndim == 3
        if t > 1 and matrix != self.dense:
            raise ValueError(f"{self.curvatures.name} must return the shape it did before, got {curvature.shape}; "
                             "diagonals or matrices, not both")
        own = np.diag(self.prior) if matrix else self.prior
        before = own if t == 1 else self._precision(k)
        taken = self.taken[k] + curvature.sum(axis=0) if t > 1 else 0.0 * curvature[0]
        precision = own + taken if doubled else before + curvature[0]
        return 0.0 * taken if doubled else taken, precision, self._root(precision, t)

    def take(self, k: int, taken: np.ndarray, precision: np.ndarray, root: np.ndarray) -> None:
        """Store the output of `at` as the metric of chain k."""
        dim = self.problem.dim
        self.taken[k] = taken
        if self.dense:
            self.whitening.precision[k, :, :dim], self.whitening.whitener[k] = precision, root
        else:
            self.whitening.short[k, :dim] = root

    def _curvature(self, indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
        values = self.curvatures.of(indices, theta)
        return np.einsum("nii->ni", values).copy() if self.diagonal and values.ndim == 3 else values

    @property
    def step_work(self) -> float:
        """Work of multiplying by W and W' in one step, in gradients of one term."""
        return 2 * self.problem.dim if self.dense else 2

    def _root(self, precision: np.ndarray, t: int) -> np.ndarray:
        """Return W of a matrix or 1/sqrt of a diagonal; ValueError if it is singular."""
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
            lost = np.flatnonzero(~(share > SMALLEST_PIVOT))  # nan after the first singular pivot
            singular, coordinate = lost.size > 0, int(lost[0]) if lost.size else 0
            least = pivots[coordinate]
        if singular:
            raise ValueError(f"prior_curvature must make the sum of {self.curvatures.name} positive definite, at t = {t} "
                             f"its pivot in coordinate {coordinate} is {least:.3g}; give a prior_curvature above 0, a small "
                             "ridge will do")
        return root

    def _precision(self, k: int) -> np.ndarray:
        """Return H of one chain as it is stored, a matrix or a diagonal."""
        if self.dense:
            return self.whitening.precision[k, :, :self.problem.dim]
        root = 1.0 / self.whitening.short[k, :self.problem.dim]
        return root * root

    def rebuild(self, state: Chains, rows: Rows, k: int, t: int) -> None:
        """Recompute H of chain ``k`` with every curvature evaluated at its position."""
        if self.curvatures is None:
            return
        total = np.diag(self.prior) if self.dense else self.prior.copy()
        since, taken = (1 << ((t - 1).bit_length() - 1) if t > 1 else 0), np.zeros_like(self.taken[k])
        for first in range(0, t, 64):
            data = np.arange(first, min(t, first + 64))
            curvature = self._curvature(data, state.position[k, :self.problem.dim].copy())
            total = total + curvature.sum(axis=0)
            taken += curvature[(data < t - since) | (data >= since)].sum(axis=0)
        self.take(k, 0.0 * taken if t & (t - 1) == 0 else taken, total, self._root(total, t))

    # files ----------------------------------------------------------------------------------------------------

    def arrays(self, t: int) -> dict[str, np.ndarray]:
        """Return the arrays to save in a file."""
        return {"taken": self.taken, **{f"metric_{name}": a for name, a in self.whitening._asdict().items()}}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore the state from the output of ``arrays``."""
        kind = Whitening if "metric_whitener" in arrays else LowRankMetric
        self.whitening = kind(*(np.array(arrays[f"metric_{name}"]) for name in kind._fields))
        self.taken = np.array(arrays["taken"])
