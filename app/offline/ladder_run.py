"""`run_ladder`: background job of Algorithm 3 with all frames, and accuracies at the end of every rung."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from app.canvas.contours import ellipses, level_sets, thin_loop
from app.jobs.background_job import JobHandle
from app.state.offline import LadderConfig
from sampler import LogisticRegression, OfflineSagaLD, SagaLD, find_mode, synthetic_stream
from sampler.algorithms import OfflineDivergenceError, temperature_ladder
from sampler.metrics import equivalent_draws, exact_ceiling, uniform_accuracy
from sampler.reference import tempered_reference


@dataclass(frozen=True, eq=False)
class RungTruth:
    """The target pi^beta, computed on a grid (d = 2) or from draws."""

    beta: float
    mean: np.ndarray  #: (d,)
    covariance: np.ndarray  #: (d, d)
    ceiling: float  #: accuracy of exact draws, one per chain
    ceiling_sd: float
    draws: float | None  #: number of effective draws; None for a grid
    loops: tuple[np.ndarray, ...] = ()  #: exact contours, d = 2 only
    cdf: Callable[[np.ndarray], np.ndarray] | None = None  #: (n, d) -> (n, d) marginal distribution functions

    def contours(self, projection: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the contours (64, 2) of 50, 90 and 99 % probability in the plane of the (d, 2) projection.

        For d > 2 they are ellipses with the draws' mean and covariance.
        """
        loops = [loop @ projection for loop in self.loops] or ellipses(
            self.mean @ projection, projection.T @ self.covariance @ projection)
        return tuple(thin_loop(loop) for loop in loops)


def truth_of(posterior: object, beta: float, chains: int, stop: Callable[[], bool] | None = None) -> RungTruth | None:
    """Return the target at beta; None if stopped."""
    reference = tempered_reference(posterior, beta, DRAWS, stop=stop)
    if reference is None:
        return None
    on_grid = reference.ess is None
    ceiling = exact_ceiling(chains, posterior.dim, None if on_grid else reference.ceiling_draws)
    return RungTruth(beta, reference.mean, reference.covariance, ceiling.mean, ceiling.sd,
                     None if on_grid else equivalent_draws(reference.ess), level_sets(reference) if on_grid else (),
                     reference.cdf)


FRAMES = 60
"""Maximum number of stored frames per rung."""
WORK = 6_000_000_000
"""Maximum number of gradient coordinates evaluated in a run: about a minute on one core."""
MEMORY = 400_000_000
"""Maximum size of cached gradients and frames, bytes."""
EVERY = 0.1
"""Seconds between two publications."""
DRAWS = 1600
PLAIN_TIME = 0.6
"""Time of the same steps without the ladder over that of the climb, which also refills the caches: 0.4 to 0.8."""
QUICK = 1024
"""Largest number of data for which the grids of all rungs are computed before the chains run."""


@dataclass(frozen=True, eq=False)
class LadderRun:
    """A run up to its last computed frame."""

    config: LadderConfig  #: configuration with the actual number of chains
    betas: tuple[float, ...]  #: (R,) inverse temperatures
    per_rung: int  #: frames per rung, F; frame 0 is the start, frame k F the end of rung k
    mode: np.ndarray  #: (d,) mode at beta = 1
    covariance: np.ndarray  #: (d, d) Laplace's, at beta = 1
    curvatures: tuple[float, float]  #: smallest and largest eigenvalue of F's Hessian at the mode, over T
    frames: tuple[np.ndarray, ...] = ()  #: (K, d) float32 each
    evaluations: tuple[float, ...] = ()  #: gradient evaluations of one chain, at each frame
    steps: tuple[float, ...] = ()  #: steps of one chain, at each frame
    truths: tuple[RungTruth, ...] = ()  #: targets of the first rungs, as far as computed
    accuracies: tuple[float, ...] = ()  #: accuracy at the end of each rung against its own target, as far as computed
    plain: float | None = None  #: accuracy at beta = 1 throughout: same start, same step size, same number of steps
    plain_evaluations: int = 0  #: gradient evaluations of one chain at beta = 1 throughout
    notes: tuple[str, ...] = ()
    trouble: str = ""  #: reason why the chains stopped; empty if they did not
    complete: bool = False  #: whether the job has ended

    @property
    def rungs(self) -> int:
        """Number of rungs, R = ceil(log2 T + 1)."""
        return len(self.betas)

    @property
    def last(self) -> int:
        """Index of the last available frame, -1 for none."""
        return len(self.frames) - 1

    @property
    def total(self) -> int:
        """Index of the last frame of a complete run."""
        return self.rungs * self.per_rung

    @property
    def cost(self) -> int:
        """Gradient evaluations of one chain in a complete run."""
        return sampler_of(self.config).cost(self.config.terms)

    @property
    def full_cost(self) -> int:
        """Gradient evaluations of the same number of steps with all T gradients each."""
        return self.config.terms * self.config.i_max * self.rungs

    def rung(self, frame: int) -> int:
        """Return the rung of a frame, from 0."""
        return min(max(0, math.ceil(frame / self.per_rung) - 1), self.rungs - 1)

    def accuracy(self, rung: int) -> float | None:
        """Return the accuracy at the end of a rung, or None if it has not been computed."""
        return self.accuracies[rung] if rung < len(self.accuracies) else None

    def end(self, rung: int) -> np.ndarray | None:
        """Return the positions (K, d) at the end of a rung, or None before its end."""
        frame = (rung + 1) * self.per_rung
        return self.frames[frame] if frame <= self.last else None


def sampler_of(config: LadderConfig) -> OfflineSagaLD:
    """Return Algorithm 3 with the settings of a configuration."""
    return OfflineSagaLD(config.eta0, config.batch_size, config.i_max)


def affordable(config: LadderConfig) -> tuple[LadderConfig, tuple[str, ...]]:
    """Return the configuration with at most as many chains as WORK and MEMORY allow, and notes about the change."""
    cost, rungs = sampler_of(config).cost(config.terms), len(temperature_ladder(config.terms))
    frames = 12 * config.dim * rungs * min(FRAMES, config.i_max)  # float64 with its path mean, then float32
    most = max(16, min(WORK // (cost * config.dim), MEMORY // (8 * config.terms + frames)))
    if config.chains <= most:
        return config, ()
    return config.replace(chains=int(most)), (
        f"{most:,} chains instead of {config.chains:,}: more chains of {cost:,} gradients each would take too long.",)


def start_of(config: LadderConfig) -> np.ndarray | None:
    """Return the cold start (d,), a point on the diagonal; None for draws from the prior."""
    return np.full(config.dim, config.start / math.sqrt(config.dim)) if config.start > 0 else None


def run_ladder(config: LadderConfig, handle: JobHandle) -> LadderRun:
    """Run the ladder, then compute the targets and the run without it; publish a `LadderRun` every EVERY seconds."""
    config, notes = affordable(config)
    stream = synthetic_stream("logistic", config.dim, "paper", config.terms, config.seed)
    problem = LogisticRegression(config.dim)
    posterior = problem.posterior(stream.features, stream.labels)
    mode = find_mode(posterior)
    hessian = posterior.hessian(mode)
    values = np.linalg.eigvalsh(hessian) / config.terms
    run = LadderRun(config, temperature_ladder(config.terms), min(FRAMES, config.i_max), mode, np.linalg.inv(hessian),
                    (float(values[0]), float(values[-1])), notes=notes)
    if config.dim <= 2 and config.terms <= QUICK:  # fast enough to draw every rung with its target
        for beta in run.betas:
            if handle.stopped:
                return run
            run = replace(run, truths=(*run.truths, truth_of(posterior, beta, config.chains)))
    at_once = bool(run.truths)
    run = _climb(run, problem, stream, handle)
    while len(run.truths) < run.rungs and not handle.stopped:
        truth = truth_of(posterior, run.betas[len(run.truths)], config.chains, lambda: handle.stopped)
        if truth is None:
            break
        run = scored(replace(run, truths=(*run.truths, truth)))
        handle.publish(run, (1.0 + len(run.truths) / run.rungs) / 3.0,
                       f"Drawing the target of rung {len(run.truths)} of {run.rungs}.", foreseen=True)
    if not run.trouble and not handle.stopped:
        handle.time_anew()

        def progress(part: float, checkpoint: object) -> None:
            share = (1.0 + part) / 2.0 if at_once else (2.0 + part) / 3.0
            handle.publish(None, share, "The same chains without the ladder.", work=(part, 1.0 - part))

        run = _without_ladder(run, problem, stream, handle, progress)
    return replace(run, complete=True)


def _climb(run: LadderRun, problem: LogisticRegression, stream: object, handle: JobHandle) -> LadderRun:
    frames, evaluations, steps, published = [], [], [], 0.0
    at_once = bool(run.truths)  # otherwise the time for drawing the targets is unknown

    def publish(part: float) -> None:
        words = f"Rung {run.rung(max(len(frames) - 1, 0)) + 1} of {run.rungs}."
        handle.publish(so_far(), part / 2.0 if at_once else part / 3.0, words, foreseen=not at_once,
                       work=(part, 1.0 + PLAIN_TIME - part))

    def keep(part: float, checkpoint: object) -> None:
        nonlocal published
        if checkpoint is not None:
            frames.append(checkpoint.positions.astype(np.float32))
            evaluations.append(checkpoint.evaluations / run.config.chains)
            steps.append(float(checkpoint.steps.mean()))
        now = time.monotonic()
        if frames and now - published > EVERY:
            published = now
            publish(part)

    def so_far() -> LadderRun:
        nonlocal run
        run = scored(replace(run, frames=tuple(frames), evaluations=tuple(evaluations), steps=tuple(steps)))
        return run

    try:
        sampler_of(run.config).sample(
            problem, stream.features, stream.labels, chains=run.config.chains, seed=run.config.seed,
            start=start_of(run.config), frames=run.per_rung, progress=keep, stop=lambda: handle.stopped)
    except OfflineDivergenceError as error:
        return replace(so_far(), trouble=str(error))
    publish(1.0)
    return so_far()


def _without_ladder(run: LadderRun, problem: LogisticRegression, stream: object, handle: JobHandle,
                    progress: Callable[[float, object], None]) -> LadderRun:
    """Run the same chains at beta = 1 throughout, from the same start with the same number of steps."""
    config, n = run.config, run.config.terms
    budget = n + config.batch_size * config.i_max * run.rungs
    try:
        result = SagaLD(config.eta0 / n, config.batch_size).sample(
            problem, stream.features, stream.labels, passes=budget / n, record=[budget / n], chains=config.chains,
            seed=config.seed, start=start_of(config), progress=progress, stop=lambda: handle.stopped)
    except OfflineDivergenceError:
        return replace(run, plain=0.0, plain_evaluations=budget)
    if result.stopped:
        return run
    accuracy = uniform_accuracy(run.truths[-1].cdf(result.positions))
    return replace(run, plain=accuracy, plain_evaluations=result.gradient_evaluations // config.chains)


def scored(run: LadderRun) -> LadderRun:
    """Return the run with accuracies of all rungs with available chains and target."""
    accuracies = list(run.accuracies)
    for truth in run.truths[len(accuracies):]:
        end = run.end(len(accuracies))
        if end is None:
            break
        accuracies.append(uniform_accuracy(truth.cdf(end.astype(float))))
    return replace(run, accuracies=tuple(accuracies))
