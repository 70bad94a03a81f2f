"""The race as a background job: setup, curves, and what an epoch costs as the data arrive."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from app.background_job import JobHandle
from app.compare.data_warnings import data_warnings
from app.compare.race_problems import coreset_truth, problem_of, refusals, rows_of
from app.compare.results import RaceFacts, RaceResult
from app.compare.sampler_names import name_of
from app.state.compare import CORESET, CompareConfig
from sampler import race
from sampler.racing import CONTESTANTS, EpochCost, RaceSetup, epoch_costs, prepare_race

COST_AT = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""Epochs whose cost is measured as the data arrive."""
COST_WORK = 2e8
"""Gradient evaluations; an epoch that would take more is left out."""
SETUP, RACE = 0.06, 0.75
"""Share of the progress that is shown at the end of the setup, and of the race."""
GRADIENT, LONGEST, COSTS = 5e-9, 4.0, 2.0
"""Seconds, roughly: of one gradient of the race, of a sampler that the race cuts, and of what the epoch costs take."""


def race_job(config: CompareConfig, kept: RaceResult | None = None) -> Callable[[JobHandle], RaceResult]:
    """Return the job that races; with `kept`, a result of the same race, only what it lacks is run."""
    def job(handle: JobHandle) -> RaceResult:
        began = time.monotonic()
        result = replace(kept, config=config, raced=False) if kept is not None else RaceResult(config)
        setup = result.setup
        if setup is None:
            handle.publish(result, 0.01, f"Running the stream to t = {config.t - 1:,}, and finding the truth",
                           foreseen=True)
            setup = setup_of(config, lambda: handle.stopped)
            if setup is None:
                return result
            result = replace(result, setup=setup, facts=RaceFacts.of(setup), warnings=data_warnings(setup))
        blocked = refusals(config)
        old = {key: curve for key, curve in result.curves.items() if curve.finished}
        fresh = [key for key in config.samplers if key not in blocked and key not in old]

        ahead = spent = 0.0

        def begins(key: str) -> None:
            handle.publish(result, SETUP + (RACE - SETUP) * spent, start_words(key, config),
                           work=(ahead * spent, ahead * (1 - spent) + COSTS * (config.problem != CORESET)))

        def show(curves: dict, fraction: float) -> None:
            nonlocal result, ahead, spent
            spent = fraction
            found = {**old, **curves}
            result = replace(result, curves={key: found[key] for key in CONTESTANTS if key in found},
                             seconds=time.monotonic() - began)
            ahead = race_seconds(config, [key for key in fresh if key not in curves or not curves[key].fixed])
            done = sum(curve.finished for curve in curves.values())
            handle.publish(result, SETUP + (RACE - SETUP) * fraction,
                           f"Racing side by side: {fraction:.0%} of the budgets spent, {done} of {len(fresh)} samplers done",
                           work=(ahead * fraction, ahead * (1 - fraction) + COSTS * (config.problem != CORESET)))

        show({}, 0.0)
        if fresh:
            seconds = config.seconds if config.budget == "seconds" else None
            show(race(setup, fresh, config.evaluations, seconds, publish=show, stop=lambda: handle.stopped,
                      goes=begins), 1.0)
        result = replace(result, raced=not handle.stopped)
        if not handle.stopped and config.problem != CORESET:
            result = _with_costs(result, handle, ahead)
        return replace(result, seconds=time.monotonic() - began)

    return job


def start_words(key: str, config: CompareConfig) -> str:
    """Return what is waited for before a sampler's first mark."""
    name = name_of(key, config)
    if key.startswith("nuts"):
        return f"{name} starts a process of its own, imports JAX and compiles there: up to half a minute"
    return f"{name} takes its first steps: on a new machine its kernels are compiled first"


def race_seconds(config: CompareConfig, keys: Sequence[str]) -> float:
    """Return roughly the seconds that these samplers take to race."""
    def spent(key: str) -> float:
        if config.budget == "seconds":
            return config.seconds * config.chains
        return min(LONGEST, config.evaluations * config.chains * CONTESTANTS[key].price * GRADIENT)

    return sum(map(spent, keys))


def setup_of(config: CompareConfig, stop: Callable[[], bool] | None = None) -> RaceSetup | None:
    """Return the data, the start and the truth of a race; None when stopped."""
    problem = problem_of(config)
    if config.problem == CORESET:
        return prepare_race(problem, (), config.settings, config.chains, config.seed, terms=config.coreset.terms,
                            reference=coreset_truth(config.coreset), stop=stop)
    return prepare_race(problem, rows_of(config, config.t), config.settings, config.chains, config.seed, stop=stop)


def steps_of(result: RaceResult) -> dict[str, int]:
    """Return sampler -> steps it took to the level (all it made, if it never got there): the epoch that is priced."""
    found = {}
    for key, curve in result.curves.items():
        if curve.steps.size and not curve.diverged and not CONTESTANTS[key].growth:
            reached = np.flatnonzero(curve.accuracy >= result.level)
            found[key] = max(1, round(float(curve.steps[reached[0] if reached.size else -1])))
    return found


def _with_costs(result: RaceResult, handle: JobHandle, before: float) -> RaceResult:
    """The costs of an epoch, after a race of so many seconds."""
    config = result.config
    missing = {key: count for key, count in steps_of(result).items() if key not in result.costs}
    if not missing:
        return result

    def show(costs: dict[str, EpochCost], fraction: float) -> None:
        nonlocal result
        result = replace(result, costs={**result.costs, **costs})
        handle.publish(result, RACE + (1 - RACE) * fraction,
                       "Measuring what an epoch costs as the data arrive, up to t = 100,000",
                       work=(before + COSTS * fraction, COSTS * (1 - fraction)))

    show({}, 0.0)
    show(epoch_costs(problem_of(config), rows_of(config, COST_AT[-1], COST_AT[-1]), missing, config.settings, COST_AT,
                     config.seed, COST_WORK, publish=show, stop=lambda: handle.stopped), 1.0)
    return result
