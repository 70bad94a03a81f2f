"""Tuning: sweeps over settings, forecasts, verdicts on settings and advice on the next setting."""

from sampler.tuning.advised_setting import ADVISED_CHAINS, ADVISED_ROWS, AdvisedRuns, FirstRun, advised_runs
from sampler.tuning.advisor import MOST_RUNS, Advice, advise
from sampler.tuning.algorithm_settings import AlgorithmSettings, CellKey, algorithm_of, key_of, with_algorithm
from sampler.tuning.best_cell import best_cell, sweep_evidence
from sampler.tuning.forecast import CellForecast, Forecast, cost
from sampler.tuning.preconditioned_forecast import forecast_of
from sampler.tuning.settings_grid import Grid, around, spaced
from sampler.tuning.sweep import Sweep, SweepOutcome, SweepProgress
from sampler.tuning.sweep_cell import CellResult, RunStopped, settings_of
from sampler.tuning.sweep_schedule import core_seconds, forecast_grid, trial_order
from sampler.tuning.verdicts.judge import judge, verdict_of
from sampler.tuning.verdicts.measurements import LIMITS, Measurements, Verdict, limit_words
from sampler.tuning.workers import WorkersLost

__all__ = [
    "ADVISED_CHAINS", "ADVISED_ROWS", "Advice", "AdvisedRuns", "AlgorithmSettings", "CellForecast", "CellKey", "CellResult",
    "FirstRun", "Forecast", "Grid", "LIMITS", "MOST_RUNS", "Measurements", "RunStopped", "Sweep", "SweepOutcome",
    "SweepProgress", "Verdict", "WorkersLost", "advise", "advised_runs", "algorithm_of", "around", "best_cell",
    "core_seconds", "cost", "forecast_grid", "forecast_of", "judge", "key_of", "limit_words", "settings_of", "spaced",
    "sweep_evidence", "trial_order", "verdict_of", "with_algorithm",
]
