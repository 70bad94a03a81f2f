"""Replay of a recorded sweep on a simulated clock: its estimate of time left is within a factor of two, or absent."""

import json
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from sampler import Settings, Sweep
from sampler.problems import LogisticRegression
from sampler.tuning import CellForecast, CellResult, Grid
from sampler.tuning.algorithm_settings import CellKey, key_of
from sampler.tuning.sweep_schedule import trial_order
from sampler.tuning.workers import InProcessWorkers
from tests.sampler.test_time_left import Clock

FOLDER = Path(__file__).with_name("recorded")


class Recorded:
    """Recorded sweep: forecasts, and (accuracy, seconds, diverged) of every cell at every rung it reached."""

    def __init__(self, name):
        content = json.loads((FOLDER / f"{name}.json").read_text())
        self.rows, self.chains, self.dim, self.radii = content["rows"], content["chains"], content["dim"], content["radii"]
        self.ceiling, self.ceiling_sd = content["ceiling"]
        self.rungs, self.forecasts = {}, {}
        for eta0, i_max, batch, algorithm, rungs, predicted in content["cells"]:
            key = CellKey(eta0, i_max, batch, algorithm)
            self.rungs[key], self.forecasts[key] = rungs, CellForecast(*predicted)

    def grids(self):
        """Return one grid per algorithm."""
        return [Grid(*(sorted({key[i] for key in self.rungs if key.algorithm == name}) for i in range(3)), (radius,), name)
                for name, radius in self.radii.items()]

    def result(self, settings, rung):
        """Return the recorded cell at a rung, including its seconds."""
        key = key_of(settings)
        accuracy, seconds, diverged = self.rungs[key][min(rung, len(self.rungs[key]) - 1)]
        return CellResult(settings.eta0, settings.i_max, settings.batch_size, settings.acceptance_radius, rung,
                          self.rows[rung], accuracy, self.ceiling, self.ceiling_sd, 1.0, 0.0, 0.0, 0.0, None, 1.0, seconds,
                          (0, 1, 1) if diverged else None, key.algorithm, 1.0, 1.0)


class TimedFuture(Future):
    """Future that is done from a given time of the simulated clock."""

    def __init__(self, clock, moment, result):
        super().__init__()
        self._clock, self._moment = clock, moment
        self.set_result(result)

    def done(self):
        return self._clock.now >= self._moment

    def result(self, timeout=0.0):
        if not self.done():
            wait = min(timeout, self._moment - self._clock.now)
            self._clock.now += wait
            if wait == timeout:
                raise NotYet
        return super().result()


class Workers(InProcessWorkers):
    """Workers that take the recorded seconds times a factor that may depend on time."""

    def __init__(self, recorded, clock, workers, slowness):
        self.workers, self._recorded, self._clock, self._slowness = workers, recorded, clock, slowness
        self._free = [0.0] * workers

    def submit(self, settings, rung):
        """Start the cell on the worker that is free first."""
        result = self._recorded.result(settings, rung)
        first = int(np.argmin(self._free))
        began = max(self._free[first], self._clock.now)
        seconds = result.seconds * self._slowness(began)
        self._free[first] = began + seconds
        return TimedFuture(self._clock, self._free[first], replace(result, seconds=seconds))


def replay(recorded, order, monkeypatch, workers=2, slowness=lambda now: 1.0, prune=True):
    """Run the recorded sweep in this order; return ``(total seconds, [(time, estimated seconds left or None)])``."""
    rng, clock, estimates = np.random.default_rng(0), Clock(0.0), []
    rows = recorded.rows[-1]
    with monkeypatch.context() as patch:
        patch.setattr(time, "monotonic", clock)
        patch.setattr("sampler.tuning.sweep.open_workers", lambda *_: Workers(recorded, clock, workers, slowness))
        patch.setattr("sampler.tuning.sweep.make_reference", lambda *_: SimpleNamespace(method="draws", ess=1000))
        patch.setattr("sampler.tuning.sweep.run_rivals", lambda *_: [])
        sweep = Sweep(LogisticRegression(recorded.dim), rng.standard_normal((rows, recorded.dim)), rng.integers(0, 2, rows),
                      recorded.grids(), Settings(), recorded.chains, order=order, prune=prune)
        outcome = sweep.run(on_progress=lambda progress: estimates.append((clock.now, progress.seconds_left)))
    assert outcome.ended == "finished" and len(outcome.cells) == len(recorded.rungs)
    return clock.now, estimates


def wrong_and_shown(total, history):
    """Return ``(largest ratio between estimate and truth, share of times with an estimate)`` after the first tenth."""
    at, left = np.array([moment for moment, _ in history]), np.array([np.nan if one is None else one for _, one in history])
    moment = np.linspace(0.1 * total, 0.999 * total, 900)
    shown = left[np.searchsorted(at, moment, side="right") - 1]
    true = total - moment
    judged = np.isfinite(shown) & (np.abs(shown - true) > 2.0)
    ratio = np.maximum(shown, 0.1)[judged] / true[judged]
    return np.maximum(ratio, 1.0 / ratio).max(initial=1.0), np.isfinite(shown).mean()


LARGE, BOTH, WIDE = "default_example", "both_algorithms", "twenty_one_dimensions"


@pytest.mark.parametrize(("name", "workers", "prune", "busy", "quiet", "least"), [
    (BOTH, 2, True, 20.0, 20.0, 0.5), (WIDE, 2, True, 20.0, 20.0, 0.5), (WIDE, 1, True, 20.0, 20.0, 0.6),
    (WIDE, 2, False, 20.0, 20.0, 0.3), (WIDE, 8, True, 20.0, 20.0, 0.0), (WIDE, 2, True, 18.0, 10.0, 0.3),
    pytest.param(LARGE, 2, True, 6.0, 6.0, 0.5, marks=pytest.mark.slow)])
def test_an_estimate_is_within_a_factor_of_two(name, workers, prune, busy, quiet, least, monkeypatch):
    """A cell takes ``busy`` times, and in every other 15 s ``quiet`` times, the seconds recorded with few chains."""
    recorded = Recorded(name)
    total, estimates = replay(recorded, trial_order(recorded.forecasts), monkeypatch, workers,
                              lambda now: busy if int(now / 15) % 2 else quiet, prune)
    worst, shown = wrong_and_shown(total, estimates)
    assert worst <= 2.0 and shown >= least, (total, worst, shown)


def test_without_forecasts_no_time_is_estimated(monkeypatch):
    recorded = Recorded(WIDE)
    total, estimates = replay(recorded, None, monkeypatch, slowness=lambda now: 20.0)
    assert wrong_and_shown(total, estimates) == (1.0, 0.0)
