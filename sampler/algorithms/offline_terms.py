"""Terms of a fixed data set and the advance of chains on them, compiled or with the user's gradients."""

import math
from typing import Any

import numpy as np

from sampler.arguments import whole_number
from sampler.kernels import offline_chains, offline_steps
from sampler.kernels.chains import INDEX_STREAM
from sampler.kernels.offline_chains import ANCHORED, DUE, MINIBATCH, Law, Memory, Plan, Walk
from sampler.kernels.rng import fill_index
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded
from sampler.problems.base import Problem
from sampler.problems.gaussian_mean import GaussianAverage, GaussianMean
from sampler.problems.glm import GeneralizedLinearModel
from sampler.problems.gradient_oracle import GradientOracle
from sampler.threads import STEP_WORK, cut, run_blocks

LARGEST_TABLE = 2 * 2**30  # largest table of cached gradients of one call, in bytes


def terms_of(problem: Problem, features: Any, labels: np.ndarray | None = None) -> "GlmTerms | QuadraticTerms | OracleTerms":
    """Return the terms f_1..f_n of ``problem`` on the data; ValueError for invalid data, before any work.

    ``features`` is (n, dim), or the number of terms n for a GradientOracle.
    """
    if isinstance(problem, GeneralizedLinearModel):
        return GlmTerms(problem, features, labels)
    if isinstance(problem, GaussianMean | GaussianAverage):
        return QuadraticTerms(problem, features, labels)
    if isinstance(problem, GradientOracle):
        return OracleTerms(problem, features, labels)
    raise ValueError(f"problem must be a LogisticRegression, LinearRegression, PoissonRegression, GaussianMean, "
                     f"GaussianAverage or GradientOracle, got {type(problem).__name__}; wrap your own gradients in "
                     "GradientOracle")


class _Terms:
    """Base of the three kinds of terms.

    Attributes
    ----------
    n, dim : int
    posterior : Posterior
        F on all n terms.
    """

    one_score = False  # True if one number per term is cached, not a vector
    compiled = True  # True if no Python runs between two steps
    model: Any  # read by the compiled loop

    def __init__(self, problem: Problem, posterior: Any) -> None:
        self.problem, self.posterior = problem, posterior
        self.n, self.dim = posterior.t, problem.dim
        if self.n == 0:
            raise ValueError("features must hold at least one row, got none")
        self.lanes, self.mask = lanes_for(self.dim), np.zeros(padded(self.dim))
        self.mask[:self.dim] = 1.0
        self._scratch: dict[int, list[tuple[np.ndarray, ...]]] = {}

    def advance(self, walk: Walk, memory: Memory, plan: Plan, law: Law, budget: int, n_steps: int,
                threads: int = 1) -> bool:
        """Make up to ``n_steps`` steps in every chain, within ``budget`` evaluations each; return True if all are done.

        Blocks of chains run on up to ``threads`` threads.
        """
        parts = cut(len(walk.steps), threads, self._work(walk, plan, n_steps) if self.compiled else 0)
        if len(parts) == 1:
            return bool(self._advance(walk, memory, plan, law, budget, n_steps))
        spare = self._scratch.setdefault(plan.anchor_batch, [])  # arrays shared by the chains of one thread

        def run(part: tuple[int, int]) -> bool:
            own = slice(*part)
            try:
                scratch = spare.pop()
            except IndexError:  # not checked first: another thread could take the last one in between
                scratch = memory.order.copy(), memory.swaps.copy(), memory.chosen.copy()
            block = Memory(memory.values[own], memory.stamps[own], *scratch)
            done = self._advance(Walk(*(array[own] for array in walk)), block, plan, law, budget, n_steps)
            spare.append(scratch)
            return bool(done)

        return all(run_blocks(run, parts, threads))

    def _work(self, walk: Walk, plan: Plan, n_steps: int) -> float:
        """Return the approximate number of multiply-adds of ``advance``."""
        gradients = n_steps * (plan.step_cost + STEP_WORK + (plan.anchor_batch / plan.anchor_every))
        opening = plan.anchor_batch * (plan.estimator != MINIBATCH and bool((walk.since_anchor == DUE).any()))
        return len(walk.steps) * (gradients + opening) * len(self.mask)

    def _advance(self, walk: Walk, memory: Memory, plan: Plan, law: Law, budget: int, n_steps: int) -> bool:
        """Run ``advance`` on one thread."""
        return offline_steps.advance(self.lanes, self.model, walk, memory, plan, law, budget, n_steps)

    def memory(self, plan: Plan, chains: int) -> Memory:
        """Allocate the memory of the gradient estimator; ValueError, with its size, if it is too large."""
        stored = chains if plan.store else 0
        shape = (stored, self.n) if self.one_score else (stored, self.n, self.dim)
        size = 8 * math.prod(shape)
        if size > LARGEST_TABLE:
            raise ValueError(f"chains must be at most {LARGEST_TABLE * chains // size} here, got {chains}: a cached "
                             f"gradient of each of {self.n} terms for each chain would take {size / 2**30:.1f} GiB; "
                             "use fewer chains, or SvrgLD, which caches none")
        stamped = stored if plan.estimator == ANCHORED else 0
        return Memory(np.zeros(shape), np.zeros((stamped, self.n if stamped else 0), np.int32),
                      np.arange(self.n), np.empty(plan.anchor_batch, np.int64),
                      np.empty(plan.anchor_batch, np.int64))


class GlmTerms(_Terms):
    """Terms of a one-score model: compiled throughout, one cached number per term."""

    one_score = True

    def __init__(self, problem: Problem, features: Any, labels: np.ndarray | None) -> None:
        if labels is None:
            raise ValueError(f"labels must be given for {type(problem).__name__}, one per row of features")
        super().__init__(problem, problem.posterior(features, labels))
        rows, prior = aligned_zeros((self.n, padded(self.dim))), np.zeros(padded(self.dim))
        rows[:, :self.dim], prior[:self.dim] = self.posterior.rows, problem.prior_precision
        targets = np.ascontiguousarray(self.posterior.targets)
        self.model = offline_steps.GlmModel(problem.kind_code, rows, targets, prior, self.mask)


class QuadraticTerms(_Terms):
    """Terms c (theta - y_k)^2 / 2 of GaussianMean and GaussianAverage: compiled, one cached vector per term."""

    def __init__(self, problem: Problem, features: Any, labels: np.ndarray | None) -> None:
        super().__init__(problem, problem.posterior(features, labels))
        rows = np.ascontiguousarray(self.posterior.rows)
        self.model = offline_steps.QuadraticModel(rows, self.posterior.curvatures, self.mask)


class OracleTerms(_Terms):
    """Terms of a GradientOracle: the user's function is called once or twice per step and chain, by one thread."""

    compiled = False

    def __init__(self, problem: Problem, n: int, labels: np.ndarray | None) -> None:
        if labels is not None or np.ndim(n):
            raise ValueError("features must be the number of terms for a GradientOracle, with no labels; "
                             f"got {type(n).__name__}; call sample(problem, n)")
        super().__init__(problem, problem.posterior(whole_number("features", n, 1, 2**31 - 1)))

    def _advance(self, walk: Walk, memory: Memory, plan: Plan, law: Law, budget: int, n_steps: int) -> bool:
        batch, width = np.empty(plan.batch_size, np.int64), len(self.mask)
        none, gradient, point = np.empty((0, self.dim)), np.empty(width), np.empty((2, width))
        done = True
        for k in range(len(walk.steps)):
            made = 0
            while made < n_steps and offline_chains.affordable(walk, k, plan, budget):
                if offline_chains.anchor_due(walk, k, plan):
                    self._set_anchor(walk, memory, plan, k)
                    continue
                x = walk.position[k, :self.dim].copy()
                fill_index(walk.rng[k, INDEX_STREAM], self.n, batch)
                fresh = self.problem.gradients(batch, x)
                old = self._at_anchor(walk, memory, plan, k, batch) if plan.estimator == ANCHORED else none
                offline_steps.step(self.lanes, walk, memory, plan, law, self.n, k, batch, fresh, old,
                                    self.problem.prior_gradient(x), self.mask, gradient, point)
                made += 1
            done &= not offline_chains.affordable(walk, k, plan, budget)
        return bool(done)

    def _set_anchor(self, walk: Walk, memory: Memory, plan: Plan, k: int) -> None:
        offline_steps.open_anchor(walk, memory, plan, self.n, k)
        fresh = self.problem.gradients(memory.chosen.copy(), walk.anchor[k, :self.dim].copy())
        offline_steps.add_to_anchor(walk, memory, plan, self.n, k, 0, fresh)

    def _at_anchor(self, walk: Walk, memory: Memory, plan: Plan, k: int, batch: np.ndarray) -> np.ndarray:
        """Return the gradients of the batch at the anchor; only those not stored are evaluated and counted."""
        anchor = walk.anchor[k, :self.dim].copy()
        if not plan.store:
            walk.evaluations[k] += len(batch)
            return self.problem.gradients(batch, anchor)
        unseen = np.unique(batch[memory.stamps[k, batch] != walk.anchors[k]])
        if unseen.size:
            memory.values[k, unseen] = self.problem.gradients(unseen, anchor)
            memory.stamps[k, unseen] = walk.anchors[k]
            walk.evaluations[k] += unseen.size
        return memory.values[k, batch]
