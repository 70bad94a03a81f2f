"""A chosen setting run once over the rows it was tuned on, as production will run it: what its gates should be."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from sampler.arguments import whole_number
from sampler.problems.base import Problem
from sampler.problems.data_check import check_data, check_problem, terms_of
from sampler.production.gates import AT_FIRST, Gates
from sampler.production.replay import Replay
from sampler.production.replay_result import ReplayResult
from sampler.production.run_monitor import standard_error
from sampler.settings import Settings
from sampler.tuning.settings_grid import above

SLACK = 20.0  # times the measured wall time: another machine, other work on it
ROOM = 1.25  # times how wide, or narrow, the chains were
WARM_UP = 200  # rows whose scores are left out of the evidence, half of them where there are fewer than 400


def rehearse(problem: Problem, settings: Settings, features: np.ndarray, labels: np.ndarray, chains: int, seed: int,
             terms: int | None = None, every: int = 10, output: str | os.PathLike[str] | None = None,
             stop: Callable[[], bool] = lambda: False, algorithm: str | None = None) -> ReplayResult:
    """Replay the tuning rows with no gate but divergence.

    Parameters
    ----------
    problem, features, labels
        The rows; for a GradientOracle pass ``terms`` instead.
    settings, chains, seed, algorithm
        As the sweep had them.
    terms : int >= 1, optional
        Of a GradientOracle.
    every : int
        Epochs of a block: the chains are watched after each.
    output : optional
        Takes each block's summary, as `Replay` says.
    stop : callable, optional
        Asked after each block; True ends the rehearsal early.
    """
    check_problem(problem)
    if problem.kind == "oracle":
        terms = whole_number("terms", terms, advice="how many data the gradient has")
    else:
        check_data(problem, features, labels, terms_of(features, None))
    batches: list[Any] = [(np.zeros((terms or 0, 0)), None)] if problem.kind == "oracle" else [(features, labels)]
    gates = Gates(warm_up=max(WARM_UP, (terms or len(features)) // 2))  # as production's, see `gates_from`
    replay = Replay(problem, settings, batches, chains, seed, every=every, gates=gates, output=output,
                    algorithm=algorithm)
    replay.resume()
    return replay.run(stop)


def stream_evidence(result: ReplayResult) -> dict[str, Any]:
    """Return what a rehearsal measured without knowing the truth, as plain values; None for what it could not measure.

    ``predictive_score`` is the mean log score of the last 1,000 rows after the warm-up and ``score_error`` its standard
    error, ``score_loss`` what the posterior's normal approximation scores above it on the newer half of the rows,
    ``calibration_error`` a mean absolute difference of probabilities and ``calibration_noise`` what chance alone makes of
    it, ``rhat`` and ``ess`` the largest and the smallest over coordinates, ``mean_error`` the largest Monte Carlo error of
    a posterior mean in posterior standard deviations, ``mode_lag`` and ``common_drift`` what all chains do together, which
    R-hat cannot see.

    Parameters
    ----------
    result : ReplayResult
        Of a rehearsal.
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
    """Gates that a run like the rehearsal passes with room.

    Each is held against what is left of a measurement once chance is taken off. The rehearsal's own is the worst of its
    newer half. R-hat 1.1, or twice as far above 1 as its own; one posterior width behind the mode, or twice its own lag;
    1.25 times too wide or too narrow against the posterior's normal approximation, or 1.25 times its own; a hundredth of a
    nat a row below that approximation's score, or twice its own loss; eight standard deviations of common drift, or twice
    its own; five times its resets; twenty times its time.

    Parameters
    ----------
    result : ReplayResult
        Of a rehearsal.
    """
    watch = result.watch
    worst = {name: value for name, value in watch.worst.items() if np.isfinite(value)}
    rhat, widest, narrowest = (worst.get(name, 1.0) for name in ("max_rhat", "max_width", "min_width"))
    return Gates(max_rhat=_three_digits(max(1.1, 2.0 * rhat - 1.0)), max_lag=_twice(worst.get("max_lag"), 1.0),
                 max_common_drift=_twice(worst.get("max_common_drift"), 8.0),
                 max_width=_three_digits(ROOM * max(1.0, widest)), min_width=_three_digits(min(1.0, narrowest) / ROOM),
                 max_score_loss=_twice(worst.get("max_score_loss"), AT_FIRST),
                 max_reset_rate=min(1.0, max(0.02, 5.0 * watch.reset_rate)),
                 max_seconds_per_epoch=above(SLACK * watch.seconds_per_epoch), warm_up=max(WARM_UP, result.t // 2))


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")


def _twice(measured: float | None, least: float) -> float:
    return above(max(least, 2.0 * (measured or 0.0)))
