import numpy as np

from app.live.charts.columns import columns
from app.live.history import FIRST, History, is_charted
from app.live.run import LiveRun
from app.live.snapshot import HORIZON
from app.state.live import default_config
from tests.app.live.playing import play


def filled(upto, **columns):
    history = History()
    for t in range(1, upto + 1):
        history.record(t, exits=t % 2, resets=1, **{name: f(t) for name, f in columns.items()})
    return history


def test_series_are_short_log_spaced_and_end_now():
    history = filled(3000, accuracy=lambda t: t / 3000)
    series = history.series(3000, ())
    assert series.t[0] == FIRST and series.t[-1] == 3000 and len(series.t) <= 231
    assert np.allclose(series.accuracy, series.t / 3000)
    assert np.ptp(np.diff(np.log(series.t))[-20:-1]) < 0.01
    assert list(series.checkpoints) == [8, 16, 32, 64, 128, 256, 512, 1024, 2048]
    assert series.recent.t[-1] == 3000 and series.recent.t[0] > 2500 and len(series.recent.t) <= 231


def test_points_stay_where_they_were_as_the_run_goes_on():
    history = filled(900, accuracy=float)
    before, after = history.series(800, ()).t, history.series(900, ()).t
    assert set(before[:-1]) <= set(after)


def test_unknown_values_are_carried_and_nothing_is_nan():
    history = filled(200, accuracy=lambda t: None if t < 50 or t > 100 else 0.5 + t / 1000, saga=lambda t: np.inf)
    series = history.series(200, ())
    assert series.accuracy[0] == np.float32(0.55) and series.accuracy[-1] == np.float32(0.6)
    for name in ("ceiling_low", "predicted", "memory", "farthest", "cost"):
        assert np.isfinite(getattr(series, name)).all() and len(getattr(series, name)) == len(series.t)
    assert len(series.variance_t) == 0 and series.bound is None


def test_exits_between_two_points_are_not_lost():
    history = filled(2000, farthest=lambda t: 3.5 if t == 1503 else 0.5)
    series = history.series(2000, ())
    assert 1503 not in series.t
    assert list(series.exits_t) == [1503] and list(series.exits_value) == [3.5]


def test_variance_is_read_where_it_was_measured():
    history = filled(300, saga=lambda t: t if t % 10 == 0 else None, sgld=lambda t: t * t if t % 10 == 0 else None)
    series = history.series(300, ())
    assert (series.variance_t % 10 == 0).all() and np.allclose(series.saga, series.variance_t)
    assert np.allclose(series.sgld, series.variance_t**2)


def test_counts_and_truncation():
    history = filled(100)
    assert history.count("resets", 100, 30) == 30 and history.count("exits", 100, 1000) == 50
    history.truncate(40)
    assert history.t == 40 and history.count("resets", 100, 1000) == 40


def test_a_young_run_has_an_empty_or_short_series():
    for upto in (0, 1, 7, 8, 9):
        series = filled(upto, accuracy=float).series(upto, ())
        assert len(series.t) == max(0, upto - FIRST + 1)


def test_memory_grows_with_the_run_and_is_bounded_at_the_horizon():
    history = History()
    assert history._columns.nbytes + history._counts.nbytes < 1e5
    for t in (1, 1023, 1024, 5000, 2**15, HORIZON):
        history.record(t, exits=1, resets=0, accuracy=t / HORIZON)
    assert history._columns.nbytes + history._counts.nbytes < 6e6
    assert history.column("accuracy", HORIZON)[5000] == np.float32(5000 / HORIZON)
    assert history.count("exits", HORIZON, HORIZON + 1) == 6
    assert len(history.series(HORIZON, ()).t) <= 231


def test_what_was_not_known_is_not_drawn_as_measured():
    history = History()
    for t in range(1, 101):
        history.record(t, exits=0, resets=0, median=0.1, **({"accuracy": 0.9, "predicted": 0.8} if t >= 60 else {}))
    series = history.series(100, ())
    assert series.known_from == 60
    shown = columns(series)
    early = shown["t"] < 60
    assert early.any() and np.isnan(shown["accuracy"][early]).all() and np.isnan(shown["predicted"][early]).all()
    assert np.isfinite(shown["accuracy"][~early]).all() and np.isfinite(shown["median"]).all()
    assert filled(20, median=float).series(20, ()).known_from is None


def test_charted_epochs_are_those_of_the_series():
    series = filled(500, accuracy=float).series(500, ())
    assert [t for t in range(FIRST, 500) if is_charted(t)] == list(series.t[:-1])


def test_an_epoch_under_way_may_lie_beyond_the_columns(monkeypatch):
    """The columns grow when an epoch is recorded, at its end; the verdict is asked for before it too."""
    monkeypatch.setattr("app.live.history._AT_FIRST", 4)
    run = LiveRun(default_config("logistic2").replace(chains=8, i_max=10, random_length=False))
    play(run, 3)
    assert run.advance(1) and (run.state.t, run.state.done) == (4, False)
    verdict = run.verdict()[0]
    play(run, 1)
    run.close()
    assert verdict.sentence
