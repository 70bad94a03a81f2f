"""Cost of one epoch as the data arrive: gradient evaluations and seconds against t, and their log-log slopes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.records import DivergenceError
from sampler.arguments import (
    LARGEST,
    SMALLEST,
    choice,
    positive_number,
    real_array,
    rising,
    seed_number,
    shown,
    whole_number,
)
from sampler.problems.base import Problem
from sampler.problems.data_check import check_pair, check_problem
from sampler.racing.contestants import CONTESTANTS
from sampler.racing.paper_races import Curves
from sampler.racing.race_setup import RaceSetup, memories_of
from sampler.settings import Settings, checked_settings

WORK = 4e8  # gradient evaluations of one epoch of one chain, beyond which it is not measured: some 2 s
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
    check_pair(problem, data, 2)
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
    curvature = _curvature(problem, data, at[0])

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


def _curvature(problem: Problem, data: tuple[Any, ...], t: int) -> float:
    """Largest eigenvalue of the Hessian of F_t at zero, a datum."""
    posterior = problem.posterior(*(part[:t] for part in data))
    return float(np.linalg.eigvalsh(posterior.hessian(np.zeros(problem.dim)))[-1] / t)


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
            if sampler.t < t - 1:
                sampler.observe(*(part[sampler.t:t - 1] for part in data))
        except DivergenceError:
            del memories[kind]
    return memories
