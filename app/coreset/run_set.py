"""`CoresetRuns`: the runs of one page, advanced in time slices and stored between requests."""

import time
from collections.abc import Callable

import numpy as np

from app.coreset.models import MAKERS, OwnData, first_copy, model_of, rate_of
from app.coreset.result import CoresetPosterior, CoresetResult, DataPlane, RunTrace, posterior_of
from app.coreset.run_words import truth_notes, truth_words
from app.jobs.background_job import JobHandle
from app.plots.looks import optimizer_look
from app.state.coreset import MODELS, CoresetConfig, RunKey
from sampler import coreset

FEW = 50
"""Iterations between two checks for a stop."""
FIRST = 9
"""First iteration at which the hot-start statistic is informative."""


class SlicedRun:
    """A run with its failure, if any; ``begin()`` creates the run in the first slice."""

    def __init__(self, key: RunKey, begin: Callable[[], coreset.CoresetRun]) -> None:
        self.key, self._begin = key, begin
        self.run: coreset.CoresetRun | None = None
        self.fault = ""
        self.seconds = 0.0
        self._medians: dict[int, float] = {}
        self._statistics: dict[int, float] = {}

    @property
    def t(self) -> int:
        """Number of iterations done."""
        return 0 if self.run is None else self.run.t

    def advance(self, goal: int, seconds: float, stopped: Callable[[], bool]) -> None:
        """Advance to iteration ``goal``, for at most ``seconds``; store the message of a failure in `fault`."""
        began = time.monotonic()
        try:
            if self.run is None:
                self.run = self._begin()
            while self.run.t < goal and not stopped() and time.monotonic() - began < seconds:
                self.run.advance(min(FEW, goal - self.run.t), stopped)
        except ValueError as error:  # the likelihood is not finite or the weights diverged
            self.fault = str(error)
        self.seconds += time.monotonic() - began

    def trace(self) -> RunTrace:
        """Return the trace of the run so far."""
        run, t = self.run, self.t
        if t == 0:
            return RunTrace(self.key, seconds=self.seconds, fault=self.fault)
        at = np.unique([*run.history.iterations, t])
        sums = run.weight_sums[at - 1]
        exact = run.model.variance_ratio(1.0)
        spread = (run.variance_ratio_at(at) if exact is None
                  else np.array([run.model.variance_ratio(total * run.model.n) for total in sums]))
        history = run.history
        return RunTrace(
            self.key, t, at, run.z_score_at(at), spread, sums, self._norms(at),
            np.array(run.hot_start_checks, dtype=float).reshape(-1, 2), self._statistic(), np.array(history.iterations),
            np.array(history.rates).reshape(-1, 3), float(np.mean(run.weights == 0)), run.hot_start_iteration,
            run.hot_start_passed, run.likelihood_terms, self.seconds, tuple(run.notices), self.fault)

    def _statistic(self) -> np.ndarray:
        """Return the hot-start statistic at log-spaced iterations of the warm-up, (s, 2), denser than the checks; cached."""
        run, statistics = self.run, self._statistics
        if not self.key.hot:
            return np.empty((0, 2))
        end = run.t if run.hot_start_iteration is None else run.hot_start_iteration
        at = [t for t in sorted({*run.history.iterations, end}) if FIRST <= t <= end]
        potentials = run.log_potentials[:end]
        for t in at:
            if t not in statistics:
                statistics[t] = coreset.hot_start_statistic(potentials[:t])
        return np.array([(t, statistics[t]) for t in at]).reshape(-1, 2)

    def _norms(self, at: np.ndarray) -> np.ndarray:
        """Return the medians of the gradient norms over the iterations since the previous mark; cached."""
        norms, medians = self.run.gradient_norms, []
        for start, end in zip([0, *at[:-1]], at.tolist(), strict=True):
            if end not in self._medians:
                self._medians[end] = float(np.median(norms[start:end]))
            medians.append(self._medians[end])
        del self._medians[int(at[-1])]  # the last mark is the current iteration, not a fixed one
        return np.array(medians)


EVERY = 0.2
"""Seconds between two published results."""
SLICE = 0.05
"""Seconds of one run's time slice."""


def run_coreset(config: CoresetConfig, own: OwnData | None, handle: JobHandle) -> CoresetResult | None:
    """Advance every run of ``config`` to its iterations, continuing runs of the page's previous job."""
    return handle.kept.setdefault("runs", CoresetRuns()).run(config, first_copy(own, handle.kept), handle)


def train_posterior(config: CoresetConfig, own: OwnData | None, handle: JobHandle) -> CoresetPosterior | None:
    """Return the posterior of the displayed run's coreset, reusing runs of the page's previous job.

    Raises
    ------
    ValueError
        If all weights are zero, or the model has no gradients in theta (sparse regression).
    """
    run_coreset(config, own, handle)
    run = handle.kept["runs"].run_of(config, config.shown)
    if run is None or handle.stopped:
        return None
    label = f"Coreset of {MODELS[config.model].label}, M = {run.size:,}, {optimizer_look(config.shown.optimizer).name}"
    return posterior_of(run.coreset, label)


class CoresetRuns:
    """Storage of a page's runs; not thread-safe.

    A run is stored as long as the configuration includes it, so that more iterations, another optimizer or another view
    of the points cost only the additional work.
    """

    def __init__(self) -> None:
        self._model: coreset.GaussianLocation | None = None
        self._runs: dict[tuple, SlicedRun] = {}
        self._planes: dict[str, DataPlane] = {}

    def run(self, config: CoresetConfig, own: OwnData | None, handle: JobHandle) -> CoresetResult | None:
        """Advance every run of ``config`` to its iterations; return None if stopped before there is a model."""
        model = model_of(config, own and own.model, lambda words, part: handle.publish(None, part, words),
                         lambda: handle.stopped)
        if model is None:
            return None
        if model is not self._model:
            self._model, self._runs, self._planes = model, {}, {}
        with np.errstate(over="ignore", invalid="ignore"):  # runs that diverge are reported in notes
            return self._advance(self._begin(config), config, handle)

    def run_of(self, config: CoresetConfig, key: RunKey) -> coreset.CoresetRun | None:
        """Return a run that has started, or None; do not use it while a job is running."""
        run = self._runs.get(self._identity(config, key))
        return None if run is None else run.run

    def _advance(self, runs: list[SlicedRun], config: CoresetConfig, handle: JobHandle) -> CoresetResult:
        shown = 0.0
        while not handle.stopped:
            behind = [run for run in runs if run.t < config.iterations and not run.fault]
            if not behind:
                break
            run, ahead = min(behind, key=lambda run: run.t), max(other.t for other in behind)
            goal = max(ahead, run.t + 20, int(1.2 * run.t))  # the furthest run, or 20 % further
            run.advance(min(goal, config.iterations), SLICE, lambda: handle.stopped)
            if time.monotonic() - shown > EVERY:
                shown = time.monotonic()
                sound = [run.t for run in runs if not run.fault]
                handle.publish(self._result(config, runs), sum(sound) / max(1, config.iterations * len(sound)),
                               _progress_words(runs, config))
        return self._result(config, runs)

    def _begin(self, config: CoresetConfig) -> list[SlicedRun]:
        identities = {self._identity(config, key): key for key in config.keys}
        runs = {identity: run for identity, run in self._runs.items() if identity in identities}
        for identity, key in identities.items():
            if identity not in runs:
                runs[identity] = SlicedRun(key, lambda key=key: self._start(config, key))
        self._runs = runs
        return [runs[identity] for identity in identities]

    def _start(self, config: CoresetConfig, key: RunKey) -> coreset.CoresetRun:
        model = self._model
        autoregressive = isinstance(model, coreset.GaussianLocation) and config.kernel == "ar"
        kernel = coreset.GaussianKernel(coreset.PAPER_MEMORY) if autoregressive else None
        hot = coreset.HotStart(threshold=config.threshold, cap=config.cap) if key.hot else False
        optimizer = MAKERS[key.optimizer](rate_of(key.optimizer, config))
        return coreset.CoresetMCMC(model, config.size, optimizer, config.chains, config.drawn, hot, kernel, config.start,
                                   config.seed).start()

    @staticmethod
    def _identity(config: CoresetConfig, key: RunKey) -> tuple:
        """Return everything that determines a run, except the data."""
        hot = (config.threshold, config.cap) if key.hot else ()
        return (key, rate_of(key.optimizer, config), config.size, config.drawn, config.chains, hot, config.start,
                config.kernel, config.seed)

    def _result(self, config: CoresetConfig, runs: list[SlicedRun]) -> CoresetResult:
        model = self._model
        if config.view not in self._planes:
            self._planes[config.view] = DataPlane(model, config.view)
        view = self._planes[config.view]
        traces = tuple(run.trace() for run in runs if run.run is not None or run.fault)
        focus = next((run for run in runs if run.key == config.shown and run.run is not None), None)
        floor = None
        if isinstance(model, coreset.GaussianLocation) and config.drawn < model.n:
            floor = float(coreset.gaussian_floor(model.n, config.drawn, model.dim, 1.0))
        return CoresetResult(
            config, model.title, model.n, model.dim, truth_words(model.truth), floor, model.truth.noise, traces,
            None if focus is None else view.points(focus.run.points, focus.run.weights), truth_notes(model.truth),
            not isinstance(model, coreset.SparseRegression))


def _progress_words(runs: list[SlicedRun], config: CoresetConfig) -> str:
    waiting = sum(run.run is not None and run.run.hot_start_iteration is None and not run.fault for run in runs)
    slowest = min((run.t for run in runs if not run.fault), default=0)
    words = f"{slowest:,} of {config.iterations:,} iterations"
    return f"{words}, warming up" if waiting else words
