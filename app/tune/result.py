"""`GridForecast`: forecasts on one algorithm's grid; `TuneResult`: immutable snapshot of a sweep."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from app.state.tune import ALGORITHMS, CellKey, TuneConfig
from app.tune.tuning_rows import TuningRows
from sampler import Settings, advise
from sampler.tuning import (
    Advice,
    AdvisedRuns,
    CellForecast,
    CellResult,
    Forecast,
    Verdict,
    algorithm_of,
    best_cell,
    forecast_grid,
    forecast_of,
    key_of,
    settings_of,
    verdict_of,
    with_algorithm,
)

FINE = 49
"""Values of eta0 along a predicted curve."""


@dataclass(frozen=True, eq=False)
class GridForecast:
    """Forecasts on one algorithm's grid."""

    advice: Advice
    cells: dict[CellKey, CellForecast]  #: one per cell
    etas: np.ndarray  #: (FINE,) from slightly below the smallest eta0 of the grid to slightly above the largest
    lengths: np.ndarray  #: (m,) i_max of the cells and geometric means of neighbours
    surface: dict[int, np.ndarray]  #: b -> (m, FINE) forecast accuracy
    ceiling: float  #: largest forecast accuracy of a cell, an estimate for exact draws
    largest_curvature: float  #: largest eigenvalue of the Hessian of F_T at its mode, in the algorithm's coordinates


class StreamForecasts:
    """Forecasts and advice on the first rows of a stream, computed once per algorithm on first use.

    The modes are taken from ``other`` if it covers more rows of the same stream.
    """

    def __init__(self, stream: TuningRows, rows: int, other: "StreamForecasts | None" = None) -> None:
        self.stream, self.rows = stream, rows
        features, labels = stream.first(rows)
        reusable = other is not None and other.stream is stream and other.rows >= rows and features is not None
        self._plain = Forecast(stream.problem, features, labels, rows if features is None else None,
                               other._plain if reusable else None)
        self._by_algorithm: dict[str, tuple[Forecast, Advice]] = {}

    def of(self, algorithm: str) -> tuple[Forecast, Advice]:
        """Return forecast and advice of an algorithm."""
        if algorithm not in self._by_algorithm:
            forecast = forecast_of(algorithm, self._plain)
            self._by_algorithm[algorithm] = forecast, advise(forecast, self.stream.settings)
        return self._by_algorithm[algorithm]


def forecast_cells(config: TuneConfig, algorithm: str, forecasts: StreamForecasts) -> GridForecast:
    """Return the forecasts of an algorithm's cells in a complete configuration, and on a finer grid between them."""
    (forecast, advice), base = forecasts.of(algorithm), forecasts.stream.settings
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
    ceiling = max([cell.accuracy for cell in cells.values()], default=0.0)
    return GridForecast(advice, cells, fine, between, surface, ceiling, forecast.largest_curvature)


@dataclass(frozen=True, eq=False)
class TuneResult:
    """Snapshot of a sweep and of the advised setting's runs."""

    config: TuneConfig  #: as run, with all ranges set
    advised: TuneConfig  #: configuration without the user's choices
    stream: TuningRows
    forecasts: dict[str, GridForecast]  #: by algorithm
    cells: dict[CellKey, CellResult] = field(default_factory=dict)  #: result of each cell at its last rung
    finished: frozenset[CellKey] = frozenset()  #: finished or pruned cells
    last_rung: int = 0
    reference: dict | None = None  #: method and effective draws of the reference
    ended: str = ""  #: "finished", "cancelled"; empty if not started or running
    shipped: bool = False  #: whether the cells are shipped with the app, not run here
    elsewhere: bool = False  #: whether another page or process is running this sweep
    runs: AdvisedRuns | None = None  #: finished runs of the advised setting
    run_forecasts: dict[CellKey, CellForecast] = field(default_factory=dict)  #: forecasts of their settings

    def with_cells(self, cells: Iterable[CellResult], finished: bool) -> "TuneResult":
        """Return a copy with those of the cells that are on its grid."""
        forecasts = self.cell_forecasts
        mine = {key_of(cell): cell for cell in cells if key_of(cell) in forecasts
                and cell.acceptance_radius == self.config.radius_of(cell.algorithm)}
        return replace(self, cells={**self.cells, **mine},
                       finished=self.finished | frozenset(mine) if finished else self.finished)

    @property
    def forecast(self) -> GridForecast:
        """Forecasts of the selected algorithm."""
        return self.forecasts[self.looked_at.algorithm]

    @property
    def cell_forecasts(self) -> dict[CellKey, CellForecast]:
        """Forecasts of the cells of all algorithms."""
        return {key: one for forecast in self.forecasts.values() for key, one in forecast.cells.items()}

    @property
    def best(self) -> CellResult | None:
        """Cheapest accurate cell so far, of all algorithms."""
        return self.best_of(*ALGORITHMS)

    def first_of(self, algorithm: str) -> CellKey:
        """Return the key of an algorithm's best cell, or of the cell nearest to its advised start."""
        best, advised = self.best_of(algorithm), self.forecasts[algorithm].advice.settings
        if best is not None:
            return key_of(best)
        return self.nearest(advised.eta0, advised.i_max, advised.batch_size, algorithm)

    def best_of(self, *algorithms: str) -> CellResult | None:
        """Return the cheapest accurate cell of these algorithms."""
        cells = [self.cells[key] for key in self.finished if key.algorithm in algorithms]
        return best_cell(cells, self.last_rung, self.config.chains, self.stream.problem.dim,
                         (self.reference or {}).get("ess"))

    def with_runs(self, runs: AdvisedRuns, forecast: Forecast) -> "TuneResult":
        """Return a copy with the advised setting's runs; ``forecast`` is that of their algorithm."""
        keys = [key_of(cell) for cell in runs.cells]
        forecasts = forecast.many([settings_of(cell, self.stream.settings) for cell in runs.cells], 16 * self.config.chains)
        return replace(self, runs=runs, run_forecasts=dict(zip(keys, forecasts, strict=True)))

    @property
    def taken(self) -> CellKey | None:
        """Setting chosen from the advised setting's runs, safe or not."""
        return None if self.runs is None else key_of(self.runs.taken)

    @property
    def recommended(self) -> CellKey | None:
        """Recommended setting: the best of the sweep or, if it is not safe, the safe choice of the advised runs."""
        taken = [] if self.runs is None or self.runs.verdict != "safe" else [self.taken]
        keys = [key for key in (self.best_key, *taken) if key is not None]
        return next((key for key in keys if self.verdict(key).kind == "safe"), self.best_key)

    def run_of(self, key: CellKey) -> CellResult | None:
        """Return the advised run with this setting if no cell of the sweep has it, else None."""
        cells = () if self.runs is None or key in self.cells else self.runs.cells
        return next((cell for cell in cells if key_of(cell) == key), None)

    def judged_by(self, key: CellKey) -> tuple[int, dict[str, Any]]:
        """Return the number of chains of a setting that has been run, and the summary of its reference."""
        if self.run_of(key) is None:
            return self.config.chains, self.reference or {}
        return self.runs.first.chains, self.runs.first.reference

    def verdict(self, key: CellKey) -> Verdict:
        """Return the verdict on a setting that has been run."""
        curvature, (chains, reference) = self.forecasts[key.algorithm].largest_curvature, self.judged_by(key)
        return verdict_of(self.cell(key), self.stream.settings, chains, self.cell_forecast(key), reference.get("ess"),
                          curvature, self.stream.problem.dim, self.config.rows)

    @property
    def measured(self) -> dict[CellKey, CellResult]:
        """Results of all settings that have been run, on or off the grid."""
        return {**{key: self.cell(key) for key in self.run_forecasts}, **self.cells}

    @property
    def on_map(self) -> list[CellResult]:
        """Results of cells of the grid."""
        forecasts = self.cell_forecasts
        return [cell for key, cell in self.measured.items() if key in forecasts]

    @property
    def whole(self) -> bool:
        """Whether every cell is finished."""
        return len(self.finished) == self.config.cells

    def cell(self, key: CellKey) -> CellResult | None:
        """Return the result of a setting, or None."""
        return self.run_of(key) or self.cells.get(key)

    def cell_forecast(self, key: CellKey) -> CellForecast | None:
        """Return the forecast of a setting, or None."""
        forecast = self.forecasts.get(key.algorithm)
        return None if forecast is None else forecast.cells.get(key) or self.run_forecasts.get(key)

    def settings(self, key: CellKey) -> Settings:
        """Return the settings of a cell."""
        eta0, i_max, batch, algorithm = key
        return with_algorithm(self.stream.settings.replace(eta0=eta0, i_max=i_max, batch_size=batch,
                                                           acceptance_radius=self.config.radius_of(algorithm)), algorithm)

    def state(self, key: CellKey) -> str:
        """Return "done", "early" (given up), "diverged", "running" or "waiting"."""
        cell = self.cell(key)
        if cell is None:
            return "waiting"
        if cell.diverged is not None:
            return "diverged"
        if self.run_of(key) is not None:
            return "done"
        if key not in self.finished:
            return "running"
        return "done" if cell.rung == self.last_rung else "early"

    @property
    def best_key(self) -> CellKey | None:
        """Setting of the best cell."""
        best = self.best
        return None if best is None else key_of(best)

    @property
    def advised_key(self) -> CellKey:
        """Cell of the grid nearest to the advised start, that of the cheapest algorithm."""
        advice: Advice = min((one.advice for one in self.forecasts.values()), key=lambda one: one.forecast.cost)
        advised = advice.settings
        return self.nearest(advised.eta0, advised.i_max, advised.batch_size, algorithm_of(advised))

    def nearest(self, eta0: float, i_max: float, batch: float, algorithm: str = "saga-ld") -> CellKey:
        """Return the cell of an algorithm's grid nearest to a setting on a logarithmic scale."""
        def near(values: tuple, wanted: float) -> float:
            return min(values, key=lambda value: max(value / wanted, wanted / value))

        config = self.config
        return CellKey(near(config.etas_of(algorithm), eta0), near(config.lengths, i_max), near(config.batches, batch),
                        algorithm)

    @property
    def looked_at(self) -> CellKey:
        """Selected setting: the user's choice, else the recommended, else the advised one."""
        chosen = self.config.chosen
        if chosen is not None and self.cell_forecast(chosen) is not None:
            return chosen
        return self.recommended or self.taken or self.advised_key
