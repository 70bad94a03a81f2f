"""Interface of samplers on fixed data: ``sample(problem, features, labels)``, K independent chains; notes on the data.

A sampler is a frozen dataclass of knobs; the data, the number of chains and the budget are arguments of each call::

    run = SvrgLD(step_size=1e-3, anchor_batch=500).sample(problem, features, labels, passes=5, chains=100)
    run.positions, run.gradient_evaluations, [(c.passes, c.mean) for c in run.trace]

Cost is counted per chain in gradients of single terms f_k (the prior is free): the state at ``passes`` p is that after
the chain's last action within p n evaluations, so filling a table or an anchor delays its first step.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.chain_states import starting_points
from sampler.algorithms.offline_terms import terms_of
from sampler.algorithms.results import Checkpoint, OfflineDivergenceError, OfflineResult
from sampler.arguments import positive_number, real_array, shown, whole_number
from sampler.kernels.offline_chains import Law, Plan, new_walk
from sampler.problems.base import Problem
from sampler.problems.glm import LogisticRegression
from sampler.threads import checked_threads


def notes_on(terms: Any) -> tuple[str, ...]:
    """Return remarks on the data; ValueError if the posterior has no mode.

    If all labels are equal, the likelihood increases without bound along a column of one sign (an intercept). With a flat
    prior there the posterior is improper; with a proper prior its mode is far out and it is as wide as the prior.
    """
    problem = terms.problem
    if not isinstance(problem, LogisticRegression):
        return ()
    labels, rows = terms.posterior.labels, terms.posterior.rows
    if labels.min() != labels.max():
        return ()
    one_sided = np.flatnonzero((rows > 0).all(axis=0) | (rows < 0).all(axis=0))
    equal = f"all {len(labels)} labels are equal ({labels[0]:g})"
    if not one_sided.size:
        return (f"{equal}: the data may be separable; if they are, only the prior keeps the mode finite",)
    flat = one_sided[problem.prior_precision[one_sided] == 0]
    if flat.size:
        raise ValueError(f"labels must hold both classes when prior_precision is 0 in column {flat[0]}: {equal}, the "
                         f"data are separable along that column, the likelihood is unbounded in theta and the posterior has "
                         "no mode; set prior_precision above 0 there")
    j = one_sided[0]
    return (f"{equal}: the data are separable along column {j}, the likelihood alone has no mode (it runs to infinity) "
            f"and the prior of precision {problem.prior_precision[j]:g} keeps the mode finite, far out; the posterior "
            "there is nearly as wide as the prior, whatever the number of data",)


FRAMES = 20  # default number of checkpoints
SLICE = 0.05  # seconds between two calls of ``stop``
Progress = Callable[[float, Checkpoint | None], None]


def curvature(terms: Any, start: np.ndarray, name: str = "step_size", usual: str = "0.1") -> tuple[float, float]:
    """Return the largest eigenvalue and trace of F's Hessian, each the maximum over the origin and the mean of ``start``.

    ValueError for a GradientOracle: the argument ``name`` must be set, ``usual`` over the largest eigenvalue.
    """
    if not hasattr(terms.posterior.problem, "prior_precision"):
        raise ValueError(f"{name} must be given for a GradientOracle, got None; start near {usual} over the largest "
                         "eigenvalue of the Hessian")
    hessians = [terms.posterior.hessian(x) for x in (np.zeros(terms.dim), start.mean(axis=0))]
    values = [np.linalg.eigvalsh(h) for h in hessians]
    return max(float(v[-1]) for v in values), max(float(v.sum()) for v in values)


def overdamped(step_size: float, beta: float = 1.0) -> Law:
    """Return the Langevin step on beta F, X <- X - eta beta g + sqrt(2 eta) xi, with eta = ``step_size``."""
    return Law(False, beta * step_size, np.sqrt(2.0 * step_size), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Run:
    """State of a run of K chains, advanced in slices so that it can be monitored and stopped."""

    def __init__(self, terms: Any, plan: Plan, start: np.ndarray, seed: int, knob: str,
                 progress: Progress | None, stop: Callable[[], bool] | None, threads: int = 1) -> None:
        for name, function in (("progress", progress), ("stop", stop)):
            if function is not None and not callable(function):
                raise ValueError(f"{name} must be callable or None, got {function!r}")
        self.terms, self.plan, self.knob, self.threads = terms, plan, knob, threads
        self.memory, self.walk = terms.memory(plan, len(start)), new_walk(start, seed)  # memory may refuse
        self.start, self.progress, self.stop = start, progress, stop
        self.trace: list[Any] = []
        self.epochs: list[Any] = []
        self.stopped, self._slice = False, 16

    def go(self, law: Law, budget: int, total: int) -> bool:
        """Run until no chain can act within ``budget`` of its ``total`` evaluations; return False if stopped."""
        done = False
        while not done:
            if self.stop is not None and self.stop():
                self.stopped = True
                return False
            began = time.perf_counter()
            done = self.terms.advance(self.walk, self.memory, self.plan, law, budget, self._slice, self.threads)
            spent = time.perf_counter() - began
            self._slice = max(1, min(2**40, int(self._slice * min(8.0, SLICE / max(spent, 1e-6)))))
            if (diverged := np.flatnonzero(self.walk.diverged_step)).size:
                raise OfflineDivergenceError(
                    f"{self.knob} must be small enough for the curvature: chain {diverged[0]} diverged at step "
                    f"{self.walk.diverged_step[diverged[0]]}; lower it, or raise batch_size", self.result(float("nan")))
            if self.progress is not None and not done:
                self.progress(min(1.0, self.walk.evaluations.mean() / max(total, 1)), None)
        return True

    def keep(self, passes: float, total: int, beta: float = 1.0) -> Checkpoint:
        """Append the current state of the chains to ``trace`` and return it."""
        walk, dim = self.walk, self.terms.dim
        moved = np.maximum(walk.steps, 1)[:, None]
        means = np.where(walk.steps[:, None] > 0, walk.path_sum[:, :dim] / moved, self.start)
        self.trace.append(Checkpoint(passes, int(walk.evaluations.sum()), walk.steps.copy(),
                                     walk.position[:, :dim].copy(), means, beta))
        if self.progress is not None:
            self.progress(min(1.0, walk.evaluations.mean() / max(total, 1)), self.trace[-1])
        return self.trace[-1]

    def result(self, step_size: float) -> OfflineResult:
        """Return the result of the run so far."""
        evaluations = int(self.walk.evaluations.sum())
        return OfflineResult(self.walk.position[:, :self.terms.dim].copy(), evaluations,
                             evaluations / (len(self.start) * self.terms.n), tuple(self.trace), self.terms.n, step_size,
                             tuple(self.epochs), self.stopped, notes_on(self.terms))


@dataclass(frozen=True)
class OfflineSampler:
    """Base of the samplers that run at one temperature for a budget of passes over the data.

    Parameters
    ----------
    step_size : float > 0, optional
        eta. None is 0.1 / (largest eigenvalue + trace/batch_size) of the Hessian.
    batch_size : int >= 1
        b, gradients drawn with replacement at each step.
    """

    step_size: float | None = None
    batch_size: int = 1

    def __post_init__(self) -> None:
        if self.step_size is not None:
            step = positive_number("step_size", self.step_size, 1e12, "start near 0.1 over the largest curvature of F")
            object.__setattr__(self, "step_size", step)
        object.__setattr__(self, "batch_size", whole_number("batch_size", self.batch_size, 1, 10_000_000))

    def plan(self, n: int) -> Plan:
        """Return the gradient estimator on ``n`` terms; ValueError if the knobs do not fit n."""
        raise NotImplementedError

    def law(self, terms: Any, start: np.ndarray) -> tuple[Law, float]:
        """Return the transition law of a chain on the ``terms`` from ``start`` (chains, dim), and its step size."""
        step = self.step_size
        if step is None:
            largest, trace = curvature(terms, start)
            step = 0.1 / (largest + trace / self.batch_size)
        return overdamped(step), step

    def sample(self, problem: Problem, features: ArrayLike, labels: np.ndarray | None = None, *, passes: float = 5.0,
               record: Sequence[float] | None = None, chains: int = 100, seed: int = 0, start: ArrayLike | None = None,
               progress: Progress | None = None, stop: Callable[[], bool] | None = None,
               threads: int | None = None) -> OfflineResult:
        """Run K chains for ``passes`` over the data.

        Parameters
        ----------
        problem : LogisticRegression, LinearRegression, PoissonRegression, GaussianMean, GaussianAverage or
            GradientOracle
        features : (n, dim) array
            For a GradientOracle the number of terms n.
        labels : (n,) array, optional
            Responses, for the regressions.
        passes : float > 0
            Budget of gradient evaluations per chain, divided by n; never exceeded.
        record : sequence of floats in [0, passes], optional
            Passes at which to store a checkpoint; None stores 20, evenly spaced, and the start.
        chains : int in [1, 1000000]
        seed : int >= 0
            The same seed gives the same path, however the run is sliced.
        start : (dim,) or (chains, dim) array, optional
            None draws from the prior (zero in coordinates where it is flat).
        progress : callable, optional
            Called as ``progress(fraction, checkpoint or None)`` after each slice of about 50 ms and each checkpoint.
        stop : callable, optional
            ``stop() -> bool``, called between slices; True ends the run, which returns its result so far.
        threads : int in [1, 1024], optional
            Number of threads that run blocks of chains; the path does not depend on it. None uses all cores available to
            this process. Gradients in Python run on one thread.

        Raises
        ------
        ValueError
            For an invalid argument, before work starts.
        OfflineDivergenceError
            If a chain diverges; its ``result`` is the run up to there.
        """
        passes = positive_number("passes", passes, 1e9, "1.0 is as many gradients as there are data")
        at = _checked_record(record, passes)
        chains = whole_number("chains", chains, 1, 1_000_000)
        seed = whole_number("seed", seed, 0, 2**63 - 1)
        threads = checked_threads(threads)
        terms = terms_of(problem, features, labels)
        plan = self.plan(terms.n)
        notes_on(terms)  # raises if the posterior is improper
        points = starting_points(problem, chains, seed, start)
        law, step_size = self.law(terms, points)
        run = Run(terms, plan, points, seed, "step_size", progress, stop, threads)
        total = gradient_budget(passes, terms.n)
        for p in at:
            if not run.go(law, gradient_budget(p, terms.n), total):
                break
            run.keep(p, total)
        if not run.stopped:
            run.go(law, total, total)
        return run.result(step_size)


def gradient_budget(passes: float, n: int) -> int:
    """Return the number of gradient evaluations in ``passes`` over ``n`` terms."""
    return int(passes * n * (1 + 1e-12) + 1e-9)  # 0.1 * 50000 must not lose a gradient to rounding


def _checked_record(record: Any, passes: float) -> list[float]:
    if record is None:
        return list(np.linspace(0.0, passes, FRAMES + 1))
    wanted, advice = f"passes in [0, {passes:g}] in rising order", "None stores 20 evenly spaced ones"
    at = np.atleast_1d(real_array("record", record, wanted, advice))
    if at.ndim != 1 or not np.all((at >= 0) & (at <= passes)) or np.any(np.diff(at) < 0):
        raise ValueError(f"record must be {wanted}, got {shown(record)}; {advice}")
    return at.tolist()
