"""A fault inside a run: words, and one click goes on from the last picture before it."""

import pytest

from app.live import commands as do
from app.live.engine import Engine
from tests.app.live.conftest import SMALL


@pytest.mark.parametrize("fault", [ZeroDivisionError("in a gradient"), MemoryError(), SystemExit(1)])
def test_live_goes_on_from_the_last_picture_before_a_fault_as_if_there_had_been_none(open_engine, monkeypatch, fault):
    watched = open_engine()
    watched.post(*[do.Epoch()] * 5)
    watched.until(lambda s: s.t == 5 and s.step == s.run_length)
    watched.post(do.Configure(watched.last.config.replace(watched.last.config.settings.replace(eta0=0.7))))
    before = watched.until(lambda s: s.config.settings.eta0 == 0.7)

    def go(*given):
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr("app.live.run.LiveRun.go", go)
        watched.post(do.Play())
        failed = watched.until(lambda s: s.notice_kind == "error")
    assert "The run stopped" in failed.notice and "Go on replays it to epoch 5" in failed.notice and not failed.playing
    watched.post(do.Recover())
    again = watched.until(lambda s: s.t >= 8)
    assert again.notice_kind != "error" and again.config.settings.eta0 == 0.7
    watched.post(do.Pause(), do.Epoch())
    end = watched.until(lambda s: not s.playing and s.t > again.t and s.step == s.run_length)
    whole = open_engine()
    whole.post(*[do.Epoch()] * 5)
    whole.until(lambda s: s.t == 5 and s.step == s.run_length)
    whole.post(do.Configure(before.config), *[do.Epoch()] * (end.t - 5))
    expected = whole.until(lambda s: s.t == end.t and s.step == s.run_length)
    assert (end.cloud.positions == expected.cloud.positions).all()


def test_a_fault_before_the_first_picture_leaves_restart(monkeypatch):
    engine = Engine(SMALL, playing=False)
    with monkeypatch.context() as patch:
        patch.setattr("app.live.worker.LiveRun", lambda config: 1 / 0)
        engine._worker.work()
    assert engine._worker._error == "ZeroDivisionError: division by zero"
    engine._worker.obey(do.Recover())
    assert engine._worker._error is None and engine._worker._run.state.t == 0
    engine.close(wait=5.0)
    engine._worker.close()


def test_a_run_that_cannot_begin_says_why_and_begins_with_other_settings(monkeypatch):
    engine = Engine(SMALL, playing=True)
    worker = engine._worker
    with monkeypatch.context() as patch:
        patch.setattr("app.live.worker.LiveRun", lambda config: 1 / 0)
        worker.obey(do.Play())
        assert worker.snapshot() is None and worker.wait(0.0) is None
    assert engine.failure == "ZeroDivisionError: division by zero"
    worker.obey(do.Configure(SMALL.replace(chains=9)))
    assert worker.snapshot().config.chains == 9 and engine.failure == ""
    engine.close(wait=5.0)
    worker.close()
