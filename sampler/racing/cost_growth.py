"""Evaluations to reach an accuracy against T, with log-log slopes: the tables of the papers, measured.

LMV Table 1 (online): cost of epoch T for chains that start at a typical point of the target.
LMV Table 2 and ZXG Table 1 (fixed data): cost of a sample for chains with a cold start on all T data.

Also the cost of one epoch of a stream: gradient evaluations and seconds against t.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.offline_langevin import OfflineSagaLD
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.results import DivergenceError
from sampler.arguments import (
    LARGEST,
    SMALLEST,
    choice,
    positive_number,
    real_array,
    rising,
    seed_number,
    several,
    shown,
    switch,
    whole_number,
)
from sampler.problems.base import Problem
from sampler.problems.data_check import check_pair, check_problem
from sampler.racing.accuracy_race import Curves, race
from sampler.racing.contestants import CONTESTANTS
from sampler.racing.race_setup import RaceSetup, memories_of, prepare_race
from sampler.settings import Settings, checked_settings

WORK = 4e8  # limit on the gradient evaluations of one epoch of one chain, or of all chains at one T
BETWEEN = 4  # maximum number of steps per epoch between measured t

MOST_ROWS = 2**40


@dataclass(frozen=True, eq=False)
class EpochCost:
    """Cost of one epoch of one chain, (m,) arrays: evaluations and processor seconds of ``steps`` steps at each t."""

    key: str
    steps: int
    t: np.ndarray
    evaluations: np.ndarray
    seconds: np.ndarray

    def columns(self) -> dict[str, np.ndarray]:
        """Return the points by name, (m,) arrays."""
        return {"t": self.t, "steps": np.full(len(self.t), self.steps), "evaluations": self.evaluations,
                "seconds": self.seconds}

    @property
    def slope(self) -> float | None:
        """Slope of log evaluations against log t; None for fewer than three points."""
        return log_log_slope(self.t, self.evaluations)


def log_log_slope(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return the least-squares slope of log y against log x; None for fewer than three points.

    Parameters
    ----------
    x, y : (m,) arrays, > 0

    Raises
    ------
    ValueError
        For numbers that are not positive, and for different lengths.
    """
    wanted, advice = "positive numbers of shape (m,)", "leave out what was not measured"
    x, y = real_array("x", x, wanted, advice), real_array("y", y, wanted, advice)
    for name, values in (("x", x), ("y", y)):
        if values.ndim != 1 or not np.all((values >= SMALLEST) & (values <= LARGEST)):
            raise ValueError(f"{name} must be positive, from {SMALLEST:g} to {LARGEST:g}, of shape (m,), got "
                             f"{shown(values)}; {advice}")
    if x.size != y.size:
        raise ValueError(f"x and y must be positive and of one length, got shapes {x.shape} and {y.shape}; {advice}")
    if x.size < 3:
        return None
    across = np.log(x)
    if np.ptp(across) < 1e-9:
        raise ValueError(f"x must have distinct values, got {shown(x)}; a slope needs at least two")
    return float(np.polyfit(across, np.log(y), 1)[0])


def epoch_costs(problem: Problem, data: tuple[Any, ...], steps: Mapping[str, int], settings: Settings, at: Sequence[int],
                seed: int = 0, work: float = WORK, publish: Callable[[dict[str, EpochCost], float], None] | None = None,
                stop: Callable[[], bool] | None = None) -> Curves:
    """Run one epoch of each sampler at each t with one chain; return a dict of EpochCost, with ``to_dataframe()``.

    Samplers with memory run through the whole stream, at most 4 steps per epoch between two measured ones; the others
    store only the rows and are started at each t.

    Parameters
    ----------
    problem, data
        Rows of the whole stream.
    steps : dict of str to int
        Key of CONTESTANTS -> steps of the measured epochs.
    settings : Settings
    at : sequence of int
        Epochs to measure, increasing, from 2 to the number of rows.
    work : float
        A sampler is omitted from the t on at which its epoch would take more gradient evaluations, each weighted by
        ``Contestant.price``; a sampler with ``Contestant.growth`` is omitted at every t.
    seed : int >= 0
        The same seed gives the same evaluations.
    publish : callable, optional
        ``publish(costs, fraction)``, called after each t.
    stop : callable, optional
        True ends early.

    Raises
    ------
    ValueError
        For a GradientOracle, and for ``at`` that does not increase.
    """
    check_problem(problem)
    check_pair(problem, data)
    if not len(data):
        raise ValueError("data must hold the rows of a stream, got none; a GradientOracle reveals one fixed set of terms")
    at = rising("at", at, 2, len(data[0]))
    if not isinstance(steps, Mapping):
        raise ValueError(f"steps must be a mapping of samplers to numbers of steps, got {shown(steps)}; "
                         "for example {'ula': 100}")
    steps = {choice("steps", key, tuple(CONTESTANTS)): whole_number("steps", count) for key, count in steps.items()}
    settings, seed = checked_settings(settings), seed_number(seed)
    work = positive_number("work", work, 1e15, "8e8 is about 4 s of one core")
    points: dict[str, list[tuple[int, float, float]]] = {key: [] for key in steps}
    memories: dict[type[Any], Any] = {}
    first = problem.posterior(*(part[:at[0]] for part in data))
    curvature = float(np.linalg.eigvalsh(first.hessian(np.zeros(problem.dim)))[-1] / at[0])  # the largest at zero, per datum

    def costs() -> Curves:
        return Curves({key: EpochCost(key, steps[key], *np.array(rows, float).reshape(-1, 3).T)
                       for key, rows in points.items() if rows})

    for i, t in enumerate(at):
        memories = _memories_at(problem, data, t, settings, seed, memories)
        chain = memories.get(OnlineSagaLD)
        start = np.zeros(problem.dim) if chain is None else chain.positions[0]
        setup = RaceSetup(problem, tuple(part[:t] for part in data), t, settings, 1, seed, start, curvature * t, memories)
        for key, count in steps.items():
            if stop is not None and stop():
                return costs()
            if CONTESTANTS[key].growth:
                continue
            before = points[key][-1] if points[key] else None
            if i and (before is None or before[1] * CONTESTANTS[key].price * t / before[0] > work):
                continue
            try:
                runner = CONTESTANTS[key].begin(setup)
            except ValueError:
                continue
            while runner.moving and runner.steps < count:
                short = (count - runner.steps) * runner.step_cost
                runner.advance(runner.evaluations + short, stop)
            points[key].append((t, runner.evaluations, runner.seconds))
        if publish is not None:
            publish(costs(), t / at[-1])
    return costs()


def _memories_at(problem: Problem, data: tuple[Any, ...], t: int, settings: Settings, seed: int,
                 memories: dict[type[Any], Any]) -> dict[type[Any], Any]:
    """Return the samplers with memory at the end of epoch t - 1."""
    if not memories:
        memories, _ = memories_of(problem, data, t, settings, seed)
        for sampler in memories.values():
            sampler.settings = sampler.settings.replace(i_max=BETWEEN)
        return memories
    for kind, sampler in list(memories.items()):
        try:
            sampler.observe(*(part[sampler.t:t - 1] for part in data))
        except DivergenceError:
            del memories[kind]
    return memories


ONLINE = ("saga", "sgld_quiet", "ula", "mala", "rwm", "saga_fixed", "cv_uld")
COLD = ("ladder", "saga_fixed", "svrg", "svrg_plus", "cv_uld", "sgld_quiet", "ula", "rwm")
LADDER = "ladder"  # LMV Algorithm 3
SHORT_OF_CEILING = 0.045  # of the accuracy to reach: 0.90 for 1,000 exact chains
BUDGET = 4_000.0  # maximum number of passes over the data


@dataclass(frozen=True, eq=False)
class Growth:
    """Evaluations per chain to reach the accuracy at each T, (m,) arrays, without T at which it was not reached.

    ``slopes`` (r,) are those of r separate seeds; empty for a single seed.
    """

    key: str
    t: np.ndarray
    evaluations: np.ndarray
    slopes: np.ndarray = field(default_factory=lambda: np.empty(0))

    def columns(self) -> dict[str, np.ndarray]:
        """Return the points by name, (m,) arrays."""
        return {"t": self.t, "evaluations": self.evaluations}

    @property
    def slope(self) -> float | None:
        """Slope of log evaluations against log T; None for fewer than three points."""
        return log_log_slope(self.t, self.evaluations)

    @property
    def slope_error(self) -> float | None:
        """Standard error of the slope, from the slopes of the seeds; None for fewer than two seeds."""
        slopes = np.asarray(self.slopes, float)
        return float(slopes.std(ddof=1) / np.sqrt(slopes.size)) if slopes.size > 1 else None


def over_seeds(runs: Sequence[dict[str, Growth]]) -> Curves:
    """Combine several seeds: geometric means at every T that all of them reached, and each seed's slope.

    Parameters
    ----------
    runs : sequence of dict
        One result of `growth` per seed.
    """
    means = Curves()
    for key in dict.fromkeys(key for run in runs for key in run):
        each = [run[key] for run in runs if key in run]
        t = reduce(np.intersect1d, [one.t for one in each])
        if len(each) < len(runs) or not t.size:
            continue
        spent = np.array([one.evaluations[np.isin(one.t, t)] for one in each])
        slopes = [log_log_slope(t, row) for row in spent] if len(runs) > 1 and t.size > 2 else []
        means[key] = Growth(key, t, np.exp(np.log(spent).mean(axis=0)), np.array(slopes, float))
    return means


def growth(make: Callable[[int], tuple[Any, ...]], sizes: Sequence[int], settings: Settings,
           keys: Sequence[str] | None = None,
           cold: bool = False, chains: int = 500, seed: int = 0, work: float = WORK,
           publish: Callable[[dict[str, Growth], float], None] | None = None,
           stop: Callable[[], bool] | None = None) -> Curves:
    """Race to the same accuracy at each T; return a dict of Growth by sampler, with ``to_dataframe()``.

    Parameters
    ----------
    make : function
        ``make(T) -> (problem, data)``.
    sizes : sequence of int
        T, increasing.
    settings : Settings
        Of SAGA-LD. SGLD's step size is reduced so that its gradient noise stays at a tenth of the injected noise;
        otherwise it would not reach the accuracy from some T on.
    keys : sequence of str, optional
        Of ONLINE, or with ``cold`` of COLD; None uses all that run on the problem.
    cold : bool
        Start at zero, without an earlier stream, instead of one standard deviation from the mode.
    chains, seed : int
    work : float
        Limit on the gradient evaluations of all chains of a sampler together at one T; three times that for Algorithm
        3, which is run at several i_max.
    publish : callable, optional
        ``publish(growths, fraction)``, called after each sampler.
    stop : callable, optional
        True ends early.

    Raises
    ------
    ValueError
        For an unknown sampler.
    """
    if not callable(make):
        raise ValueError(f"make must be a function of T, got {shown(make)}; it returns (problem, data)")
    sizes = rising("sizes", sizes, 2, MOST_ROWS)
    settings, chains, seed = checked_settings(settings), whole_number("chains", chains, 2, 1_000_000), seed_number(seed)
    work = positive_number("work", work, 1e15, "8e8 is about 4 s of one core")
    family = COLD if switch("cold", cold) else ONLINE
    keys = family if keys is None else tuple(choice("keys", key, family) for key in several("keys", keys))
    points: dict[str, list[tuple[int, float]]] = {key: [] for key in keys}

    def grown() -> Curves:
        return Curves({key: Growth(key, *np.array(rows, float).reshape(-1, 2).T) for key, rows in points.items() if rows})

    count = 0
    for t in sizes:
        made = make(t)
        if not isinstance(made, tuple | list) or len(made) != 2:
            raise ValueError(f"make must return (problem, data), got {shown(made)}; data are (features, labels)")
        problem, data = made
        setup = prepare_race(problem, data, settings, chains, seed, stop=stop)
        if setup is None:
            break
        setup = replace(setup, start=np.zeros(problem.dim) if cold else _typical(setup, seed))
        level = setup.ceiling.mean - SHORT_OF_CEILING
        for key in keys:
            if stop is not None and stop():
                return grown()
            if key == LADDER:
                reached = _ladder(setup, level, work, stop)
            elif CONTESTANTS[key].refuses(problem):
                reached = None
            else:
                sure = level + 2.0 * setup.ceiling.sd  # beyond the level, so that the smoothed curve crosses it
                curve = race(setup, [key], BUDGET * t, work=work, until=sure, stop=stop)[key]
                reached = curve.reaches(level)
            if reached is not None:
                points[key].append((t, reached))
            count += 1
            if publish is not None:
                publish(grown(), count / (len(keys) * len(sizes)))
    return grown()


def _typical(setup: RaceSetup, seed: int) -> np.ndarray:
    """Return a typical point of the posterior, the same in standard units at every T to reduce noise."""
    z: np.ndarray = np.random.default_rng([seed, 11]).standard_normal(setup.problem.dim)
    z *= np.sqrt(z.size) / np.linalg.norm(z)
    return setup.reference.mean + np.linalg.cholesky(setup.reference.covariance) @ z


def _ladder(setup: RaceSetup, level: float, work: float, stop: Callable[[], bool] | None) -> float | None:
    """Return the least cost to reach the accuracy by LMV Algorithm 3, over i_max = 25, 40, ...; None beyond the work."""
    spent, i_max = 0, 25
    while spent < 3 * work and not (stop is not None and stop()):
        ladder = OfflineSagaLD(setup.settings.eta0, setup.settings.batch_size, i_max)
        run = ladder.sample(setup.problem, *(setup.data or (setup.t,)), chains=setup.chains, seed=setup.seed,
                            start=setup.start, stop=stop)
        if run.stopped:
            return None
        spent += run.gradient_evaluations
        if setup.score(run.positions) >= level:
            return float(run.gradient_evaluations / setup.chains)
        i_max = math.ceil(1.6 * i_max)
    return None
