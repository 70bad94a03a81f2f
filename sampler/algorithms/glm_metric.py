"""The preconditioner of one-score models: a weight a datum and chain, and H, the sum of the weighted rows' squares."""

from typing import Any

import numpy as np

from sampler.algorithms.chain_block import ChainBlock
from sampler.algorithms.saga_glm_memory import GlmMemory
from sampler.algorithms.stream_rows import Rows
from sampler.algorithms.vector_metric import dense_whitening
from sampler.kernels import glm_preconditioned, low_rank_metric
from sampler.kernels.chains import Chains, Knobs
from sampler.kernels.lanes import padded
from sampler.kernels.low_rank_metric import LowRankWhitening
from sampler.kernels.whitening import LARGEST_MEAN, OWN_COUNT, Weighting, Whitening, weigh_all
from sampler.problems.base import Problem

MEAN_RULE = {"curvature": 0.5, "square": 0.5, "cap": 2.0, "floor": 2.0, "tangent": True, "at_doublings": False}
EXACT_RULE = {**MEAN_RULE, "curvature": 1.0, "square": 0.0}  # where the curvature is constant


def low_rank_whitening(chains: int, rank: int, diagonal: np.ndarray) -> LowRankWhitening:
    """Arrays of K chains in a metric of low rank plus diagonal, or a diagonal where ``rank`` is 0."""
    metric = low_rank_metric.new_metric(chains, rank, np.pad(diagonal, (0, padded(diagonal.size) - diagonal.size)))
    return LowRankWhitening(np.zeros((chains, 0)), np.tile(diagonal, (chains, 1)), np.ones(chains), *metric)


class GlmMetric:
    """Weights and H of every chain of a one-score model.

    Attributes
    ----------
    whitening : Whitening or LowRankWhitening
    weighting : Weighting
        The weights' rule.
    """

    def __init__(self, problem: Problem, memory: GlmMemory, chains: int, rule: dict[str, Any] | None,
                 rank: int | None) -> None:
        self.problem, self.memory = problem, memory
        plain = EXACT_RULE if problem.kind == "linear" else MEAN_RULE
        self.weighting = Weighting(bound=problem.curvature_bound, **{**plain, **(rule or {})})
        self.rank = rank
        self.whitening: Any  # Whitening where the rank is None, else LowRankWhitening
        if rank is None:
            self.whitening = dense_whitening(chains, problem.prior_precision)
        else:
            self.whitening = low_rank_whitening(chains, rank, problem.prior_precision)

    def hold(self, capacity: int, t: int) -> None:
        """Make room for ``capacity`` weights, the first ``t`` kept."""
        if self.whitening.weights.shape[1] < capacity:
            old, new = self.whitening.weights, np.zeros((len(self.whitening.trusted), capacity))
            new[:, :t] = old[:, :t]
            self.whitening = self.whitening._replace(weights=new)

    def _model(self, block: ChainBlock, rows: Rows) -> tuple[Any, ...]:
        memory = self.memory
        return (self.problem.kind_code, memory.precision, rows.rows, rows.targets, block.chains, block.own(memory.items))

    def _own(self, block: ChainBlock) -> Whitening | LowRankWhitening:
        return type(self.whitening)(*map(block.own, self.whitening))

    @property
    def step_work(self) -> float:
        """Work of W and W' in a step, in gradients of one term."""
        return 2 * self.problem.dim if self.rank is None else 2 * self.rank + 2

    def open(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, reset: bool, rebuild: bool,
             center: np.ndarray) -> None:
        """Open epoch t in a ``ChainBlock``."""
        glm_preconditioned.arrive(*self._model(block, rows), self._own(block), self.weighting, t, knobs, reset, rebuild,
                                  center, np.empty(t, np.int64), block.counts)

    def advance(self, block: ChainBlock, rows: Rows, t: int, knobs: Knobs, n: int, center: np.ndarray, traced: int,
                trace: np.ndarray) -> bool:
        """Up to n steps in every unfinished chain of a ``ChainBlock``; ``traced`` counts within it."""
        return glm_preconditioned.advance(self.memory.lanes, *self._model(block, rows), self._own(block), t, knobs, n,
                                          center, traced, trace, block.counts)

    def run(self, block: ChainBlock, rows: Rows, first: int, last: int, knobs: Knobs, reset: bool, rebuild: bool,
            center: np.ndarray) -> None:
        """Epochs first..last of a ``ChainBlock`` whole, in one compiled call."""
        glm_preconditioned.run_epochs(self.memory.lanes, *self._model(block, rows), self._own(block), self.weighting,
                                      first, last, knobs, reset, rebuild, center, np.empty(last, np.int64), block.counts)

    def rebuild(self, state: Chains, rows: Rows, k: int, t: int) -> None:
        """Weights and H of one chain from its cache as it stands, Poisson means limited as in a step."""
        if self.problem.kind == "poisson":
            self._limit(state.gradient_sum[k], rows.rows[:t], rows.targets[:t], self.memory.items["value"][k, :t])
        made = self.whitening.precision if self.rank is None else self.whitening.diagonal
        weigh_all(self.problem.kind_code, rows.rows, rows.targets, self.memory.items[k], self.whitening.weights[k],
                  made[k], self.memory.precision[0], t, self.weighting)

    @staticmethod
    def _limit(gradient_sum: np.ndarray, rows: np.ndarray, targets: np.ndarray, means: np.ndarray) -> None:
        """A sum with larger means in it would keep their rounding when they are gone."""
        np.minimum(means, LARGEST_MEAN * (targets + OWN_COUNT), out=means)
        gradient_sum[:] = (means - targets) @ rows

    def precision_matrix(self, k: int) -> np.ndarray:
        """H of one chain, (dim, dim)."""
        if self.rank is None:
            return self.whitening.precision[k, :, :self.problem.dim].copy()
        return self._matrix(self.whitening.short[k], self.whitening.basis[k], self.whitening.pull[k])

    def _matrix(self, short: np.ndarray, basis: np.ndarray, pull: np.ndarray) -> np.ndarray:
        return low_rank_metric.precision(short[:self.problem.dim], basis[:, :self.problem.dim], pull)

    def whitened(self, k: int, rows: np.ndarray) -> np.ndarray:
        """Return W u of every row u, (n, dim)."""
        if self.rank is None:
            return rows @ self.whitening.whitener[k, :, :self.problem.dim].T
        basis = self.whitening.basis[k, :, :self.problem.dim]
        scaled = rows * self.whitening.short[k, :self.problem.dim]
        return scaled + (scaled @ basis.T * self.whitening.pull[k]) @ basis

    def acceptance_matrix(self, k: int) -> np.ndarray:
        """H when the checkpoint was taken, (dim, dim)."""
        if self.rank is None:
            return self.whitening.frozen[k, :, :self.problem.dim].copy()
        return self._matrix(self.whitening.frozen_short[k], self.whitening.frozen_basis[k], self.whitening.frozen_pull[k])

    def largest_noise(self, k: int, rows: Rows, t: int) -> float:
        """Largest eigenvalue of t sum h_k^2 |v_k|^2 v_k v_k', v_k = W u_k and h_k as cached by a chain, in O(t d^2)."""
        dim = self.problem.dim
        means, weights = self.memory.items["value"][k, :t], self.whitening.weights[k, :t]
        curvature = {"logistic": means * (1.0 - means), "poisson": means}.get(self.problem.kind, weights)
        total = np.zeros((dim, dim))
        for first in range(0, t, 4096):
            part = slice(first, min(t, first + 4096))
            white = self.whitened(k, rows.rows[part, :dim]) * curvature[part, None] ** 0.5
            total += (white * (white**2).sum(axis=1, keepdims=True)).T @ white
        return t * float(np.linalg.eigvalsh(total)[-1])

    @property
    def trusted(self) -> np.ndarray:
        """Whether each checkpoint looked like a draw, (chains,) bool."""
        return self.whitening.trusted

    def arrays(self, t: int) -> dict[str, np.ndarray]:
        """Return the arrays that a file must hold."""
        whitening = self.whitening._replace(weights=self.whitening.weights[:, :t])._asdict()
        return {f"whitening_{name}": a for name, a in whitening.items()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Put back what ``arrays`` gave."""
        saved = {name: arrays[f"whitening_{name}"] for name in self.whitening._fields}
        for name in set(saved) - {"weights"}:
            getattr(self.whitening, name)[...] = saved[name]
        self.whitening = self.whitening._replace(weights=np.array(saved["weights"]))
