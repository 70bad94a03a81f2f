"""An exception inside a run: a message, and one press continues from the last snapshot before it."""

from types import SimpleNamespace

import numpy as np
import pytest

from app.live.run_state import above_rounding
from app.pages.live import LivePage
from tests.app.live.conftest import SMALL
from tests.app.live.playing import replayed
from tests.waiting import close


@pytest.fixture
def worker(make_worker):
    return make_worker()


@pytest.fixture
def page(worker):
    """Page with commands that the worker executes synchronously."""
    page = LivePage(SMALL)
    close(page.engine)
    page.engine = SimpleNamespace(post=worker.execute, close=worker.close)
    yield page
    page.close()


def look(page, worker):
    """Display the current snapshot, after the end of a replay; return it."""
    snapshot = replayed(worker).snapshot()
    page.show(snapshot)
    return snapshot


def test_live_continues_exactly_from_the_last_snapshot_before_a_fault(
        page, worker, make_worker, monkeypatch, caplog):
    for _ in range(5):
        worker.execute("epoch")
    look(page, worker)
    page.state.eta0 = 0.7
    with monkeypatch.context() as patch:
        patch.setattr("app.live.run.LiveRun.go", lambda *args: above_rounding(np.ones((2, 3))))
        worker.execute("play")
        worker.work(0.015)
        failed = look(page, worker)
    assert (failed.notice_kind, failed.t, failed.playing, worker.playing) == ("error", 5, False, False)
    assert "The run stopped: a computation failed (ValueError)" in failed.notice and "shape" not in failed.notice
    assert "Go on replays it to epoch 5" in failed.notice and worker.wait() is None
    assert "Traceback" in caplog.text and "above_rounding" in caplog.text
    page.notices.on_act()
    assert look(page, worker).notice_kind is None and worker.playing
    whole = make_worker(epochs=5)
    whole.configure(SMALL.replace(eta0=0.7))
    for one in (worker, whole):
        one.execute("epoch")
    assert (worker.snapshot().cloud.positions == whole.snapshot().cloud.positions).all()


@pytest.mark.parametrize(("press", "t"), [
    (lambda page: page.transport.on_press("play"), 2), (lambda page: page.transport.on_press("epoch"), 3),
    (lambda page: page.transport.on_rewind(1), 1), (lambda page: page.transport.on_press("restart"), 0)])
def test_any_button_continues_a_stopped_run(page, worker, monkeypatch, press, t):
    def leave(*args):
        raise SystemExit(1)  # user code may do this too

    for _ in range(2):
        worker.execute("epoch")
    look(page, worker)
    with monkeypatch.context() as patch:
        patch.setattr("app.live.run.LiveRun.go", leave)
        worker.execute("epoch")
        assert look(page, worker).notice_kind == "error"
    page.state.eta0 = 0.05
    assert look(page, worker).notice_kind == "error"
    press(page)
    shown = look(page, worker)
    assert shown.notice_kind is None and shown.t == t
    assert shown.config.eta0 == page.state.eta0 == (0.07 if t == 1 else 0.05)  # the settings of epoch 1


def test_a_run_that_cannot_begin_shows_a_reason_and_begins_with_other_settings(page, worker, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("app.live.engine.LiveRun", lambda config: 1 / 0)
        worker.work(0.015)
        shown = look(page, worker)
    assert (shown.notice_kind, shown.playing, len(shown.cloud.positions)) == ("error", False, 0)
    assert "ZeroDivisionError: division by zero" in shown.notice and shown.verdict.title == "Stopped"
    page.notices.on_act()
    shown = look(page, worker)
    assert (shown.notice_kind, shown.t, worker.playing) == (None, 0, True)
    page.state.chains = 9
    assert (look(page, worker).config.chains, worker.snapshot().notice_kind) == (9, None)
