"""The measurements that speak for a setting: what the [evidence] table of ``tuned.toml`` holds."""

import math
from typing import Any

from sampler.arguments import instance_of, whole_number
from sampler.settings import Settings, checked_settings
from sampler.tuning.advisor import Advice
from sampler.tuning.forecast import CellForecast
from sampler.tuning.sweep_cell import CellResult
from sampler.tuning.verdicts.judge import verdict_of


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
