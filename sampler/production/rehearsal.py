"""A chosen setting run once over the rows it was tuned on, as production will run it: what its gates should be."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from sampler.arguments import whole_number
from sampler.problems.base import Problem
from sampler.problems.data_check import check_data, check_problem, terms_of
from sampler.production.gates import Gates
from sampler.production.replay import Replay, ReplayResult
from sampler.settings import Settings, checked_settings
from sampler.tuning.round_numbers import above

SLACK = 20.0  # times the measured wall time: another machine, other work on it
SURE = 6.0  # standard errors a mean of 1,000 scores may fall


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
    checked_settings(settings)
    if problem.kind == "oracle":
        terms = whole_number("terms", terms, advice="how many data the gradient has")
    else:
        check_data(problem, features, labels, terms_of(features, None))
    batches: list[Any] = [(np.zeros((terms or 0, 0)), None)] if problem.kind == "oracle" else [(features, labels)]
    replay = Replay(problem, settings, batches, chains, seed, every=every, output=output,
                    algorithm=algorithm)
    replay.resume()
    return replay.run(stop)


def stream_evidence(result: ReplayResult) -> dict[str, Any]:
    """Return what a rehearsal measured without knowing the truth, as plain values; None for what it could not measure.

    ``predictive_score`` is the mean log score of the last 1,000 rows, ``calibration_error`` a mean absolute difference
    of probabilities and ``calibration_noise`` what chance alone makes of it, ``rhat`` and ``ess`` the largest and the
    smallest over coordinates, ``mean_error`` the largest Monte Carlo error of a posterior mean in posterior standard
    deviations, ``mode_lag`` and ``common_drift`` what all chains do together, which R-hat cannot see.

    Parameters
    ----------
    result : ReplayResult
        Of a rehearsal.
    """
    watch, found = result.watch, result.watch.window.diagnostics()
    sd = np.maximum(result.samples.std(axis=0), 1e-300)
    values = {"predictive_score": watch.score, "calibration_error": watch.calibration_error,
              "calibration_noise": watch.calibration_noise,
              "rhat": None if found is None else float(found.rhat.max()),
              "ess": None if found is None else float(found.ess.min()),
              "mean_error": None if found is None else float((found.mcse / sd).max()),
              "mode_lag": watch.lag.value, "common_drift": watch.common_drift, "drift_alarms": len(watch.drifts)}
    return {name: None if value is None or not np.isfinite(value) else value for name, value in values.items()}


def gates_from(result: ReplayResult) -> Gates:
    """Gates that a run like the rehearsal passes with room: R-hat 1.1, one posterior width or twice its own
    lag behind the mode, eight standard deviations or twice its own common drift, the score less six standard errors and a
    tenth, five times the resets, twenty times the time.

    Parameters
    ----------
    result : ReplayResult
        Of a rehearsal.
    """
    watch, score = result.watch, None
    if watch.score is not None and watch.prequential is not None:
        scores = watch.prequential.scores
        score = watch.score - SURE * float(scores.std()) / np.sqrt(len(scores)) - 0.1 * abs(watch.score)
        score = float(f"{score:.3g}")
    return Gates(max_rhat=1.1, max_lag=_twice(watch.lag.value, 1.0), max_common_drift=_twice(watch.common_drift, 8.0),
                 min_predictive_score=score, max_reset_rate=min(1.0, max(0.02, 5.0 * watch.reset_rate)),
                 max_seconds_per_epoch=above(SLACK * watch.seconds_per_epoch), warm_up=max(200, result.t // 2))


def _twice(measured: float | None, least: float) -> float:
    return above(max(least, 2.0 * (measured or 0.0)))
