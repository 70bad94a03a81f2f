"""`advise`, the setting to try first, from curvature and forecasts; `next_run`, the setting to try after measured runs.

The next run changes the step size or the number of steps per epoch and states its reason.
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
"""eta_t times the largest curvature of F_t at the rule-of-thumb step: with an exact gradient, the stiffest direction is then
5 % too wide."""
LIMIT_SHARES = {"width": 0.85, "narrowness": 0.85, "lag": 0.85, "memory": 0.95}
"""Largest forecast of advised settings, as a share of the verdict's limits; the rest is a margin for model error. The
benchmark ``advice`` measures its sufficiency on forty streams."""
UNKNOWN = 0.4
"""Further factor on the width's share for a GradientOracle: without row curvatures the model underestimates the noise."""
STEEPEST = 0.7
"""Largest eta0 h_k |u_k|^2/b of any row k: above 1, an epoch overshoots that draws this row while it is new."""
BATCHES = (4, 9, 16, 32, 64)
LENGTHS = {"saga-ld": (10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000),
           "preconditioned": (3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400)}
TRAVEL = (0.7, 8.0)
"""Range of i_max times the last step times the smallest curvature for all but the longest epochs: a memory from 72 % to
12 %."""


@dataclass(frozen=True)
class Advice:
    """Settings to try first, with forecast and assumptions.

    Attributes
    ----------
    settings : Settings
        Advised eta0, i_max, batch_size and acceptance_radius; other knobs from the input. Carries the forecast's algorithm.
    forecast : CellForecast
        Forecast of these settings.
    curvature : float
        L, the largest curvature of F_T at its mode, divided by T + c; for the preconditioned sampler that of the whitened
        F_T, near 1.
    start : float
        Rule-of-thumb step a / L with a = 0.2; does not use the model.
    assumptions : tuple of str
        Assumptions of the model, one sentence each.
    """

    settings: Settings
    forecast: CellForecast
    curvature: float
    start: float
    assumptions: tuple[str, ...]


def advise(forecast: Forecast, settings: Settings | None = None) -> Advice:
    """Return the cheapest setting whose forecast is within `LIMIT_SHARES` of the verdict's limits.

    If there is none, maximize forecast accuracy less memory. No single row's step overshoots, see `STEEPEST`.

    Parameters
    ----------
    forecast : Forecast
        Forecast of the algorithm to advise on (`forecast_of`).
    settings : Settings, optional
        Source of the knobs that are not advised.
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
    """Return whether a forecast is within `LIMIT_SHARES` of the limits, with the width's share scaled by ``width``."""
    used = {"width": (forecast.widest - 1.0) / width, "narrowness": 1.0 - forecast.narrowest, "lag": forecast.lag,
            "memory": forecast.memory}
    return forecast.trusted and all(value <= LIMIT_SHARES[name] * LIMITS[name] for name, value in used.items())


def _steepest_row(forecast: Forecast) -> float:
    """Return the largest h_k |u_k|^2 of a row at the mode; 0 in whitened coordinates and for models other than GLMs."""
    posterior = forecast.posterior
    if forecast.algorithm != PLAIN or not isinstance(posterior, GlmPosterior):
        return 0.0
    curvatures = forecast.problem.score_curvature(posterior.rows @ forecast.mode)
    return float((curvatures * (posterior.rows**2).sum(axis=1)).max())


def advised_radius(forecast: Forecast, settings: Settings) -> float:
    """Return C', three times the distance between a draw of pi_t and one of pi_{t/2}, so that only outliers are reset.

    Larger if the chains' path from start to mode requires it (`Forecast.stride`). For the preconditioned sampler, its
    default: in standard deviations it depends on the dimension only, and chains do not return to a transient checkpoint.
    """
    if forecast.algorithm != PLAIN:
        kind: Any = online_algorithm(forecast.algorithm)  # all but the plain one have own default settings
        return above(kind.default_settings(forecast.problem.dim).acceptance_radius)
    spread = np.sqrt(3.0 * (1.0 / forecast.noise.eigenvalues).sum() * (forecast.horizon + settings.offset))
    return above(max(3.0 * spread, spread + 1.5 * forecast.stride(settings)))


def assumptions(forecast: Forecast) -> tuple[str, ...]:
    """Return the model's assumptions, one sentence each."""
    words = [f"Near row {forecast.horizon:,} the posterior is close to the Gaussian of its mode and curvature.",
             "Future rows are distributed like these: under drift the mode moves more than the model predicts.",
             "Chains are rarely reset."]
    if forecast.algorithm != PLAIN:
        return (*words, "The preconditioner is evaluated at the mode: chains far from it are not modelled.")
    if forecast.problem.kind == "poisson":
        words.append("Poisson curvature is unbounded: a chain far from the mode may need a shorter step than this.")
    if forecast.problem.kind == "oracle":
        words.append("All terms of the gradient have the same curvature; if not, the noise is larger than predicted.")
    if forecast.noise.eigenvalues[-1] > 1e4 * forecast.noise.eigenvalues[0]:
        words.append("Curvatures differ by a factor above 10,000: no single step suits all directions.")
    return tuple(words)


WORTH = 0.8
"""Largest ratio of new to old i_max at which shorter epochs are run; less shortening saves too little."""
SHORTEST = 0.25
"""Smallest ratio of new to old i_max: a memory that would allow less is too small to measure."""
MOST_RUNS = 3
"""Largest number of runs, including the first."""
LONGER = 1.5
"""Factor of the longer step that is tried if the width allows."""


@dataclass(frozen=True)
class RunRequest:
    """Setting of a further run, derived from the runs before it.

    Attributes
    ----------
    cell : CellResult
        Run to start from.
    knobs : dict
        Changes, for `Settings.replace`.
    limited : {"memory", "width"}
        Measurement that must be within its limit (`within_limit`) for the run to be chosen.
    reason : str
        Reason and change, as a clause.
    """

    cell: CellResult
    knobs: dict[str, Any]
    limited: str
    reason: str


def corrected_run(cell: CellResult, verdict: str) -> RunRequest | None:
    """Return the run that corrects a cell: another i_max if the step is sound, else a shorter step.

    Epochs of a safe cell are shortened, those of a cold one lengthened, to a memory at the advisor's limit (`LIMIT_SHARES`).
    With run lengths uniform on 1..i_max, memory is (1 - exp(-K))/K, where K is i_max times the rate of forgetting; K is
    solved from the measured memory. A step that is too long is halved and i_max doubled.

    Parameters
    ----------
    cell : CellResult
    verdict : str
        Its `Verdict.kind`.

    Returns
    -------
    RunRequest or None
        None for any other verdict, and if shorter epochs would save too little.
    """
    if verdict in ("hot", "diverged"):
        knobs = scaled_step(cell, 0.5)
        return RunRequest(cell, knobs, "memory", f"its step is too long: half the step, eta0 = {knobs['eta0']:g} with i_max"
                                                 f" = {knobs['i_max']:,}")
    if verdict not in ("safe", "cold"):
        return None
    share = travel(LIMIT_SHARES["memory"] * LIMITS["memory"]) / travel(cell.memory)
    if not (share > 1.0 if verdict == "cold" else share <= WORTH):
        return None
    steps, longer = math.ceil(cell.i_max * max(share, SHORTEST)), "longer" if verdict == "cold" else "shorter"
    return RunRequest(cell, {"i_max": steps}, "memory", f"its memory is {100 * cell.memory:.0f} %: {longer} epochs, i_max = "
                                                        f"{steps:,}")


def scaled_step(cell: CellResult, factor: float) -> dict[str, Any]:
    """Return eta0 of a cell times ``factor``, to two digits, and the i_max that keeps eta0 i_max."""
    eta0 = float(f"{factor * cell.eta0:.2g}")
    return {"eta0": eta0, "i_max": math.ceil(cell.i_max * cell.eta0 / eta0)}


def within_limit(cell: CellResult, name: str) -> bool:
    """Return whether a measurement is within its limit without noise allowance, so that a chosen run is not safe by chance.

    Parameters
    ----------
    cell : CellResult
    name : {"width", "memory"}
    """
    return {"width": cell.widest - 1.0, "memory": cell.memory}[name] <= LIMITS[name]


def next_run(cells: Sequence[CellResult], verdicts: Sequence[str], limited: Sequence[str]) -> RunRequest | None:
    """Return the next run after the runs so far, or None if they suffice.

    First `corrected_run`, to bring the memory within its limit; repeated once from the new measurement if it misses. Then,
    if the width of the chosen run is within its limit, a longer step, whose width must stay within the limit.

    Parameters
    ----------
    cells : sequence of CellResult
        Runs so far, the advised setting's first.
    verdicts : sequence of str
        `Verdict.kind` of each.
    limited : sequence of str
        `RunRequest.limited` of each after the first.
    """
    last, kind, chosen = cells[-1], verdicts[-1], chosen_index(cells, verdicts, limited)
    if len(cells) == MOST_RUNS or "width" in limited:
        return None
    missed = len(cells) > 1 and chosen == 0 and kind in ("safe", "cold")  # correct again, from its measured memory
    if (len(cells) == 1 or missed) and (request := corrected_run(last, "cold" if missed else kind)):
        return request
    cell = cells[chosen]
    if verdicts[chosen] != "safe" or not within_limit(cell, "width"):
        return None
    knobs = scaled_step(cell, LONGER)
    return RunRequest(cell, knobs, "width", f"a width of {cell.widest:.2f} times the target's allows a longer step, "
                                            f"eta0 = {knobs['eta0']:g} with i_max = {knobs['i_max']:,}")


def chosen_index(cells: Sequence[CellResult], verdicts: Sequence[str], limited: Sequence[str]) -> int:
    """Return the index of the chosen run: the last safe one within its limit (`within_limit`), else 0.

    Parameters
    ----------
    cells, verdicts, limited
        As for `next_run`.
    """
    good = [i for i, name in enumerate(limited, 1) if verdicts[i] == "safe" and within_limit(cells[i], name)]
    return good[-1] if good else 0
