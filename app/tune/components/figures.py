"""The figures of the Tune page: what of a result each one draws."""

from __future__ import annotations

import numpy as np

from app.plots import (
    accuracy_against_cost,
    calibration,
    forecast,
    log_scores,
    memory_against_cost,
    tuning_map,
    tuning_slice,
)
from app.tune.rehearsal import Rehearsal
from app.tune.result import TuneResult
from app.tune.sweep_words import verdict_kinds


def map_figure(result: TuneResult):
    """Return every cell of the batch looked at, with contours of the formula over it."""
    seen, key = result.forecast, result.looked_at
    states = {cell: result.state(cell) for cell in seen.cells}
    cells = tuning_map(result.cells.values(), key.batch_size, forecasts=seen.cells, states=states, best=result.best,
                       chosen=key, ceiling=seen.ceiling, verdicts=verdict_kinds(result))
    return cells * forecast(seen.surface[key.batch_size], seen.etas, seen.lengths, seen.ceiling,
                            (result.config.etas_of(key.algorithm), result.config.lengths))


def slice_figure(result: TuneResult):
    """Return the row of the cell looked at, measured and foretold."""
    seen, key = result.forecast, result.looked_at
    eta0, i_max, batch, algorithm = key
    row = seen.surface[batch][int(np.searchsorted(seen.lengths, i_max))]
    return tuning_slice(result.cells.values(), i_max, batch, foretold=(seen.etas, row), forecasts=seen.cells,
                        states={cell: result.state(cell) for cell in seen.cells}, chosen=eta0, ceiling=seen.ceiling,
                        algorithm=algorithm)


def cost_figures(result: TuneResult):
    """Return accuracy and memory of every cell against its cost."""
    kinds, cells = verdict_kinds(result), list(result.cells.values())
    return (accuracy_against_cost(cells, verdicts=kinds, chosen=result.looked_at),
            memory_against_cost(cells, verdicts=kinds, chosen=result.looked_at))


def score_figure(rehearsal: Rehearsal | None):
    """Return the log score of each block of rows, and drift alarms."""
    if rehearsal is None:
        return log_scores(np.empty(0), np.empty(0))
    return log_scores(rehearsal.t, rehearsal.score, [at for at, _ in rehearsal.drifts])


def calibration_figure(rehearsal: Rehearsal | None):
    """Return how often what was foretold came."""
    if rehearsal is None:
        return calibration(np.empty(0), np.empty(0))
    return calibration(*rehearsal.calibration,
                       "foretold probability" if rehearsal.kind == "logistic" else "foretold quantile")
