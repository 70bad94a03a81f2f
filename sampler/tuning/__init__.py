"""Tuning: sweeps over settings, forecasts, the verdict on a setting and the advice what to try next."""

from sampler.tuning.advisor import Advice, advise, best_eta0, start_eta0
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
from sampler.tuning.verdicts.judge import judge
from sampler.tuning.verdicts.limits import LIMITS, limit_words
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.sweep_cell_verdict import verdict_of
from sampler.tuning.verdicts.verdict import Verdict

__all__ = [
    "Advice", "AlgorithmSettings", "CellForecast", "CellKey", "CellResult", "Forecast", "Grid", "LIMITS",
    "Measurements", "Sweep", "SweepOutcome", "SweepProgress", "Verdict", "WorkersLost", "advise", "algorithm_of", "around",
    "best_cell", "best_eta0", "core_seconds", "cost", "forecast_grid", "forecast_of", "judge", "key_of",
    "limit_words", "spaced", "start_eta0", "sweep_evidence", "trial_order", "verdict_of", "with_algorithm",
]
