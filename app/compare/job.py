"""The work of the page, as functions of a `JobHandle`: a race with its costs, Figure 1, the tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from dataclasses import replace

import numpy as np

from app.background_job import JobHandle
from app.compare.config import CompareConfig
from app.compare.notes import notes_of
from app.compare.picture import PaperPicture, RacePicture, TablesPicture
from app.compare.problems import CORESET, PROBLEMS, coreset_truth, rows_of
from sampler import GradientOracle, figure_one, race
from sampler.racing import CONTESTANTS, EpochCost, RaceSetup, epoch_costs, growth, prepare_race

COST_AT = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""Epochs whose cost is measured as the data arrive."""
COST_WORK = 2e8  # gradient evaluations; an epoch that would take more is left out
SIZES = (250, 500, 1_000, 2_000, 4_000, 8_000)
"""T of the tables."""
TABLE_CHAINS = 300
TABLE_WORK = 6e8  # gradient evaluations of all chains that a sampler may take at one T: some 3 s
GROUND, RACE = 0.06, 0.75  # share of the work that laying the ground takes, and the race
KEPT: dict[str, tuple[str, ...]] = {
    "online": ("saga", "sgld_quiet", "ula", "mala", "rwm", "saga_fixed", "cv_uld"),
    "fixed": ("ladder", "saga_fixed", "svrg", "svrg_plus", "cv_uld", "sgld_quiet", "ula", "rwm"),
}
"""Samplers of each table."""

Work = Callable[[JobHandle], object]


def work_of(config: CompareConfig, race: RacePicture | None, left: object, blocked: Container[str]) -> Work:
    """Return what Compare runs: Figure 1, the tables, or the race, of which what is known is kept.

    Pressed again when nothing is missing, the race is run anew.
    """
    if config.view == "paper":
        return paper_work(config)
    if config.view == "tables":
        return tables_work(config)
    same = (race is not None and race.ground is not None and race.config.raced == config.raced
            and config.problem != CORESET)
    again = same and race.raced and all(key in race.curves for key in config.samplers if key not in blocked)
    return race_work(config, left, race if same and not again else None)


def race_work(config: CompareConfig, left: object = None, kept: RacePicture | None = None) -> Work:
    """Return the work that races; with `kept`, a picture of the same race, only what it lacks is run."""
    def work(control: JobHandle) -> RacePicture:
        began = time.monotonic()
        ground = kept.ground if kept is not None else None
        picture = replace(kept, config=config, raced=False) if kept is not None else RacePicture(config)
        if ground is None:
            control.publish(picture, 0.01, f"Running the stream to t = {config.t - 1:,}, and finding the truth")
            ground = ground_of(config, left, lambda: control.stopped)
            if ground is None:
                return picture
            picture = replace(picture, ground=ground, notes=notes_of(ground))
        wanted = [key for key in config.samplers if not CONTESTANTS[key].refuses(ground.problem)]
        old = {key: curve for key, curve in picture.curves.items() if curve.finished}
        fresh = [key for key in wanted if key not in old]

        def show(curves: dict, fraction: float) -> None:
            nonlocal picture
            picture = replace(picture, curves=_ordered({**old, **curves}), seconds=time.monotonic() - began)
            done = sum(curve.finished for curve in curves.values())
            control.publish(picture, GROUND + (RACE - GROUND) * fraction,
                            f"Racing: {done} of {len(fresh)} samplers have spent their budget")

        show({}, 0.0)
        if fresh:
            seconds = config.seconds if config.budget == "seconds" else None
            curves = race(ground, fresh, config.evaluations, seconds, publish=show, stop=lambda: control.stopped)
            show(curves, 1.0)
        picture = replace(picture, raced=not control.stopped)
        if not control.stopped and config.problem != CORESET:
            picture = _with_costs(picture, control)
        return replace(picture, seconds=time.monotonic() - began)

    return work


def _ordered(curves: dict) -> dict:
    return {key: curves[key] for key in CONTESTANTS if key in curves}


def ground_of(config: CompareConfig, left: object = None, stop: Callable[[], bool] | None = None) -> RaceSetup | None:
    """Return the data, the start and the truth of a race; None when stopped."""
    if config.problem == CORESET:
        return prepare_race(left.problem, (), config.settings, config.chains, config.seed, terms=left.terms,
                          reference=coreset_truth(left), stop=stop)
    choice = PROBLEMS[config.problem]
    data = rows_of(choice, config.stream, config.t, config.seed)
    return prepare_race(choice.build(), data, config.settings, config.chains, config.seed, stop=stop)


def steps_of(picture: RacePicture) -> dict[str, int]:
    """Return sampler -> steps it took to the level (all it made, if it never got there): the epoch that is priced."""
    found = {}
    for key, curve in picture.curves.items():
        if curve.steps.size and not curve.diverged:
            reached = np.flatnonzero(curve.accuracy >= picture.level)
            found[key] = max(1, round(float(curve.steps[reached[0] if reached.size else -1])))
    return found


def _with_costs(picture: RacePicture, control: JobHandle) -> RacePicture:
    config, steps = picture.config, steps_of(picture)
    missing = {key: count for key, count in steps.items() if key not in picture.costs}
    if not missing:
        return picture
    choice = PROBLEMS[config.problem]
    data = rows_of(choice, config.stream, COST_AT[-1], config.seed, COST_AT[-1])

    def show(costs: dict[str, EpochCost], fraction: float) -> None:
        nonlocal picture
        picture = replace(picture, costs={**picture.costs, **costs})
        control.publish(picture, RACE + (1 - RACE) * fraction,
                        "Measuring what an epoch costs as the data arrive, up to t = 100,000")

    show({}, 0.0)
    found = epoch_costs(choice.build(), data, missing, config.settings, COST_AT, config.seed, COST_WORK,
                        publish=show, stop=lambda: control.stopped)
    show(found, 1.0)
    return picture


def paper_work(config: CompareConfig) -> Work:
    """Return the work that runs Figure 1."""
    def work(control: JobHandle) -> PaperPicture:
        picture = PaperPicture(config.steps)

        def show(figure: object, fraction: float) -> None:
            nonlocal picture
            picture = PaperPicture(config.steps, figure)
            done = 0 if figure is None else figure.ceiling.size
            control.publish(picture, fraction, f"Figure 1: {done} of 8 data sets done")

        control.publish(picture, 0.0, "Figure 1: 0 of 8 data sets done")
        figure = figure_one(config.steps, publish=show, stop=lambda: control.stopped)
        return PaperPicture(config.steps, figure)

    return work


def tables_work(config: CompareConfig) -> Work:
    """Return the work that measures evaluations against T."""
    def work(control: JobHandle) -> TablesPicture:
        choice = PROBLEMS[config.problem]
        problem = choice.build()
        assert not isinstance(problem, GradientOracle)
        keys = tuple(k for k in KEPT[config.table] if k not in CONTESTANTS or not CONTESTANTS[k].refuses(problem))
        picture = TablesPicture(config, config.table, SIZES, tried=keys)

        def make(t: int) -> tuple:
            return problem, rows_of(choice, config.stream, t, config.seed)

        def show(found: dict, fraction: float) -> None:
            nonlocal picture
            picture = replace(picture, growth=dict(found))
            control.publish(picture, fraction, "Racing to one accuracy at each T")

        show({}, 0.0)
        found = growth(make, SIZES, config.settings, keys, config.table == "fixed", TABLE_CHAINS, config.seed,
                       TABLE_WORK, publish=show, stop=lambda: control.stopped)
        return replace(picture, growth=dict(found))

    return work
