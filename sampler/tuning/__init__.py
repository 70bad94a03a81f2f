"""Tuning: sweeps over settings, forecasts, the verdict on a setting and the advice what to try next."""

from sampler.tuning.advisor import Advice, advise
from sampler.tuning.algorithm_settings import AlgorithmSettings, CellKey, algorithm_of, key_of, with_algorithm
from sampler.tuning.best_cell import best_cell
from sampler.tuning.dask_cluster import WorkersLost
from sampler.tuning.forecast import CellForecast, Forecast, cost
from sampler.tuning.preconditioned_forecast import forecast_of
from sampler.tuning.settings_grid import Grid, around, spaced
from sampler.tuning.sweep import Sweep, SweepOutcome, SweepProgress
from sampler.tuning.sweep_cell import CellResult
from sampler.tuning.sweep_work import core_seconds
from sampler.tuning.trial_order import forecast_grid, trial_order
from sampler.tuning.tuned_evidence import sweep_evidence
from sampler.tuning.verdicts.judge import judge, verdict_of
from sampler.tuning.verdicts.measurements import LIMITS, Measurements, Verdict, limit_words

__all__ = [
    "Advice", "AlgorithmSettings", "CellForecast", "CellKey", "CellResult", "Forecast", "Grid", "LIMITS",
    "Measurements", "Sweep", "SweepOutcome", "SweepProgress", "Verdict", "WorkersLost", "advise", "algorithm_of", "around",
    "best_cell", "core_seconds", "cost", "forecast_grid", "forecast_of", "judge", "key_of",
    "limit_words", "spaced", "sweep_evidence", "trial_order", "verdict_of", "with_algorithm",
]
