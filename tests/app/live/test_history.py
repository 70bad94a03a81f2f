"""History of all epochs, read at a few hundred of them; the four meters of the verdict."""

import sys

import numpy as np
import pytest

from app.live.epoch_measures import meters
from app.live.history import FIRST, History, is_charted
from app.live.timeline import HORIZON
from sampler import Settings
from sampler.tuning import Measurements
from tests.app.live.playing import play


def filled(upto, **columns):
    history = History()
    for t in range(1, upto + 1):
        new = t - 1 if (t - 1) & (t - 2) == 0 else None
        history.record(t, {"exits": t % 2, "resets": 1, "checkpoint": new} | {name: f(t) for name, f in columns.items()})
    return history


def test_series_are_short_log_spaced_and_end_now():
    history = filled(3000, accuracy=lambda t: t / 3000)
    series = history.series(3000, ())
    assert series.t[0] == FIRST and series.t[-1] == 3000 and len(series.t) <= 231
    assert np.allclose(series.columns["accuracy"], np.asarray(series.t) / 3000)
    assert np.ptp(np.diff(np.log(series.t))[-20:-1]) < 0.01
    assert list(series.checkpoints) == [8, 16, 32, 64, 128, 256, 512, 1024, 2048]
    assert series.recent.t[-1] == 3000 and series.recent.t[0] > 2500 and len(series.recent.t) <= 231
    assert set(history.series(900, ()).t[:-1]) <= set(series.t)  # points stay as the run continues
    assert [t for t in range(FIRST, 3000) if is_charted(t)] == list(series.t[:-1])


def test_missing_values_are_carried_forward():
    history = filled(200, cost=lambda t: None if t < 50 or t > 100 else 500 + t, saga=lambda t: np.inf,
                     **dict.fromkeys(("accuracy", "predicted"), lambda t: 0.9 if t >= 60 else None))
    columns = {name: np.asarray(column) for name, column in history.series(200, ()).columns.items()}
    assert columns["cost"][0] == 550 and columns["cost"][-1] == 600
    for name in ("median", "q95", "farthest", "cost", "full"):
        assert np.isfinite(columns[name]).all() and len(columns[name]) == len(columns["t"])
    assert np.isnan([columns[name] for name in ("saga", "sgld", "bound")]).all()
    for name in ("accuracy", "predicted"):  # not carried back before the first
        assert np.array_equal(np.isnan(columns[name]), columns["t"] < 60)


def test_exits_between_two_points_are_not_lost():
    series = filled(2000, farthest=lambda t: 3.5 if t == 1503 else 0.5).series(2000, ())
    assert 1503 not in series.t
    assert list(series.exits_t) == [1503] and list(series.exits_value) == [3.5]


def test_variance_is_interpolated_between_measurements():
    history = filled(300, saga=lambda t: t if t % 10 == 0 else None, sgld=lambda t: t * t if t % 10 == 0 else None)
    columns = history.series(300, ()).columns
    columns = {name: np.asarray(column) for name, column in columns.items()}
    t, later = columns["t"], columns["t"] >= 10
    assert np.isnan(columns["saga"][~later]).all() and np.isnan(columns["bound"]).all()
    assert np.allclose(columns["saga"][later], t[later], rtol=1e-6)  # powers of t are straight lines, log against log
    assert np.allclose(columns["sgld"][later], t[later] ** 2, rtol=1e-5)


def test_counts_and_truncation():
    history = filled(100)
    assert history.count("resets", 100, 30) == 30 and history.count("exits", 100, 1000) == 50
    history.truncate(40)
    assert history.t == 40 and history.count("resets", 100, 1000) == 40


@pytest.mark.parametrize("upto", [0, 1, 7, 8, 9])
def test_a_young_run_has_an_empty_or_short_series(upto):
    assert len(filled(upto, accuracy=float).series(upto, ()).t) == max(0, upto - FIRST + 1)


def test_memory_grows_with_the_run_and_is_bounded_at_the_horizon():
    history = History()
    for t in (1, 1023, 1024, 5000, 2**15, HORIZON):
        history.record(t, {"exits": 1, "resets": 0, "accuracy": t / HORIZON})
    assert sum(sys.getsizeof(column) for column in history._columns.values()) < 6e6
    assert history.column("accuracy", HORIZON)[5000] == np.float32(5000 / HORIZON)
    assert history.count("exits", HORIZON, HORIZON + 1) == 6


def test_the_current_epoch_may_exceed_the_columns(make):
    """Columns grow when an epoch is recorded at its end; the verdict is computed before it too."""
    run = make(epochs=3, i_max=10, random_length=False)
    assert run.advance(1) and (run.state.t, run.state.done) == (4, False)
    assert run.verdict()[0].sentence
    play(run, 1)


def test_meters_show_their_numbers_and_their_limits():
    measured = Measurements(Settings(), 500, 64, 500, width_bias=0.063, noise_share=5.7, memory=0.16, resets=62)
    width, noise, memory, resets = meters(measured)
    assert (width.text, noise.text, memory.text, resets.text) == ("6 %", "5.7 ×", "16 %", "0.2 %")
    assert [meter.bad for meter in (width, noise, memory, resets)] == [False, True, False, True]
    assert width.fill == pytest.approx(0.63 * width.tick) and noise.fill == 1.0
    for meter in meters(Measurements(Settings(), 3, 64, 3))[:3]:
        assert (meter.text, meter.fill, meter.bad) == ("…", 0.0, False)


@pytest.mark.parametrize("bias, words", [(-0.004, "0 %"), (2.0, "200 %"), (12.0, "13 ×"), (4e300, "> 10⁴ ×")])
def test_a_meter_shows_the_width_as_a_short_text(bias, words):
    (width, *_) = meters(Measurements(Settings(), 500, 64, 500, width_bias=bias))
    assert width.text == words and len(words) <= 9 and width.bad == (bias > 1) and width.fill == (bias > 1)
