"""Evaluations to reach an accuracy against T, with log-log slopes: the tables of the papers, measured.

LMV Table 1 (online): the chains stand where a sample of the target may stand; what does epoch T take?
LMV Table 2 and ZXG Table 1 (fixed data): all T data are there, the chains start cold; what does one sample take?

And the cost of one epoch as the data arrive: gradient evaluations and seconds against t.
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

WORK = 4e8  # gradient evaluations of one epoch of one chain beyond which it is not measured, or of all chains at one T
BETWEEN = 4  # most steps an epoch on the way from one measured t to the next

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
        """Its points by name, (m,) arrays."""
        return {"t": self.t, "steps": np.full(len(self.t), self.steps), "evaluations": self.evaluations,
                "seconds": self.seconds}

    @property
    def slope(self) -> float | None:
        """Of log evaluations against log t; None below three points."""
        return log_log_slope(self.t, self.evaluations)


def log_log_slope(x: ArrayLike, y: ArrayLike) -> float | None:
    """Least-squares slope of log y against log x; None when there are fewer than three points.

    Parameters
    ----------
    x, y : (m,) arrays, > 0

    Raises
    ------
    ValueError
        For numbers that are not positive, and lengths that differ.
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
        raise ValueError(f"x must hold different numbers, got {shown(x)}; a slope needs two places")
    return float(np.polyfit(across, np.log(y), 1)[0])


def epoch_costs(problem: Problem, data: tuple[Any, ...], steps: Mapping[str, int], settings: Settings, at: Sequence[int],
                seed: int = 0, work: float = WORK, publish: Callable[[dict[str, EpochCost], float], None] | None = None,
                stop: Callable[[], bool] | None = None) -> Curves:
    """Open and run one epoch of each sampler at each t, on one chain; a dict of EpochCost, with ``to_dataframe()``.

    Samplers with a memory go through the whole stream, at most 4 steps an epoch between two measured ones; the others
    remember nothing but the rows and are put down at each t.

    Parameters
    ----------
    problem, data
        Rows of the whole stream.
    steps : dict of str to int
        Key of CONTESTANTS -> steps of the measured epochs.
    settings : Settings
    at : sequence of int
        Epochs to measure, rising, from 2 to the number of rows.
    work : float
        A sampler is left out from the t on at which its epoch would take more gradient evaluations, each priced by
        ``Contestant.price``; one whose growth is known and takes too long to measure is left out at every t.
    seed : int >= 0
        Same seed, same numbers.
    publish : callable, optional
        ``publish(curves so far, share done)``.
    stop : callable, optional
        True ends early.

    Raises
    ------
    ValueError
        For a GradientOracle, and lengths that do not rise.
    """
    check_problem(problem)
    check_pair(problem, data)
    if not len(data):
        raise ValueError("data must hold the rows of a stream, got none; a GradientOracle reveals one fixed set of terms")
    at = rising("at", at, 2, len(data[0]))
    if not isinstance(steps, Mapping):
        raise ValueError(f"steps must be a mapping of samplers to numbers of steps, got {shown(steps)}; "
                         "{'ula': 100} is one")
    steps = {choice("steps", key, tuple(CONTESTANTS)): whole_number("steps", count) for key, count in steps.items()}
    settings, seed = checked_settings(settings), seed_number(seed)
    work = positive_number("work", work, 1e15, "8e8 is some 4 s of one core")
    points: dict[str, list[tuple[int, float, float]]] = {key: [] for key in steps}
    memories: dict[type[Any], Any] = {}
    first = problem.posterior(*(part[:at[0]] for part in data))
    curvature = float(np.linalg.eigvalsh(first.hessian(np.zeros(problem.dim)))[-1] / at[0])  # the largest at zero, a datum

    def costs() -> Curves:
        return Curves({key: EpochCost(key, steps[key], *np.array(rows, float).reshape(-1, 3).T)
                       for key, rows in points.items() if rows})

    for i, t in enumerate(at):
        memories = _moved_on(problem, data, t, settings, seed, memories)
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


def _moved_on(problem: Problem, data: tuple[Any, ...], t: int, settings: Settings, seed: int,
              memories: dict[type[Any], Any]) -> dict[type[Any], Any]:
    """The chains with memory at the end of epoch t - 1."""
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
SHORT_OF_CEILING = 0.045  # the accuracy to reach: 0.90 for 1,000 exact chains
BUDGET = 4_000.0  # most passes over the data


@dataclass(frozen=True, eq=False)
class Growth:
    """Evaluations a chain took to reach the accuracy at each T, (m,) arrays; T at which it never did are left out.

    ``slopes`` (r,) are those of r seeds by themselves; of one seed alone it is empty.
    """

    key: str
    t: np.ndarray
    evaluations: np.ndarray
    slopes: np.ndarray = field(default_factory=lambda: np.empty(0))

    def columns(self) -> dict[str, np.ndarray]:
        """Its points by name, (m,) arrays."""
        return {"t": self.t, "evaluations": self.evaluations}

    @property
    def slope(self) -> float | None:
        """Of log evaluations against log T; None below three points."""
        return log_log_slope(self.t, self.evaluations)

    @property
    def slope_error(self) -> float | None:
        """Standard error of the slope, from the seeds' own slopes; None below two seeds."""
        slopes = np.asarray(self.slopes, float)
        return float(slopes.std(ddof=1) / np.sqrt(slopes.size)) if slopes.size > 1 else None


def over_seeds(runs: Sequence[dict[str, Growth]]) -> Curves:
    """Growth over several seeds: geometric means at every T that all of them reached, and each seed's slope.

    Parameters
    ----------
    runs : sequence of dict
        One result of `growth` a seed.
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
    """Race to the same accuracy at each T; a dict of Growth by sampler, with ``to_dataframe()``.

    Parameters
    ----------
    make : function
        ``make(T) -> (problem, data)``.
    sizes : sequence of int
        T, rising.
    settings : Settings
        SAGA-LD's. SGLD's step is cut so that its gradient noise stays at a tenth of the injected noise, without
        which it would stop short of the accuracy from some T on.
    keys : sequence of str, optional
        Of ONLINE, or with ``cold`` of COLD; None takes all that run on the problem.
    cold : bool
        Start at zero, without a stream behind, instead of one standard deviation from the mode.
    chains, seed : int
    work : float
        Gradient evaluations all chains of a sampler may take together at one T; Algorithm 3 thrice that, as it is tried
        at several i_max.
    publish : callable, optional
        ``publish(growths so far, share done)``.
    stop : callable, optional
        True ends early.

    Raises
    ------
    ValueError
        For a sampler that there is not.
    """
    if not callable(make):
        raise ValueError(f"make must be a function of T, got {shown(make)}; it returns (problem, data)")
    sizes = rising("sizes", sizes, 2, MOST_ROWS)
    settings, chains, seed = checked_settings(settings), whole_number("chains", chains, 2, 1_000_000), seed_number(seed)
    work = positive_number("work", work, 1e15, "8e8 is some 4 s of one core")
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
    """A place as likely as any draw, the same in standard units at every T: a draw of its own each would be noise."""
    z: np.ndarray = np.random.default_rng([seed, 11]).standard_normal(setup.problem.dim)
    z *= np.sqrt(z.size) / np.linalg.norm(z)
    return setup.reference.mean + np.linalg.cholesky(setup.reference.covariance) @ z


def _ladder(setup: RaceSetup, level: float, work: float, stop: Callable[[], bool] | None) -> float | None:
    """Least cost of LMV Algorithm 3 that ends at the accuracy, over i_max = 25, 40, ...; None if the work is done before."""
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
