"""`best_cell`: cheapest accurate cell of a sweep; `sweep_evidence`: measurements that support a setting."""

import math
from typing import Any

import numpy as np

from sampler.arguments import instance_of, positive_number, shown, whole_number
from sampler.settings import Settings, checked_settings
from sampler.tuning.advisor import Advice
from sampler.tuning.forecast import CellForecast
from sampler.tuning.sweep_cell import CellResult
from sampler.tuning.sweep_reference import judged_epochs
from sampler.tuning.verdicts.judge import verdict_of
from sampler.tuning.verdicts.measurements import LIMITS, Measurements

ACCURACY_TOLERANCE = 0.005
"""Accuracy by which a cheaper cell may be below the best, with `TOLERANCE_DRAWS` draws or more. With fewer draws it shrinks
as the square root of their number, like the accuracy loss of a fixed excess width that noise hides."""
TOLERANCE_DRAWS = 1024
NOISE_ALLOWANCE = 0.5
"""Share of a measurement's noise allowance by which a chosen cell may exceed a limit. Chance moves the largest of d
coordinates by about all of it, but the cheapest of many cells is a lucky one. Cells chosen this way on six streams in 3 to
124 dimensions had memories of 0.35 to 0.50 and widths of 1.05 to 1.11 when measured with more chains."""


def best_cell(cells: list[CellResult], last_rung: int, chains: float = np.inf, dim: int = 1,
              reference_draws: int | None = None) -> CellResult | None:
    """Return the cheapest cell that forgets its last sample and is as accurate as the best, to within noise.

    Candidates have run to the last rung without diverging. Filters, each skipped if it would leave no cell: memory within
    its limit (else the smallest memory), then width, narrowness and lag within theirs, with half of the noise allowance.
    Then accuracy at most max(0.005, 2 sd) below the best, or below the ceiling if the best exceeds it (0.005 shrinks below
    1,024 draws). Ties in cost go to the most accurate cell.

    Parameters
    ----------
    cells : list of CellResult
    last_rung : int
    chains : int
        Chains per cell; infinite: memory and widths are treated as noiseless.
    dim : int
        Number of coordinates behind the worst memory, widths and lag.
    reference_draws : int, optional
        Effective draws of the reference; None: exact.

    Raises
    ------
    ValueError
        If an argument is out of range, such as ``chains`` not above 0.
    """
    chains = positive_number("chains", chains, np.inf, "pass the number of chains of each cell")
    dim, last_rung = whole_number("dim", dim), whole_number("last_rung", last_rung, 0)
    if reference_draws is not None:
        positive_number("reference_draws", reference_draws, np.inf, "None is an exact reference")
    if not isinstance(cells, list | tuple) or not all(isinstance(cell, CellResult) for cell in cells):
        raise ValueError(f"cells must be a list of CellResult, got {shown(cells)}; take a sweep's outcome")
    sound = [cell for cell in cells if cell.rung == last_rung and cell.diverged is None]
    if not sound:
        return None
    limits = {id(cell): _limits(cell, chains, dim, reference_draws) for cell in sound}
    fresh = [cell for cell in sound if cell.memory <= limits[id(cell)]["memory"]]
    fresh = fresh or [min(sound, key=lambda cell: math.inf if math.isnan(cell.memory) else cell.memory)]
    for name in ("width", "narrowness", "lag"):
        fresh = [cell for cell in fresh if cell.beside_target[name] <= limits[id(cell)][name]] or fresh
    top = max(fresh, key=lambda cell: cell.accuracy)
    close = ACCURACY_TOLERANCE * min(1.0, (chains * len(judged_epochs(top.rows)) / TOLERANCE_DRAWS) ** 0.5)
    enough = min(top.accuracy, top.ceiling) - max(close, 2.0 * top.ceiling_sd)  # above the ceiling is noise
    near = [cell for cell in fresh if cell.accuracy >= enough]
    return min(near, key=lambda cell: (cell.cost, -cell.accuracy))


def _limits(cell: CellResult, chains: float, dim: int, reference_draws: int | None) -> dict[str, float]:
    """Return the limits of a cell's measurements, with part of their noise allowance."""
    one = 1  # chains: their number, possibly infinite, enters through the draws; the limit of resets is not used
    noisy = Measurements(Settings(), cell.rows, one, cell.rows, memory=cell.memory, dim=dim, reference_draws=reference_draws,
                         **cell.counts(chains)).limits
    return {name: limit + NOISE_ALLOWANCE * (noisy[name] - limit) for name, limit in LIMITS.items() if name in noisy}


def sweep_evidence(settings: Settings, chains: int, rows: int, advice: Advice, forecast: CellForecast,
                   cell: CellResult | None = None, tried: int = 0, ended: str = "", reference_draws: int | None = None,
                   largest_curvature: float | None = None, dim: int = 1) -> dict[str, Any]:
    """Return the evidence of a chosen setting as plain values; numbers that are not finite become None.

    Parameters
    ----------
    settings : Settings
        The chosen setting.
    chains, rows : int
        Chains and rows of each cell.
    advice : Advice
        Advised start of the sweep.
    forecast : CellForecast
        Forecast of the chosen setting.
    cell : CellResult, optional
        Measurements of the chosen setting; None if it was not run: forecast only.
    tried : int
        Number of settings that were run.
    ended : str
        `SweepOutcome.ended`; empty without a sweep.
    reference_draws, largest_curvature, dim
        As for `verdict_of`.
    """
    checked_settings(settings)
    instance_of("advice", advice, Advice, "pass the result of advise")
    instance_of("forecast", forecast, CellForecast, "pass the result of a Forecast")
    chains, rows = whole_number("chains", chains), whole_number("rows", rows, 0)
    evidence = {"predicted": forecast.accuracy, "rows": rows, "chains": chains, "settings_tried": tried,
                "sweep": ended or None, "advised_eta0": advice.settings.eta0,
                "largest_curvature_a_row": advice.curvature}
    if cell is not None:
        verdict = verdict_of(cell, settings, chains, forecast, reference_draws, largest_curvature, dim, rows or None)
        evidence |= {"accuracy": cell.accuracy, "ceiling": cell.ceiling, "width": cell.width,
                     "narrowest": cell.narrowest, "widest": cell.widest, "memory": cell.memory,
                     "lag": cell.lag, "reset_rate": cell.reset_rate, "gradients_an_epoch": cell.cost, "rows": cell.rows,
                     "verdict": verdict.kind, "verdict_words": verdict.sentence}
    return {name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in evidence.items()}
