"""Common interface of samplers in a race: run to a number of gradient evaluations and report the cost."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sampler.algorithms.offline_sampler import OfflineSampler, Run
from sampler.algorithms.offline_terms import terms_of
from sampler.algorithms.results import OfflineDivergenceError
from sampler.racing.race_setup import RaceSetup

LEAST_COST = 0.01  # least evaluations per step, for planning: some steps need none
SLICE = 0.05  # seconds between two calls of ``stop``


class Runner:
    """K chains within one epoch. All numbers are per chain, means over the chains.

    Attributes
    ----------
    evaluations : float
        Gradient evaluations so far, including the start of the epoch.
    positions : (K, d) array
        Of the chains.
    seconds : float
        Processor seconds of this thread so far.
    steps : float
        Steps so far.
    step_cost : float
        Gradient evaluations of one step.
    step_size : float
        eta; nan where there is none.
    moving : bool
        False once it cannot continue.
    diverged : bool
    diagnosable : bool
        Whether positions are those of K chains, for which R-hat and effective sample size are meaningful.
    """

    evaluations, seconds, steps, step_cost, step_size = 0.0, 0.0, 0.0, 0.0, float("nan")
    acceptance = float("nan")
    positions: np.ndarray
    moving, diverged, diagnosable = True, False, True

    def advance(self, target: float, stop: Callable[[], bool] | None = None) -> None:
        """Run until no further step fits into ``target`` evaluations; at least one step, none if it does not move."""

    def timed(self, work: Callable[[], object], chains: int) -> None:
        """Call ``work``, for all ``chains``, and add its seconds per chain."""
        start = time.thread_time()
        try:
            work()
        finally:
            self.seconds += (time.thread_time() - start) / chains


class StreamRunner(Runner):
    """Runner of a stream sampler, which starts the epoch with ``last`` and then makes steps."""

    def __init__(self, sampler: Any, last: tuple[Any, ...], step_cost: float, step_size: float) -> None:
        self._sampler, self.step_cost, self.step_size, self._slice = sampler, step_cost, step_size, 1
        self._before = sampler.gradient_evaluations
        self.timed(lambda: sampler.arrive(*last), sampler.chains)
        self._update()

    def _update(self) -> None:
        sampler = self._sampler
        self.evaluations = (sampler.gradient_evaluations - self._before) / sampler.chains
        self.positions, self.steps = sampler.positions, float(sampler.steps_done.mean())

    def advance(self, target: float, stop: Callable[[], bool] | None = None) -> None:
        """See Runner."""
        sampler = self._sampler
        left = max(1, int((target - self.evaluations + 1e-6) // self.step_cost))
        while left and not (stop is not None and stop()):
            now = min(left, self._slice)
            start = time.perf_counter()
            self.timed(partial(sampler.advance, now), sampler.chains)
            spent = time.perf_counter() - start
            self._slice = max(1, int(now * min(8.0, SLICE / max(spent, 1e-6))))
            left -= now
            if sampler.diverged.any():
                self.diverged, self.moving = True, False
                break
        self._update()
        self.acceptance = float(getattr(sampler, "acceptance_rate", np.nan))


class MeasuredRunner(StreamRunner):
    """Runner of a stream sampler with random step costs: the mean cost so far determines the number of steps.

    ``step_cost`` is an estimate at first.
    """

    def __init__(self, sampler: Any, last: tuple[Any, ...], step_cost: float, step_size: float) -> None:
        super().__init__(sampler, last, max(step_cost, LEAST_COST), step_size)
        self._opening = self.evaluations

    def advance(self, target: float, stop: Callable[[], bool] | None = None) -> None:
        """See Runner."""
        while True:  # half of the remainder at a time
            now = self.evaluations
            super().advance(min(target, max(now + self.step_cost, 0.5 * (now + target))), stop)
            if not self.moving or (stop is not None and stop()):
                return
            self.step_cost = max((self.evaluations - self._opening) / self.steps, LEAST_COST)
            if self.evaluations + self.step_cost > target:
                return


class FixedRunner(Runner):
    """Runner of a fixed-data sampler on all t terms from the same start."""

    def __init__(self, sampler: OfflineSampler, setup: RaceSetup) -> None:
        points = np.array(np.broadcast_to(np.asarray(setup.start, float), (setup.chains, setup.problem.dim)))
        terms = terms_of(setup.problem, *(setup.data or (setup.t,)))
        plan = sampler.plan(terms.n)
        self._law, self.step_size = sampler.law(terms, points)
        # the first step includes a table or an anchor, some later steps an anchor
        self.step_cost, self.opening = float(plan.step_cost), float(plan.anchor_batch if plan.estimator else 0)
        self._chains = setup.chains

        def begin(points: np.ndarray) -> None:
            self._run = Run(terms, plan, points, setup.seed, "step_size", None, None)

        begin(points[:1])
        # the first call of a kernel loads or compiles it, which is not part of the cost
        self._run.go(self._law, int(self.opening + self.step_cost), 1)
        self.timed(lambda: begin(points), self._chains)
        self._update()

    def _update(self) -> None:
        walk = self._run.walk
        self.evaluations, self.steps = float(walk.evaluations.mean()), float(walk.steps.mean())
        self.positions = walk.position[:, :self._run.terms.dim].copy()

    def advance(self, target: float, stop: Callable[[], bool] | None = None) -> None:
        """See Runner."""
        run, before = self._run, self.evaluations
        run.stop, run.stopped = stop, False
        for budget in (target, target + self.opening + self.step_cost):  # the second if an anchor did not fit
            try:
                self.timed(partial(run.go, self._law, int(budget), int(budget)), self._chains)
            except OfflineDivergenceError:
                self.diverged, self.moving = True, False
            self._update()
            if run.stopped or self.diverged or self.evaluations > before:
                break


class FitRunner(Runner):
    """Runner of a Gaussian fit: its draws come at once, whatever the budget.

    Parameters
    ----------
    sampler : Laplace, WarmLaplace, OnlineLaplace or RecursiveVGA
        At the end of epoch t - 1.
    setup : RaceSetup
    evaluations, seconds : float
        Share of epoch t in the cost of earlier work.
    """

    moving = False

    def __init__(self, sampler: Any, setup: RaceSetup, evaluations: float = 0.0, seconds: float = 0.0) -> None:
        self._sampler, before, self.seconds = sampler, sampler.gradient_evaluations, seconds

        def fit() -> None:
            sampler.arrive(*setup.last)
            sampler.advance(1)

        self.timed(fit, 1)  # the fit is shared, and its whole cost is counted
        rng = np.random.default_rng([setup.seed, 7])
        self.positions = rng.multivariate_normal(sampler.mean, sampler.covariance, setup.chains, method="cholesky")
        self.evaluations = self.step_cost = float(sampler.gradient_evaluations - before) + evaluations
