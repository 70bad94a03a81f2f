"""`rehearse`: a replay of a tuned setting on its tuning rows, from which `gates_from` sets the production gates."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from sampler.arguments import whole_number
from sampler.problems.base import Problem
from sampler.problems.data_check import check_data, check_problem, terms_of
from sampler.production.gates import SCORE_TOLERANCE, Gates
from sampler.production.replay import Replay
from sampler.production.replay_result import ReplayResult
from sampler.production.run_monitor import standard_error
from sampler.settings import Settings
from sampler.tuning.settings_grid import above

TIME_FACTOR = 20.0  # factor on the measured wall time, for another or a busier machine
MARGIN = 1.25  # factor on the width of the chains
WARM_UP = 200  # rows excluded from the scores of the evidence; half of the rows if there are fewer than 400


def rehearse(problem: Problem, settings: Settings, features: np.ndarray, labels: np.ndarray, chains: int, seed: int,
             terms: int | None = None, every: int = 10, output: str | os.PathLike[str] | None = None,
             stop: Callable[[], bool] = lambda: False, algorithm: str | None = None) -> ReplayResult:
    """Replay the tuning rows with only the divergence gate.

    Parameters
    ----------
    problem, features, labels
        Problem and its rows; for a GradientOracle pass ``terms`` instead of rows.
    settings, chains, seed, algorithm
        As in the sweep.
    terms : int >= 1, optional
        Number of terms of a GradientOracle.
    every : int
        Epochs per block, after which the chains are monitored.
    output : optional
        Receives each block's summary, as in `Replay`.
    stop : callable, optional
        Polled after each block; True ends the rehearsal early.
    """
    check_problem(problem)
    if problem.kind == "oracle":
        terms = whole_number("terms", terms, advice="how many data the gradient has")
    else:
        check_data(problem, features, labels, terms_of(features, None))
    batches: list[Any] = [(np.zeros((terms or 0, 0)), None)] if problem.kind == "oracle" else [(features, labels)]
    gates = Gates(warm_up=max(WARM_UP, (terms or len(features)) // 2))  # as in `gates_from`
    replay = Replay(problem, settings, batches, chains, seed, every=every, gates=gates, output=output,
                    algorithm=algorithm)
    replay.resume()
    return replay.run(stop)


def stream_evidence(result: ReplayResult) -> dict[str, Any]:
    """Return the measurements of a rehearsal that need no reference, as plain values; None for missing ones.

    ``predictive_score`` is the mean log score of the last 1,000 rows after the warm-up and ``score_error`` its standard
    error; ``score_loss`` is the excess of the normal approximation's score on the newer half of the rows;
    ``calibration_error`` is a mean absolute difference of probabilities and ``calibration_noise`` its expectation by
    chance; ``rhat`` and ``ess`` are the largest and smallest over coordinates; ``mean_error`` is the largest Monte Carlo
    error of a posterior mean in posterior standard deviations; ``mode_lag`` and ``common_drift`` measure the common motion
    of all chains, which R-hat does not detect.

    Parameters
    ----------
    result : ReplayResult
        Result of a rehearsal.
    """
    watch, diagnostics, curve = result.watch, result.watch.window.diagnostics(), result.watch.calibration
    sd = np.maximum(result.samples.std(axis=0), 1e-300)
    none, predictor = np.empty(0), watch.prequential
    scores, gains = (none, none) if predictor is None else predictor.recent(min(WARM_UP, result.t // 2))
    values = {"predictive_score": scores.mean() if len(scores) else None,
              "score_error": standard_error(scores) if len(scores) > 1 else None,
              "score_loss": -gains.mean() if len(gains) else None,
              "calibration_error": None if curve is None else curve.error,
              "calibration_noise": None if curve is None else curve.noise,
              "rhat": None if diagnostics is None else float(diagnostics.rhat.max()),
              "ess": None if diagnostics is None else float(diagnostics.ess.min()),
              "mean_error": None if diagnostics is None else float((diagnostics.mcse / sd).max()),
              "mode_lag": watch.lag.value, "common_drift": watch.common_drift, "drift_alarms": len(watch.drifts)}
    return {name: None if value is None or not np.isfinite(value) else value if isinstance(value, int) else float(value)
            for name, value in values.items()}


def gates_from(result: ReplayResult) -> Gates:
    """Return gates that a run similar to the rehearsal passes with a margin.

    A gate applies to a measurement net of chance; the rehearsal's value is the worst in its newer half. Each limit is the
    larger of a default and a multiple of that value: R-hat 1.1, or twice its distance from 1; lag of one posterior width,
    or twice the value; 1.25 times too wide or too narrow against the posterior's normal approximation, or 1.25 times the
    value; score loss of 0.01 nats per row against that approximation, or twice the value; common drift of eight standard
    deviations, or twice the value; five times the reset rate, at least 0.02; twenty times the wall time.

    Parameters
    ----------
    result : ReplayResult
        Result of a rehearsal.
    """
    watch = result.watch
    worst = {name: value for name, value in watch.worst.items() if np.isfinite(value)}
    rhat, widest, narrowest = (worst.get(name, 1.0) for name in ("max_rhat", "max_width", "min_width"))
    return Gates(max_rhat=_three_digits(max(1.1, 2.0 * rhat - 1.0)), max_lag=_twice(worst.get("max_lag"), 1.0),
                 max_common_drift=_twice(worst.get("max_common_drift"), 8.0),
                 max_width=_three_digits(MARGIN * max(1.0, widest)), min_width=_three_digits(min(1.0, narrowest) / MARGIN),
                 max_score_loss=_twice(worst.get("max_score_loss"), SCORE_TOLERANCE),
                 max_reset_rate=min(1.0, max(0.02, 5.0 * watch.reset_rate)),
                 max_seconds_per_epoch=above(TIME_FACTOR * watch.seconds_per_epoch), warm_up=max(WARM_UP, result.t // 2))


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")


def _twice(measured: float | None, least: float) -> float:
    return above(max(least, 2.0 * (measured or 0.0)))
