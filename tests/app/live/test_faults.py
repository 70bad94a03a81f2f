"""A fault inside a run: words, and one click goes on from the last picture before it."""

from contextlib import nullcontext

import numpy as np
import pytest

from app.live import commands as do
from app.live.engine import Engine
from app.live.run_state import above_rounding
from app.live.worker import Worker
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
        shown = worker.snapshot()
        assert worker.wait(0.0) is None
    assert (shown.notice_kind, shown.playing, len(shown.cloud.positions)) == ("error", False, 0)
    assert "ZeroDivisionError: division by zero" in shown.notice and shown.verdict.title == "Stopped"
    worker.obey(do.Configure(SMALL.replace(chains=9)))
    assert worker.snapshot().config.chains == 9 and worker.snapshot().notice_kind is None
    engine.close(wait=5.0)
    worker.close()


@pytest.mark.parametrize("command", [do.Play(), do.Step(), do.Epoch(), do.Revive(), do.Rewind(1)])
def test_a_stopped_run_stands_still_is_logged_and_goes_on_by_any_button(monkeypatch, caplog, command):
    worker = Worker(SMALL, True, nullcontext)
    worker.obey(do.Epoch())
    worker.obey(do.Epoch())
    worker.snapshot()
    with monkeypatch.context() as patch:
        patch.setattr("app.live.run.LiveRun.go", lambda *given: above_rounding(np.ones((2, 3))))
        worker.obey(do.Epoch())
        failed = worker.snapshot()
    assert (failed.notice_kind, failed.playing, worker.playing) == ("error", False, False)
    assert "a computation failed (ValueError)" in failed.notice and "shape" not in failed.notice
    assert "Traceback" in caplog.text and "above_rounding" in caplog.text
    worker.obey(do.Configure(SMALL.replace(eta0=0.05)))
    worker.obey(command)
    while worker.wait(0.0) == 0.0 and worker._replay is not None:
        worker.work()
    shown = worker.snapshot()
    there = 0.07 if isinstance(command, do.Rewind) else 0.05  # knobs as they stood at epoch 1
    assert shown.notice_kind is None and shown.config.eta0 == there
    assert worker.playing == isinstance(command, do.Play | do.Revive)
    worker.close()


def test_a_run_whose_first_picture_fails_shows_nothing_of_the_one_before(monkeypatch):
    worker = Worker(SMALL, True, nullcontext)
    worker.obey(do.Epoch())
    assert worker.snapshot().t == 1
    with monkeypatch.context() as patch:
        patch.setattr("app.live.snapshot_builder.SnapshotBuilder.build", lambda *given: np.linalg.inv(np.zeros((2, 2))))
        worker.obey(do.Configure(SMALL.replace(chains=9)))
        shown = worker.snapshot()
    assert (shown.t, shown.config.chains, shown.playing, shown.verdict.title) == (0, 9, False, "Stopped")
    assert "Singular" not in shown.notice and "begins it again" in shown.notice
    worker.obey(do.Play())
    assert worker.snapshot().notice_kind is None and worker.playing
    worker.close()
