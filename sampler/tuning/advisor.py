"""Advice where to start: a step from the measured curvature, then the model's forecast of every setting.

And what a run of it asks for: epochs and a step of another length, and why, in words.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import PLAIN, online_algorithm
from sampler.problems.glm import GlmPosterior
from sampler.settings import Settings, checked_settings
from sampler.tuning.algorithm_settings import with_algorithm
from sampler.tuning.forecast import CellForecast, Forecast, check_forecast, cost
from sampler.tuning.settings_grid import above, nearest
from sampler.tuning.sweep_cell import CellResult
from sampler.tuning.verdicts.measurements import LIMITS
from sampler.tuning.verdicts.rules import travel

STEP_TIMES_CURVATURE = 0.2
"""eta_t times the largest curvature of F_t at the start value: an exact gradient then widens the stiffest direction
by a twentieth."""
WITHIN = {"width": 0.85, "narrowness": 0.85, "lag": 0.85, "memory": 0.95}
"""Share of a verdict's limits that the model may use up: the rest is for what it does not know. How often that is enough, on
forty streams, the benchmark ``advice`` says."""
UNKNOWN = 0.4
"""Share of that for the width where curvatures of rows are not known: their noise is then larger than the model says."""
STEEPEST = 0.7
"""eta0 times the largest h_k |u_k|^2 of a row over b: above 1 an epoch that draws that row, while it is new, overshoots."""
BATCHES = (4, 9, 16, 32, 64)
LENGTHS = {"saga-ld": (10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000),
           "preconditioned": (3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400)}
TRAVEL = (0.7, 8.0)
"""i_max times the last step times the smallest curvature, as far as it is considered where epochs are not the longest: so
much leaves 72 % to 12 % of the start."""


@dataclass(frozen=True)
class Advice:
    """Settings to try first, with their reasons.

    Attributes
    ----------
    settings : Settings
        eta0, i_max, batch_size and acceptance_radius as advised; the rest as given. They know the forecast's algorithm.
    forecast : CellForecast
        Of these settings.
    curvature : float
        L, the largest curvature of F_T at its mode, divided by T + c; for the preconditioned sampler that of the whitened
        F_T, near 1.
    start : float
        a / L with a = 0.2: the rule of thumb, before the model is asked.
    assumptions : tuple of str
        What must hold for this to be true.
    """

    settings: Settings
    forecast: CellForecast
    curvature: float
    start: float
    assumptions: tuple[str, ...]


def advise(forecast: Forecast, settings: Settings | None = None) -> Advice:
    """The cheapest setting that the model finds well within the limits of a verdict, see `WITHIN`.

    Where there is none, the one that is most accurate and forgets most. No single row's step overshoots, see `STEEPEST`.

    Parameters
    ----------
    forecast : Forecast
        Of the algorithm that is advised on (`forecast_of`).
    settings : Settings, optional
        Gives the knobs that are not advised.
    """
    check_forecast(forecast)
    base = Settings() if settings is None else checked_settings(settings)
    lengths, steepest = LENGTHS[forecast.algorithm], _steepest_row(forecast)
    slowest = forecast.noise.eigenvalues[0] / forecast.divisor(base)
    longest = 1.6 * forecast.divisor(base) / forecast.largest_curvature  # nearly the longest stable step
    etas = dict.fromkeys(nearest(value) for value in np.geomspace(2e-3 * longest, longest, 33))
    tried = [base.replace(eta0=eta0, i_max=length, batch_size=b) for b in BATCHES for length in lengths for eta0 in etas
             if length == lengths[-1] or TRAVEL[0] <= eta0 * length * slowest <= TRAVEL[1]]
    tried = [s for s in tried if s.eta0 * steepest <= STEEPEST * s.batch_size] or tried
    pairs = list(zip(tried, forecast.many(tried), strict=True))
    width = 1.0 if forecast.problem.kind != "oracle" else UNKNOWN
    good = [pair for pair in pairs if _within(pair[1], width)]
    good = good or [max(pairs, key=lambda pair: pair[1].true_accuracy - pair[1].memory)]
    chosen = min(good, key=lambda pair: (cost(pair[0]), -pair[1].true_accuracy))[0]
    chosen = with_algorithm(chosen.replace(acceptance_radius=advised_radius(forecast, chosen)), forecast.algorithm)
    curvature = forecast.largest_curvature / forecast.divisor(base)
    return Advice(chosen, forecast(chosen), curvature, STEP_TIMES_CURVATURE / curvature, assumptions(forecast))


def _within(forecast: CellForecast, width: float) -> bool:
    """Whether a setting is well within a verdict's limits, and the share ``width`` of that for its width."""
    used = {"width": (forecast.widest - 1.0) / width, "narrowness": 1.0 - forecast.narrowest, "lag": forecast.lag,
            "memory": forecast.memory}
    return forecast.trusted and all(value <= WITHIN[name] * LIMITS[name] for name, value in used.items())


def _steepest_row(forecast: Forecast) -> float:
    """Largest h_k |u_k|^2 of a row at the mode; 0 in whitened coordinates, and where rows are not known."""
    posterior = forecast.posterior
    if forecast.algorithm != PLAIN or not isinstance(posterior, GlmPosterior):
        return 0.0
    curvatures = forecast.problem.score_curvature(posterior.rows @ forecast.mode)
    return float((curvatures * (posterior.rows**2).sum(axis=1)).max())


def advised_radius(forecast: Forecast, settings: Settings) -> float:
    """C' three times the distance two draws of pi_t and pi_{t/2} have, so that only strays are thrown back.

    More where the chains' way from their start to the mode asks for it. The preconditioned sampler's is its default's: in
    standard deviations it depends on the dimension alone, and a checkpoint on the way to the mode is never returned to.
    """
    if forecast.algorithm != PLAIN:
        kind: Any = online_algorithm(forecast.algorithm)  # all but the plain one have settings of their own
        return above(kind.default_settings(forecast.problem.dim).acceptance_radius)
    spread = np.sqrt(3.0 * (1.0 / forecast.noise.eigenvalues).sum() * (forecast.horizon + settings.offset))
    return above(max(3.0 * spread, spread + 1.5 * forecast.stride(settings)))


def assumptions(forecast: Forecast) -> tuple[str, ...]:
    """Return the model's assumptions in words."""
    words = [f"Near row {forecast.horizon:,} the posterior is close to the Gaussian of its mode and curvature.",
             "Rows to come are like these: if the truth drifts, the mode moves more than the model knows.",
             "Chains are rarely reset."]
    if forecast.algorithm != PLAIN:
        return (*words, "The preconditioner is the one of the mode: chains far from it are not foreseen.")
    if forecast.problem.kind == "poisson":
        words.append("Poisson curvature has no bound: a chain far from the mode may need a shorter step than this.")
    if forecast.problem.kind == "oracle":
        words.append("All terms of the gradient have the same curvature; if not, the noise is larger than said.")
    if forecast.noise.eigenvalues[-1] > 1e4 * forecast.noise.eigenvalues[0]:
        words.append("Some direction is 10,000 times flatter than another: no single step suits both.")
    return tuple(words)


WORTH = 0.8
"""Share of the length from which shorter epochs are run: what is closer saves too little."""
SHORTEST = 0.25
"""Share of the length that they are at least: a memory that asks for less is known too badly."""
MOST_RUNS = 3
"""Runs, with the first."""
LONGER = 1.5
"""Factor of the step that is tried where the width leaves room."""


@dataclass(frozen=True)
class Asked:
    """A run that the runs before it ask for.

    Attributes
    ----------
    cell : CellResult
        Whose setting is changed.
    knobs : dict
        The change, for `Settings.replace`.
    limited : {"memory", "width"}
        The measurement that has to be `within` its limit for the run to be taken.
    why : str
        The reason, and the change, in words: no sentence.
    """

    cell: CellResult
    knobs: dict[str, Any]
    limited: str
    why: str


def mended(cell: CellResult, verdict: str) -> Asked | None:
    """Return the run to make after a cell, with other epochs alone where its step is sound.

    A safe cell's epochs are shortened, a cold one's lengthened, to where chains remember what the advisor allows (`WITHIN`).
    After an epoch whose steps are uniform on 1..i_max a chain remembers (1 - exp(-K))/K of its start, K being i_max times
    the rate at which it forgets: the measured memory says K. Where the step is too long it is halved, and i_max doubled.

    Parameters
    ----------
    cell : CellResult
    verdict : str
        Its `Verdict.kind`.

    Returns
    -------
    Asked or None
        None for any other verdict, and where shorter epochs save too little.
    """
    if verdict in ("hot", "diverged"):
        knobs = stepped(cell, 0.5)
        return Asked(cell, knobs, "memory", f"its step is too long: half of it, eta0 = {knobs['eta0']:g} with i_max = "
                                            f"{knobs['i_max']:,}")
    if verdict not in ("safe", "cold"):
        return None
    share = travel(WITHIN["memory"] * LIMITS["memory"]) / travel(cell.memory)
    if not (share > 1.0 if verdict == "cold" else share <= WORTH):
        return None
    steps, longer = math.ceil(cell.i_max * max(share, SHORTEST)), "longer" if verdict == "cold" else "shorter"
    return Asked(cell, {"i_max": steps}, "memory", f"it remembers {100 * cell.memory:.0f} % of where it began: {longer} "
                                                   f"epochs, i_max = {steps:,}")


def stepped(cell: CellResult, factor: float) -> dict[str, Any]:
    """Return the knobs of a cell with a step that is longer by a factor, and epochs in which chains travel as far."""
    eta0 = float(f"{factor * cell.eta0:.2g}")
    return {"eta0": eta0, "i_max": math.ceil(cell.i_max * cell.eta0 / eta0)}


def within(cell: CellResult, name: str) -> bool:
    """Whether a measurement is within its limit itself: of several runs the one taken must not be safe by noise alone.

    Parameters
    ----------
    cell : CellResult
    name : {"width", "memory"}
    """
    return {"width": cell.widest - 1.0, "memory": cell.memory}[name] <= LIMITS[name]


def next_run(cells: Sequence[CellResult], verdicts: Sequence[str], limited: Sequence[str]) -> Asked | None:
    """Return what the runs so far ask for, or None.

    `mended` first, whose memory has to be `within` its limit. Where it is not, the same once more by what that one measured;
    else, where the width of the one that is taken is within its limit, a longer step, whose width has to be as well.

    Parameters
    ----------
    cells : sequence of CellResult
        The advised setting's first.
    verdicts : sequence of str
        `Verdict.kind` of each.
    limited : sequence of str
        `Asked.limited` of each after the first.
    """
    last, kind, taken = cells[-1], verdicts[-1], taken_of(cells, verdicts, limited)
    if len(cells) == MOST_RUNS or "width" in limited:
        return None
    missed = len(cells) > 1 and taken == 0 and kind in ("safe", "cold")  # what it measured says how far
    if (len(cells) == 1 or missed) and (asked := mended(last, "cold" if missed else kind)):
        return asked
    cell = cells[taken]
    if verdicts[taken] != "safe" or not within(cell, "width"):
        return None
    knobs = stepped(cell, LONGER)
    return Asked(cell, knobs, "width", f"a width of {cell.widest:.2f} times the target's leaves room for a longer step, "
                                       f"eta0 = {knobs['eta0']:g} with i_max = {knobs['i_max']:,}")


def taken_of(cells: Sequence[CellResult], verdicts: Sequence[str], limited: Sequence[str]) -> int:
    """Return the index of the run to take: the last safe one `within` its limit, or the first where none after it is.

    Parameters
    ----------
    cells, verdicts, limited
        As for `next_run`.
    """
    good = [i for i, name in enumerate(limited, 1) if verdicts[i] == "safe" and within(cells[i], name)]
    return good[-1] if good else 0
