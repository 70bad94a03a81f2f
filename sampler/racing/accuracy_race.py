"""Race of samplers through one epoch on the same data: accuracy against gradient evaluations and seconds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from sampler.arguments import choice, instance_of, positive_number, several
from sampler.draws import Draws, HasDraws, installed
from sampler.metrics.diagnostics import chain_diagnostics, nested_rhat
from sampler.racing.contestants import CONTESTANTS
from sampler.racing.race_setup import RaceSetup
from sampler.racing.runners import Runner

GROWTH = 1.3  # ratio of evaluations between successive marks in the first half of the budget
LATE_MARKS = 40  # evenly spaced marks in the second half, stored for diagnostics; every fourth is scored
DIAGNOSED = 64  # chains with stored late marks
NO_POSITIONS, NO_MARKS = np.empty((0, 0)), np.empty(0)
WORK = 8e8  # gradient evaluations of all chains of a sampler together: about 4 s; the default budget needs 3e8


@dataclass(frozen=True, eq=False)
class RaceCurve(HasDraws):
    """Curve of one sampler: evaluations, seconds and steps per chain at m marks, and the accuracy there, (m,) arrays."""

    key: str
    evaluations: np.ndarray
    seconds: np.ndarray
    steps: np.ndarray
    accuracy: np.ndarray
    step_size: float
    step_cost: float
    finished: bool = False
    fixed: bool = False  #: a Gaussian fit: one point for any budget
    diverged: bool = False
    cut: bool = False  #: stopped by the work limit before the budget was spent
    acceptance: float = float("nan")
    rhat: float = float("nan")  #: nested, of four parts of the second half of the budget; largest over the coordinates
    ess_per_evaluation: float = float("nan")  #: smallest over the coordinates
    trouble: str = ""  #: reason why it could not run
    samples: np.ndarray = field(default_factory=lambda: NO_POSITIONS, repr=False)  #: (K, d), at the last mark

    def columns(self) -> dict[str, np.ndarray]:
        """Return the marks by name, (m,) arrays."""
        return {"evaluations": self.evaluations, "seconds": self.seconds, "steps": self.steps, "accuracy": self.accuracy}

    def draws(self, names: Sequence[str] | None = None) -> Draws:
        """Return one draw per chain, numbered 0, at the last mark; none if nothing ran.

        Parameters
        ----------
        names : sequence of str, optional
            Of the coefficients, one per dimension; None numbers them.
        """
        return Draws(self.samples[:, None], np.zeros(1, int), names if self.samples.size else None,
                     {"sampler": self.key, "step_size": float(self.step_size)})

    def reaches(self, level: float) -> float | None:
        """Return the evaluations at which the accuracy reached ``level``, between marks on a log scale; None if never.

        Marks are noisy, so that the first one above the level tends to be too early: the isotonic regression of the marks
        is used instead.
        """
        if not self.accuracy.size:
            return None
        accuracy = isotonic_regression(self.accuracy).x
        over = np.flatnonzero(accuracy >= level)
        if not over.size:
            return None
        i = int(over[0])
        if i == 0:
            return float(self.evaluations[0])
        return float(np.exp(np.interp(level, accuracy[i - 1:i + 1], np.log(self.evaluations[i - 1:i + 1]))))

    def accuracy_after(self, evaluations: float) -> float | None:
        """Return the accuracy after ``evaluations``; None before the first mark and beyond the last."""
        if self.accuracy.size == 0 or evaluations < self.evaluations[0] * (1 - 1e-9):
            return None
        if self.fixed:
            return float(self.accuracy[-1])
        if evaluations > self.evaluations[-1] * 1.02:
            return None
        return float(np.interp(np.log(evaluations), np.log(self.evaluations), self.accuracy))


class Curves(dict[Any, Any]):
    """Curves by sampler name: a dict with exports to pandas and ArviZ.

    Its values have ``columns()``, their points as arrays of equal length, and ``draws(names)`` if chains ran.
    """

    def to_dataframe(self) -> Any:
        """Return a pandas DataFrame with one row per point of a curve, and the name in the first column, ``sampler``."""
        pandas = installed("pandas")
        parts = [pandas.DataFrame({"sampler": name, **curve.columns()}) for name, curve in self.items()]
        return pandas.concat(parts, ignore_index=True) if parts else pandas.DataFrame(columns=["sampler"])

    def to_datatree(self, names: Sequence[str] | None = None) -> Any:
        """Return a tree with one ArviZ tree per sampler with chains, of the final positions of its chains.

        ``dict(tree.children)`` is the argument of ArviZ functions that compare several models. Needs xarray.

        Parameters
        ----------
        names : sequence of d str, optional
            Of the coefficients.
        """
        drawn: dict[str, Draws] = {name: curve.draws(names) for name, curve in self.items() if hasattr(curve, "draws")}
        return installed("xarray").DataTree(
            children={name: draws.to_datatree() for name, draws in drawn.items() if draws.samples.size})


Publish = Callable[[dict[str, RaceCurve], float], None]


class _Lane:
    """Runner with its budget and its marks."""

    def __init__(self, key: str, runner: Runner, setup: RaceSetup, evaluations: float, seconds: float | None,
                 work: float, until: float | None) -> None:
        self.runner, self.setup, self.until, self.seconds = runner, setup, until, seconds
        affordable = work / setup.chains / CONTESTANTS[key].price
        self.cut = seconds is None and affordable < 0.98 * evaluations
        self.limit = affordable if self.cut else evaluations
        self.late: list[np.ndarray] = []
        self.late_from, self.marks = 0.0, 0
        self.points: list[tuple[float, float, float, float]] = []
        self.curve = RaceCurve(key, NO_MARKS, NO_MARKS, NO_MARKS, NO_MARKS, runner.step_size, runner.step_cost,
                               fixed=not runner.moving)
        if not runner.moving:
            self.mark()
            self.finish()

    @property
    def fraction(self) -> float:
        """Fraction of the budget spent; 1 if finished."""
        runner = self.runner
        spent = runner.evaluations / self.limit if self.seconds is None else runner.seconds / self.seconds
        return 1.0 if self.curve.finished else min(1.0, spent)

    def advance(self, stop: Callable[[], bool] | None) -> None:
        """Run to the next mark."""
        runner = self.runner
        at, limit = runner.evaluations, self._limit()
        half = at >= 0.5 * limit and bool(self.points)
        step = limit / (2 * LATE_MARKS) if half else (GROWTH - 1) * at
        ahead = max(at + max(runner.step_cost, step), runner.step_cost if not self.points else 0)
        runner.advance(min(ahead, max(limit, at + runner.step_cost)), stop)
        if stop is not None and stop():
            return
        self.marks += half
        if half and runner.diagnosable:
            if not self.late:
                self.late_from = at
            self.late.append(runner.positions[:DIAGNOSED])
        over = runner.evaluations + runner.step_cost > limit or not runner.moving or runner.evaluations <= at
        if not half or self.marks % 4 == 0 or over:
            self.mark()
        reached = self.until is not None and self.points and self.points[-1][3] >= self.until
        if over or reached:
            self.finish(cut=self.cut and not reached and runner.moving)

    def _limit(self) -> float:
        """Return the budget in evaluations; a budget in seconds is converted at the pace so far."""
        runner = self.runner
        if self.seconds is None or not self.points:
            return self.limit
        return runner.evaluations * self.seconds / runner.seconds if runner.seconds > 0 else np.inf

    def mark(self) -> None:
        """Score the current positions."""
        runner = self.runner
        positions = NO_POSITIONS if runner.diverged else runner.positions
        if not runner.diverged:
            self.points.append((runner.evaluations, runner.seconds, runner.steps, self.setup.score(positions)))
        columns = np.array(self.points, float).reshape(-1, 4).T
        self.curve = replace(
            self.curve, evaluations=columns[0], seconds=columns[1], steps=columns[2], accuracy=columns[3],
            step_size=runner.step_size, acceptance=runner.acceptance, diverged=runner.diverged, samples=positions)

    def finish(self, cut: bool = False) -> None:
        """Finish, with diagnostics of the second half."""
        rhat = share = float("nan")
        if len(self.late) >= 4 and not self.runner.diverged:
            draws = np.swapaxes(np.array(self.late), 0, 1)
            if np.all(np.ptp(draws, axis=(0, 1)) > 0):
                diagnostics = chain_diagnostics(draws)
                rhat = float(nested_rhat(draws, min(4, len(self.late) // 4)).max()) if len(self.late) >= 8 else rhat
                share = float(diagnostics.ess.min() / len(draws) / (self.runner.evaluations - self.late_from))
        self.curve = replace(self.curve, finished=True, cut=cut, rhat=rhat, ess_per_evaluation=share)


def race(setup: RaceSetup, keys: Sequence[str], evaluations: float = 300_000, seconds: float | None = None,
         work: float = WORK, until: float | None = None, publish: Publish | None = None,
         stop: Callable[[], bool] | None = None, goes: Callable[[str], None] | None = None) -> Curves:
    """Run the samplers in turns through epoch ``setup.t``; next is the one furthest behind in its budget.

    Returns a dict of RaceCurve by sampler, with ``to_dataframe()`` and ``to_datatree()``.

    Parameters
    ----------
    setup : RaceSetup
    keys : sequence of str
        Of CONTESTANTS.
    evaluations : float > 0
        Budget of gradient evaluations per chain.
    seconds : float > 0, optional
        Budget of processor seconds per chain, used instead of ``evaluations``.
    work : float > 0
        Limit on the gradient evaluations of all chains of a sampler together, each weighted by ``Contestant.price``, if
        the budget is in evaluations. A curve that reaches it before ``evaluations`` ends early and is `cut`.
    until : float, optional
        Accuracy at which a sampler is stopped.
    publish : callable, optional
        ``publish(curves, fraction)``, called after each mark with the fraction of the budgets of all moving samplers.
    stop : callable, optional
        True ends the race; the curves so far are returned.
    goes : callable, optional
        ``goes(key)``, called before a sampler's start and first part, which may compile kernels.

    Raises
    ------
    ValueError
        Without a sampler, and for one that does not exist or cannot run on the problem.
    """
    evaluations = positive_number("evaluations", evaluations, 1e12, "300000 is a full race of the paper's problem")
    work = positive_number("work", work, 1e15, "8e8 is about 4 s of one core")
    seconds = None if seconds is None else positive_number("seconds", seconds, 1e6, "0.01 a chain is a good start")
    instance_of("setup", setup, RaceSetup, "make one with prepare_race")
    keys = list(dict.fromkeys(choice("keys", key, tuple(CONTESTANTS)) for key in several("keys", keys)))
    for key in keys:
        reason = CONTESTANTS[key].refuses(setup.problem)
        if reason:
            raise ValueError(f"keys must be samplers that run on {setup.problem!r}: {key} {reason}; leave it out")
    lanes: list[_Lane] = []
    curves = Curves()

    def report(curve: RaceCurve) -> None:
        curves[curve.key] = curve
        if publish is not None:
            moving = [lane.fraction for lane in lanes if not lane.curve.fixed]
            begun = len(curves) == len(keys)
            publish(Curves(curves), sum(moving) / len(moving) if begun and moving else float(begun))

    for key in keys:
        if stop is not None and stop():
            break
        if goes is not None:
            goes(key)
        try:
            lanes.append(_Lane(key, CONTESTANTS[key].begin(setup), setup, evaluations, seconds, work, until))
            curve = lanes[-1].curve
        except ValueError as wrong:
            curve = RaceCurve(key, NO_MARKS, NO_MARKS, NO_MARKS, NO_MARKS, float("nan"), 0.0, finished=True,
                              trouble=str(wrong))
        report(curve)
    while not (stop is not None and stop()):
        active = [lane for lane in lanes if not lane.curve.finished]
        if not active:
            break
        lane = min(active, key=lambda lane: lane.fraction)
        if goes is not None and not lane.points:
            goes(lane.curve.key)
        try:
            lane.advance(stop)
        except ValueError as wrong:
            lane.curve = replace(lane.curve, finished=True, trouble=str(wrong))
        report(lane.curve)
    return curves
