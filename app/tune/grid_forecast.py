"""What the formula says before a cell is run: `GridForecast` at every setting of a sweep and finely between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.state.tune import CellKey, TuneConfig
from app.tune.tuning_rows import TuningRows
from sampler import advise
from sampler.tuning import Advice, CellForecast, Forecast, forecast_grid, forecast_of

FINE = 49
"""Values of eta0 along a predicted curve."""


@dataclass(frozen=True, eq=False)
class GridForecast:
    """Forecasts on one algorithm's grid.

    Attributes
    ----------
    advice : Advice
    cells : dict
        Key of a cell -> CellForecast, of every cell.
    etas : (FINE,) array
        From a little below the smallest eta0 of the grid to a little above the largest.
    lengths : (m,) array
        i_max at the cells and half-way between them.
    surface : dict
        b -> (m, FINE) array of forecast accuracy.
    ceiling : float
        What the formula says exact draws would score.
    largest_curvature : float
        Largest eigenvalue of the Hessian of F_T at its mode, in the algorithm's coordinates.
    """

    advice: Advice
    cells: dict[CellKey, CellForecast]
    etas: np.ndarray
    lengths: np.ndarray
    surface: dict[int, np.ndarray]
    ceiling: float
    largest_curvature: float


class StreamForecasts:
    """The formula on the first rows of a stream, and what it advises; each algorithm is measured once, when asked for.

    The modes of another's rows are taken over where it has followed more rows of the same stream.
    """

    def __init__(self, stream: TuningRows, rows: int, other: StreamForecasts | None = None) -> None:
        self.stream, self.rows = stream, rows
        features, labels = stream.first(rows)
        known = other is not None and other.stream is stream and other.rows >= rows and features is not None
        self._plain = Forecast(stream.problem, features, labels, rows if features is None else None,
                               other._plain if known else None)
        self._found: dict[str, tuple[Forecast, Advice]] = {}

    def forecast(self, algorithm: str) -> Forecast:
        """Return the formula for an algorithm's settings."""
        return self._of(algorithm)[0]

    def advice(self, algorithm: str) -> Advice:
        """Return where an algorithm is advised to start."""
        return self._of(algorithm)[1]

    def _of(self, algorithm: str) -> tuple[Forecast, Advice]:
        if algorithm not in self._found:
            forecast = forecast_of(algorithm, self._plain)
            self._found[algorithm] = forecast, advise(forecast, self.stream.settings)
        return self._found[algorithm]


def forecast_cells(config: TuneConfig, stream: TuningRows, forecasts: StreamForecasts) -> dict[str, GridForecast]:
    """Forecast every cell of a settled configuration, and a finer net between them, by algorithm."""
    return {name: _forecast(config, stream, name, forecasts) for name in config.algorithms}


def _forecast(config: TuneConfig, stream: TuningRows, algorithm: str, forecasts: StreamForecasts) -> GridForecast:
    forecast, base = forecasts.forecast(algorithm), stream.settings
    draws, etas, lengths = 16 * config.chains, config.etas_of(algorithm), config.lengths
    grid = next(grid for grid in config.grids if grid.algorithm == algorithm)
    cells = forecast_grid(forecast, grid, base, draws)
    half = (etas[1] / etas[0]) ** 0.5 if len(etas) > 1 else 1.2
    fine = np.geomspace(etas[0] / half, etas[-1] * half, FINE)
    between = np.array(sorted({*lengths, *(round(float(np.sqrt(a * b))) for a, b in
                                           zip(lengths, lengths[1:], strict=False))}))
    surface = {}
    for b in config.batches:
        net = [base.replace(eta0=float(e), i_max=int(i), batch_size=b) for i in between for e in fine]
        surface[b] = np.array([f.accuracy for f in forecast.many(net, draws)]).reshape(len(between), FINE)
    ceiling = max([found.accuracy for found in cells.values()], default=0.0)
    return GridForecast(forecasts.advice(algorithm), cells, fine, between, surface, ceiling, forecast.largest_curvature)
