"""`GridForecast`: what the formula says before a cell is run, at every setting of a sweep and finely between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.state.tune import CellKey, TuneConfig
from app.tune.tuning_rows import TuningRows
from sampler import advise
from sampler.tuning import Advice, CellForecast, Forecast, forecast_grid

FINE = 49
"""Values of eta0 along a predicted curve."""


@dataclass(frozen=True, eq=False)
class GridForecast:
    """Forecasts on one grid.

    Attributes
    ----------
    advice : Advice
    cells : dict
        (eta0, i_max, b) -> CellForecast of every cell.
    etas : (FINE,) array
        From a little below the smallest eta0 of the grid to a little above the largest.
    lengths : (m,) array
        i_max at the cells and half-way between them.
    surface : dict
        b -> (m, FINE) array of forecast accuracy.
    ceiling : float
        What the formula says exact draws would score.
    largest_curvature : float
        Largest eigenvalue of the Hessian of F_T at its mode.
    """

    advice: Advice
    cells: dict[CellKey, CellForecast]
    etas: np.ndarray
    lengths: np.ndarray
    surface: dict[int, np.ndarray]
    ceiling: float
    largest_curvature: float


def measure_curvature(stream: TuningRows, rows: int) -> tuple[Forecast, Advice]:
    """Return the formula on the first rows and what it advises: the costly part of `forecast_cells`."""
    features, labels = stream.first(rows)
    forecast = Forecast(stream.problem, features, labels, rows if features is None else None)
    return forecast, advise(forecast, stream.settings)


def forecast_cells(config: TuneConfig, stream: TuningRows, forecast: Forecast, advice: Advice) -> GridForecast:
    """Forecast every cell of a settled configuration, and a finer net between them."""
    base = stream.settings.replace(acceptance_radius=config.acceptance_radius)
    draws, etas, lengths = 16 * config.chains, config.etas, config.lengths
    cells = forecast_grid(forecast, config.grid, base, draws)
    half = (etas[1] / etas[0]) ** 0.5 if len(etas) > 1 else 1.2
    fine = np.geomspace(etas[0] / half, etas[-1] * half, FINE)
    between = np.array(sorted({*lengths, *(round(float(np.sqrt(a * b))) for a, b in
                                           zip(lengths, lengths[1:], strict=False))}))
    surface = {}
    for b in config.batches:
        net = [base.replace(eta0=float(e), i_max=int(i), batch_size=b) for i in between for e in fine]
        surface[b] = np.array([f.accuracy for f in forecast.many(net, draws)]).reshape(len(between), FINE)
    ceiling = max([found.accuracy for found in cells.values()], default=0.0)
    return GridForecast(advice, cells, fine, between, surface, ceiling, forecast.largest_curvature)
