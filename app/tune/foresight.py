"""What the advisor says before a cell is run: a start, and the accuracy of every setting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.tune.config import TuneConfig
from app.tune.data import Loaded
from sampler import advise
from sampler.tuning import Advice, CellForecast, Forecast

FINE = 49
"""Values of eta0 along a predicted curve."""
ROWS = (1000, 500)
"""Rows to tune on, where nobody says: the second when a sweep on the first would take too long."""
CHAINS = (64, 32, 16)
BUDGET = 160.0
"""Core seconds that a sweep nobody has changed may take."""


@dataclass(frozen=True, eq=False)
class Foresight:
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
    """

    advice: Advice
    cells: dict[tuple[float, int, int], CellForecast]
    etas: np.ndarray
    lengths: np.ndarray
    surface: dict[int, np.ndarray]
    ceiling: float
    largest_curvature: float


def settle(config: TuneConfig, loaded: Loaded, advice: Advice, rows: int) -> TuneConfig:
    """Fill in what nobody chose: the example's own, else ranges around the advised start, and chains as time allows."""
    example, s = loaded.example, advice.settings
    known = (lambda name: getattr(example, name)) if example is not None else (lambda name: None)
    around_eta0 = float(f"{s.eta0 / 10:.3g}"), float(f"{s.eta0 * 10:.3g}")
    around_steps = max(1, round(s.i_max / 10)), min(5000, max(2, 2 * s.i_max))
    config = config.replace(
        rows=rows, eta0=config.eta0 or known("eta0") or around_eta0, i_max=config.i_max or known("i_max") or around_steps,
        batches=config.batches or known("batches") or (s.batch_size,),
        acceptance_radius=config.acceptance_radius or known("acceptance_radius") or s.acceptance_radius)
    if config.chains is None:
        few = [k for k in CHAINS if core_seconds(config.replace(chains=k), loaded) <= BUDGET]
        config = config.replace(chains=CHAINS[0] if example is not None else few[0] if few else CHAINS[-1])
    return config


def core_seconds(config: TuneConfig, loaded: Loaded) -> float:
    """Roughly what a sweep takes, with half of its cells given up: 8 ns a gradient and half a one a coordinate."""
    each = (8.0 + 0.5 * loaded.problem.dim) * 1e-9
    gradients = sum(2 + (i + 1) / 2 * b for i in config.lengths for b in config.batches) * len(config.etas)
    return 0.9 * each * gradients * config.rows * config.chains


def forecast_of(loaded: Loaded, rows: int) -> Forecast:
    """The formula on the first rows: the costly part of `foresee`."""
    features, labels = loaded.first(rows)
    return Forecast(loaded.problem, features, labels, rows if features is None else None)


def foresee(config: TuneConfig, loaded: Loaded, forecast: Forecast, advice: Advice) -> Foresight:
    """Forecast every cell of a settled configuration, and a finer net between them."""
    base = loaded.settings.replace(acceptance_radius=config.acceptance_radius)
    draws, etas, lengths = 16 * config.chains, config.etas, config.lengths
    keys = [(e, i, b) for b in config.batches for i in lengths for e in etas]
    found = forecast.many([base.replace(eta0=e, i_max=i, batch_size=b) for e, i, b in keys], draws)
    half = (etas[1] / etas[0]) ** 0.5 if len(etas) > 1 else 1.2
    fine = np.geomspace(etas[0] / half, etas[-1] * half, FINE)
    between = np.array(sorted({*lengths, *(round(float(np.sqrt(a * b))) for a, b in
                                           zip(lengths, lengths[1:], strict=False))}))
    surface = {}
    for b in config.batches:
        net = [base.replace(eta0=float(e), i_max=int(i), batch_size=b) for i in between for e in fine]
        surface[b] = np.array([f.accuracy for f in forecast.many(net, draws)]).reshape(len(between), FINE)
    ceiling = max([f.accuracy for f in found], default=0.0)
    return Foresight(advice, dict(zip(keys, found, strict=True)), fine, between, surface, ceiling,
                     forecast.largest_curvature)


def advice_for(forecast: Forecast, loaded: Loaded) -> Advice:
    """What to try first."""
    return advise(forecast, loaded.settings)
