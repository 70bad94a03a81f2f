"""Preconditioner of one-score models: its form, one weight per datum and chain, and H, the sum of the terms' curvatures."""

import numpy as np

from sampler.algorithms.saga_memory import GlmMemory
from sampler.algorithms.stream_rows import Rows
from sampler.algorithms.vector_metric import ChainMetrics, dense_whitening
from sampler.arguments import shown, whole_number
from sampler.kernels import low_rank_metric
from sampler.kernels.chains import Chains
from sampler.kernels.glm_saga import rebuild_metric
from sampler.kernels.low_rank_metric import LowRankWhitening
from sampler.kernels.simd_lanes import padded
from sampler.kernels.whitening import Weighting
from sampler.problems.base import Problem

LARGEST_DENSE = 300
"""Dimension up to which the metric is dense by default: its three matrices take 2 MB per chain there."""
RANK = 32


def metric_rank(metric: str | None, dim: int) -> int | None:
    """Return the rank of the low-rank part, 0 for a diagonal metric, None for a dense one.

    Parameters
    ----------
    metric : {"dense", "low-rank", "low-rank R", "diagonal"} or None
        R in [1, dim - 1]; the default is min(32, dim - 1). None is dense up to d = 300 and low-rank above.
    dim : int

    Raises
    ------
    ValueError
        For any other text or a rank out of range.
    """
    if metric is None:
        metric = "dense" if dim <= LARGEST_DENSE else "low-rank"
    words = metric.split() if isinstance(metric, str) else [""]
    if len(words) == 2 and words[0] == "low-rank" and words[1].isdecimal():
        if dim == 1:
            raise ValueError(f"metric must be dense or diagonal in one dimension, got {metric!r}; choose one")
        return whole_number("metric's rank", int(words[1]), 1, dim - 1, f"it must be below dim = {dim}")
    if not isinstance(metric, str) or metric not in ("dense", "low-rank", "diagonal"):
        raise ValueError(f"metric must be one of dense, low-rank, low-rank R, diagonal, or None, got {shown(metric)}; None "
                         "chooses by the dimension")
    return {"dense": None, "low-rank": min(RANK, dim - 1), "diagonal": 0}[metric]


MEAN_RULE = {"curvature": 0.5, "square": 0.5, "cap": 2.0, "floor": 2.0}
EXACT_RULE = {**MEAN_RULE, "curvature": 1.0, "square": 0.0}  # for constant curvature


def weighting_of(problem: Problem) -> Weighting:
    """Return the weighting rule of the data of a one-score model."""
    return Weighting(**(EXACT_RULE if problem.kind == "linear" else MEAN_RULE))


class GlmMetric(ChainMetrics):
    """Weights and H of every chain of a one-score model.

    Attributes
    ----------
    weighting : Weighting
        Weighting rule of the data.
    """

    def __init__(self, problem: Problem, memory: GlmMemory, chains: int, rank: int | None) -> None:
        self.problem, self.memory = problem, memory
        self.weighting = weighting_of(problem)
        self.rank = rank
        if rank is None:
            self.whitening = dense_whitening(chains, problem.prior_precision)
        else:
            diagonal, beyond = problem.prior_precision, padded(problem.dim) - problem.dim
            metric = low_rank_metric.new_metric(chains, rank, np.pad(diagonal, (0, beyond)))
            self.whitening = LowRankWhitening(np.zeros((chains, 0)), np.tile(diagonal, (chains, 1)), np.ones(chains),
                                              *metric)

    def reserve(self, capacity: int, t: int) -> None:
        """Allocate ``capacity`` weights per chain and keep the first ``t``."""
        if self.whitening.weights.shape[1] < capacity:
            old, new = self.whitening.weights, np.zeros((len(self.whitening.trusted), capacity))
            new[:, :t] = old[:, :t]
            self.whitening = self.whitening._replace(weights=new)

    @property
    def step_work(self) -> float:
        """Work of multiplying by W and W' in one step, in gradients of one term."""
        return 2 * self.problem.dim if self.rank is None else 2 * self.rank + 2

    def rebuild(self, state: Chains, rows: Rows, k: int, t: int) -> None:
        """Recompute the weights and H of chain ``k`` from its cache, with Poisson means limited as in a step."""
        made = self.whitening.precision if self.rank is None else self.whitening.diagonal
        rebuild_metric(self.problem.kind_code, self.memory.precision, rows.rows, rows.targets, state.gradient_sum,
                       self.memory.items, self.whitening.weights, made, k, t, self.weighting)

    def whitened(self, k: int, rows: np.ndarray) -> np.ndarray:
        """Return W u of every row u, (n, dim)."""
        if self.rank is None:
            return rows @ self.whitening.whitener[k, :, :self.problem.dim].T
        basis = self.whitening.basis[k, :, :self.problem.dim]
        scaled = rows * self.whitening.short[k, :self.problem.dim]
        return scaled + (scaled @ basis.T * self.whitening.pull[k]) @ basis

    def largest_noise(self, k: int, rows: Rows, t: int) -> float:
        """Return the largest eigenvalue of t sum h_k^2 |v_k|^2 v_k v_k', v_k = W u_k, h_k from a chain's cache; O(t d^2)."""
        dim = self.problem.dim
        means, weights = self.memory.items["value"][k, :t], self.whitening.weights[k, :t]
        curvature = {"logistic": means * (1.0 - means), "poisson": means}.get(self.problem.kind, weights)
        total = np.zeros((dim, dim))
        for first in range(0, t, 4096):
            part = slice(first, min(t, first + 4096))
            white = self.whitened(k, rows.rows[part, :dim]) * curvature[part, None] ** 0.5
            total += (white * (white**2).sum(axis=1, keepdims=True)).T @ white
        return t * float(np.linalg.eigvalsh(total)[-1])

    def arrays(self, t: int) -> dict[str, np.ndarray]:
        """Return the arrays to save in a file."""
        whitening = self.whitening._replace(weights=self.whitening.weights[:, :t])._asdict()
        return {f"whitening_{name}": a for name, a in whitening.items()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore the state from the output of ``arrays``."""
        saved = {name: arrays[f"whitening_{name}"] for name in self.whitening._fields}
        for name in set(saved) - {"weights"}:
            getattr(self.whitening, name)[...] = saved[name]
        self.whitening = self.whitening._replace(weights=np.array(saved["weights"]))
