"""The cell of a sweep to use, the cheapest of the accurate ones, and the measurements that speak for it."""

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

CLOSE = 0.005
"""Accuracy, of SEEN draws or more, that a cheaper cell may lack. Noise hides what a little too much width costs, as the root
of the draws: of a quarter as many, half of this means the same."""
SEEN = 1024
ALLOWED = 0.5
"""Share of a measurement's noise by which a cell may be past a limit and still be chosen. By chance the largest of d
coordinates is too large by about all of it, but the cheapest of many cells is a lucky one. Cells chosen so on six streams in
3 to 124 dimensions had memories of 0.35 to 0.50 and widths of 1.05 to 1.11 when measured with more chains."""


def best_cell(cells: list[CellResult], last_rung: int, chains: float = np.inf, dim: int = 1,
              reference_draws: int | None = None) -> CellResult | None:
    """Return the cheapest cell that is as accurate as the best, to within noise, and forgets its last sample.

    Among cells run to the last rung that did not diverge: accuracy at most max(0.005, 2 sd) below the best (less than 0.005
    of fewer than 1,024 draws), or below the ceiling where the best is above it; memory below one half where any such cell is
    (else the least), no coordinate too wide, too narrow or off centre by more than its limit where any such cell is. Half of
    their noise is allowed for. Of equal cost the most accurate.

    Parameters
    ----------
    cells : list of CellResult
    last_rung : int
    chains : int
        Of a cell; infinite: memory and widths are taken as measured without noise.
    dim : int
        Coordinates that memory, widths and lag are the largest of.
    reference_draws : int, optional
        ``references.ess``.

    Raises
    ------
    ValueError
        Where there are no chains.
    """
    chains = positive_number("chains", chains, np.inf, "say how many each cell ran")
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
    close = CLOSE * min(1.0, (chains * len(judged_epochs(top.rows)) / SEEN) ** 0.5)
    enough = min(top.accuracy, top.ceiling) - max(close, 2.0 * top.ceiling_sd)  # more than the ceiling is luck
    near = [cell for cell in fresh if cell.accuracy >= enough]
    return min(near, key=lambda cell: (cell.cost, -cell.accuracy))


def _limits(cell: CellResult, chains: float, dim: int, reference_draws: int | None) -> dict[str, float]:
    """What the measurements of a cell may be, part of their noise allowed for."""
    one = 1  # chains: their number, perhaps infinite, counts in the draws; resets are not asked for
    noisy = Measurements(Settings(), cell.rows, one, cell.rows, memory=cell.memory, dim=dim, reference_draws=reference_draws,
                         **cell.counts(chains)).limits
    return {name: limit + ALLOWED * (noisy[name] - limit) for name, limit in LIMITS.items() if name in noisy}


def sweep_evidence(settings: Settings, chains: int, rows: int, advice: Advice, forecast: CellForecast,
                   cell: CellResult | None = None, tried: int = 0, ended: str = "", reference_draws: int | None = None,
                   largest_curvature: float | None = None, dim: int = 1) -> dict[str, Any]:
    """Return plain values; a number that is not finite becomes None.

    Parameters
    ----------
    settings : Settings
        The chosen setting.
    chains, rows : int
        Of each cell of the sweep.
    advice : Advice
        Where the sweep was advised to start.
    forecast : CellForecast
        Of the chosen setting.
    cell : CellResult, optional
        What was measured at it; None where it was not run: then there is only the forecast.
    tried : int
        Settings that were run.
    ended : str
        How the sweep ended, as `SweepOutcome.ended`; empty for a sweep that was not run.
    reference_draws, largest_curvature, dim
        As `verdict_of` takes them.
    """
    checked_settings(settings)
    instance_of("advice", advice, Advice, "take it of advise")
    instance_of("forecast", forecast, CellForecast, "take it of a Forecast")
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
