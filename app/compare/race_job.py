"""Background jobs of the page and their results: race with the cost of an epoch, Figure 1, the papers' tables."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from app.compare.race_problems import data_warnings, name_of, problem_of, refusals, rows_of
from app.jobs.background_job import JobHandle
from app.shipped_json import plain, restored, text
from app.state.compare import CORESET, CompareConfig
from sampler import figure_one, race
from sampler.metrics import Ceiling
from sampler.racing import (
    CONTESTANTS,
    EpochCost,
    FigureOne,
    Growth,
    RaceCurve,
    RaceSetup,
    epoch_costs,
    growth,
    over_seeds,
    prepare_race,
)
from sampler.reference import GaussianReference

SHORT = 0.045
"""Gap below the ceiling at which an accuracy counts as reached: 0.90 for 1,000 chains."""


@dataclass(frozen=True)
class RaceFacts:
    """Values of a race's setup for texts and figures."""

    t: int  #: epoch of the race
    kind: str  #: kind of the problem
    ceiling: Ceiling
    noise_share: float  #: SGLD's gradient noise over the injected noise; nan if unknown
    noise_equal_at: float  #: T at which they are equal
    condition: float  #: largest over smallest curvature at the truth's mean

    @classmethod
    def of(cls, setup: RaceSetup) -> "RaceFacts":
        """Return the facts of a setup."""
        curvatures = np.linalg.eigvalsh(setup.posterior.hessian(np.asarray(setup.reference.mean, float)))
        return cls(setup.t, setup.problem.kind, setup.ceiling, setup.noise_share, setup.noise_equal_at,
                   float(curvatures[-1] / curvatures[0]))


@dataclass(frozen=True, eq=False)
class RaceResult:
    """Current state of a race."""

    config: CompareConfig  #: configuration of the run
    facts: RaceFacts | None = None
    curves: dict[str, RaceCurve] = field(default_factory=dict)
    costs: dict[str, EpochCost] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()  #: warnings about the data
    seconds: float = 0.0  #: elapsed time
    raced: bool = False  #: whether all curves are finished
    shipped: str = ""  #: origin of a shipped result

    @property
    def level(self) -> float:
        """Target accuracy: 0.90, or SHORT below the ceiling if that is lower."""
        if self.facts is None:
            return 0.9
        return min(0.9, int((self.facts.ceiling.mean - SHORT + 0.002) * 100) / 100)

    def reached(self) -> dict[str, float]:
        """Return sampler -> evaluations until `level`, for samplers that reached it."""
        crossings = {key: curve.reaches(self.level) for key, curve in self.curves.items()}
        return {key: evaluations for key, evaluations in crossings.items() if evaluations is not None}


BOUNDS = {
    "online": {"saga": "polylog(T)", "sgld_quiet": "T", "ula": "T", "mala": "–", "rwm": "T", "saga_fixed": "T",
               "cv_uld": "T"},
    "fixed": {"ladder": "T + poly, LMV", "saga_fixed": "T + poly", "svrg": "n + √n, ZXG", "svrg_plus": "(n + √n) ∧ σ², ZXG",
              "cv_uld": "T + poly", "sgld_quiet": "T × poly; σ²/ε², ZXG", "ula": "T × poly", "rwm": "T × poly"},
}
"""Samplers of each table, with their bounds in LMV Tables 1 and 2 and ZXG Table 1."""


@dataclass(frozen=True, eq=False)
class TablesResult:
    """Evaluations until an accuracy, against T."""

    config: CompareConfig
    sizes: tuple[int, ...]
    growth: dict[str, Growth] = field(default_factory=dict)
    tried: tuple[str, ...] = ()  #: samplers of the run


def tables_subject(config: CompareConfig) -> tuple:
    """Return the part of a configuration that determines the tables."""
    return config.table, config.problem, config.stream, config.eta0, config.batch_size, config.seed


FILE = Path(__file__).with_name("shipped_results.json")


def to_json(race: RaceResult, figure: FigureOne, tables: Sequence[TablesResult], made: str) -> str:
    """Return results as JSON text, numbers with six digits; `made` is their origin."""
    return text(plain({
        "made": made,
        "race": {"facts": race.facts, "warnings": race.warnings, "seconds": race.seconds,
                 "curves": [plain(curve, "samples") for curve in race.curves.values()], "costs": list(race.costs.values())},
        "figure_one": figure,
        "tables": [{"table": one.table, "sizes": one.sizes, "tried": one.tried, "growth": list(one.growth.values())}
                   for one in tables]}))


@cache
def shipped_results() -> tuple[RaceResult, FigureOne, tuple[TablesResult, ...]]:
    """Return the shipped race, Figure 1 and both tables."""
    shipped = json.loads(FILE.read_text(encoding="utf-8"))
    race, facts, config = shipped["race"], shipped["race"]["facts"], CompareConfig()
    return (
        RaceResult(config, RaceFacts(**facts | {"ceiling": Ceiling(**facts["ceiling"])}),
                   {one["key"]: RaceCurve(**restored(one)) for one in race["curves"]},
                   {one["key"]: EpochCost(**restored(one)) for one in race["costs"]},
                   tuple(race["warnings"]), race["seconds"], True, shipped["made"]),
        FigureOne(**restored(shipped["figure_one"])),
        tuple(TablesResult(config.replace(table=one["table"]), tuple(one["sizes"]),
                           {row["key"]: Growth(**restored(row)) for row in one["growth"]}, tuple(one["tried"]))
              for one in shipped["tables"]))


COST_AT = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""Epochs at which the cost is measured."""
COST_WORK = 2e8
"""Maximum gradient evaluations; more expensive epochs are skipped."""
SETUP, RACE = 0.06, 0.75
"""Displayed progress at the end of the setup, and of the race."""


def run_race(config: CompareConfig, previous: RaceResult | None, handle: JobHandle) -> RaceResult:
    """Run a race; with a `previous` result of the same race, run only the missing samplers."""
    began = time.monotonic()
    result = replace(previous, config=config, raced=False) if previous is not None else RaceResult(config)
    setup = handle.kept["setup"][1] if handle.kept.get("setup", ("",))[0] == config.raced else None
    if setup is None:
        handle.publish(result, 0.01, f"Running the stream to t = {config.t - 1:,}, then the reference", foreseen=True)
        setup = setup_of(config, lambda: handle.stopped)
        if setup is None:
            return result
        handle.kept["setup"] = config.raced, setup
    result = replace(result, facts=RaceFacts.of(setup), warnings=data_warnings(setup))
    blocked = refusals(config)
    old = {key: curve for key, curve in result.curves.items() if curve.finished}
    fresh = [key for key in config.samplers if key not in blocked and key not in old]

    spent = 0.0  #: share of the budgets, advanced in step: the sampler furthest behind runs next

    def begins(key: str) -> None:
        handle.publish(result, SETUP + (RACE - SETUP) * spent, start_words(key, config), work=(spent, 1.0 - spent))

    def show(curves: dict, fraction: float) -> None:
        nonlocal result, spent
        spent, every = fraction, {**old, **curves}
        result = replace(result, curves={key: every[key] for key in CONTESTANTS if key in every},
                         seconds=time.monotonic() - began)
        done = sum(curve.finished for curve in curves.values())
        handle.publish(result, SETUP + (RACE - SETUP) * fraction,
                       f"Racing side by side: {fraction:.0%} of the budgets spent, {done} of {len(fresh)} samplers done",
                       work=(fraction, 1.0 - fraction))

    show({}, 0.0)
    if fresh:
        seconds = config.seconds if config.budget == "seconds" else None
        show(race(setup, fresh, config.evaluations, seconds, publish=show, stop=lambda: handle.stopped, goes=begins), 1.0)
    result = replace(result, raced=not handle.stopped)
    if not handle.stopped and config.problem != CORESET:
        result = _with_costs(result, handle)
    return replace(result, seconds=time.monotonic() - began)


def start_words(key: str, config: CompareConfig) -> str:
    """Return the message before a sampler's first mark."""
    name = name_of(key, config)
    if key.startswith("nuts"):
        return f"{name} imports JAX and compiles, for up to half a minute"
    return f"{name} starts; on a new machine its kernels are compiled first"


def setup_of(config: CompareConfig, stop: Callable[[], bool] | None = None) -> RaceSetup | None:
    """Return the data, the start and the reference posterior of a race; None if stopped."""
    problem = problem_of(config)
    if config.problem == CORESET:  # the reference is the full-data posterior: a normal law with its means and deviations
        coreset = config.coreset
        truth = GaussianReference(coreset.mean, np.diag(np.asarray(coreset.std) ** 2), coreset.terms, exact=False)
        return prepare_race(problem, (), config.settings, config.chains, config.seed, terms=config.coreset.terms,
                            reference=truth, stop=stop)
    return prepare_race(problem, rows_of(config, config.t), config.settings, config.chains, config.seed, stop=stop)


def steps_of(result: RaceResult) -> dict[str, int]:
    """Return sampler -> steps until `level`, or all its steps if it did not reach it: the epoch whose cost is measured."""
    steps = {}
    for key, curve in result.curves.items():
        if curve.steps.size and not curve.diverged and not CONTESTANTS[key].growth:
            reached = np.flatnonzero(curve.accuracy >= result.level)
            steps[key] = max(1, round(float(curve.steps[reached[0] if reached.size else -1])))
    return steps


def _with_costs(result: RaceResult, handle: JobHandle) -> RaceResult:
    """Return the race with the costs of an epoch."""
    config = result.config
    missing = {key: count for key, count in steps_of(result).items() if key not in result.costs}
    if not missing:
        return result

    def show(costs: dict[str, EpochCost], fraction: float) -> None:
        nonlocal result
        result = replace(result, costs={**result.costs, **costs})
        handle.publish(result, RACE + (1 - RACE) * fraction,
                       "Measuring the cost of an epoch as data arrive, up to t = 100,000", foreseen=True)

    show({}, 0.0)
    show(epoch_costs(problem_of(config), rows_of(config, COST_AT[-1], COST_AT[-1]), missing, config.settings, COST_AT,
                     config.seed, COST_WORK, publish=show, stop=lambda: handle.stopped), 1.0)
    return result


SIZES = (250, 500, 1_000, 2_000, 4_000, 8_000)
"""Values of T in the tables."""
DATA_SETS = 8
"""Number of data sets in Figure 1."""
CHAINS = 300
SEEDS = 3
"""Number of streams, each with its own chains, per slope."""
WORK = 6e8
"""Maximum gradient evaluations of all chains of a sampler at one T: about 3 s."""


def time_left_of(count: int, clock: Callable[[], float] = time.monotonic) -> Callable[[int], float | None]:
    """Return a function that maps the number of finished pieces to the remaining seconds of ``count`` equal pieces.

    It returns None during the first piece.
    """
    began, ends = clock(), {0: 0.0}

    def seconds_left(ended: int) -> float | None:
        now = clock() - began
        end = ends.setdefault(ended, now)
        return max(0.0, end * count / ended - now) if ended else None

    return seconds_left


def run_figure_one(steps: int, handle: JobHandle) -> FigureOne | None:
    """Run Figure 1; return None if stopped before its first data set is finished."""
    seconds_left = time_left_of(DATA_SETS)

    def show(figure: FigureOne | None, fraction: float) -> None:
        done = 0 if figure is None else figure.ceiling.size
        handle.publish(figure, fraction, f"Figure 1: {done} of {DATA_SETS} data sets done",
                       seconds_left(done), foreseen=True)

    show(None, 0.0)
    return figure_one(steps, DATA_SETS, publish=show, stop=lambda: handle.stopped)


def run_tables(config: CompareConfig, handle: JobHandle) -> TablesResult:
    """Measure evaluations against T."""
    problem, blocked = problem_of(config), refusals(config)
    keys = tuple(key for key in BOUNDS[config.table] if key not in blocked)
    result = TablesResult(config, SIZES, tried=keys)
    runs: list[dict] = []
    seconds_left = time_left_of(SEEDS)

    def show(growths: dict, fraction: float) -> None:
        nonlocal result
        result = replace(result, growth=over_seeds(runs) if runs else dict(growths))
        handle.publish(result, (len(runs) + fraction) / SEEDS,
                       f"Racing to one accuracy at each T, seed {len(runs) + 1} of {SEEDS}",
                       seconds_left(len(runs)), foreseen=True)

    show({}, 0.0)
    for seed in range(config.seed, config.seed + SEEDS):
        own = config.replace(seed=seed)
        growths = growth(lambda t, own=own: (problem, rows_of(own, t)), SIZES, config.settings, keys,
                         config.table == "fixed", CHAINS, seed, WORK, publish=show, stop=lambda: handle.stopped)
        if handle.stopped:
            return result
        runs.append(growths)
    return replace(result, growth=over_seeds(runs))
