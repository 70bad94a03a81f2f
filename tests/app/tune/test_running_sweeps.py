"""Running sweeps: limit and order, waiting pages, and the end of the process, which no worker survives."""

import signal
import threading
from types import SimpleNamespace

import pytest

from app import app_hooks
from app.jobs.background_job import BackgroundJob
from app.tune import running_sweeps
from app.tune.running_sweeps import RunningSweep, RunningSweeps
from app.tune.sweep_job import SweepJobs
from app.visit import Server, Visit
from tests.app.jobs.waiting import wait
from tests.waiting import wait_for

INITIAL = SimpleNamespace(config=SimpleNamespace(grids=(), prune=True, swept=None), only=None)
"""Parts of the initial result that are used."""


class StubSweep:
    """Stub of a sweep that ends once stopped if `responsive`, else once `release` is set."""

    def __init__(self, responsive):
        self.responsive, self.release = responsive, threading.Event()

    def run(self, on_cell, on_progress, stop):
        while not (self.responsive and stop()) and not self.release.wait(0.005):
            pass
        return "ended"


@pytest.mark.parametrize("responsive", [True, False])
def test_sweeps_are_stopped_and_workers_of_an_unresponsive_one_are_killed(tmp_path, monkeypatch, responsive):
    killed = []
    worker = SimpleNamespace(daemon=False, kill=lambda: killed.append(1))
    other = SimpleNamespace(daemon=True, kill=lambda: pytest.fail("a worker process of the pages was killed"))
    sweeps, sweep = RunningSweeps(), StubSweep(responsive)
    monkeypatch.setattr(running_sweeps.multiprocessing, "active_children",
                        lambda: [other] if running.over.is_set() else [worker, other])
    running = sweeps.join(tmp_path / "sweep.db", sweep, INITIAL, object(), lambda: True)
    assert isinstance(running, RunningSweep)
    sweeps.stop_all(30.0 if responsive else 0.05)
    assert running.over.is_set() == responsive and bool(killed) != responsive
    assert responsive or sweeps.join(tmp_path / "sweep.db", sweep, INITIAL, object(), lambda: True) is None
    sweep.release.set()
    sweeps.stop_all()
    assert running.outcome == "ended"


def test_at_most_max_running_sweeps_run_and_the_others_wait_in_order_of_arrival(tmp_path, monkeypatch):
    monkeypatch.setattr(running_sweeps, "MAX_RUNNING", 1)
    registry, stubs, begun = RunningSweeps(), [StubSweep(responsive=True) for _ in range(4)], []
    for sweep in stubs:
        sweep.run = lambda *args, run=sweep.run, sweep=sweep: begun.append(sweep) or run(*args)

    running = [registry.join(tmp_path / f"{i}.db", stubs[i], INITIAL, "page", lambda: True) for i in range(4)]
    wait_for(lambda: begun == stubs[:1])
    assert [registry.ahead_of(one) for one in running] == [0, 1, 2, 3]
    assert not running[1].leave("page", cancelled=True)  # without a page it never starts
    running[1].over.wait(60)
    assert running[1].over.is_set() and running[1].outcome is None
    assert [registry.ahead_of(one) for one in running] == [0, 0, 1, 2]
    stubs[0].release.set()
    wait_for(lambda: len(begun) == 2)
    assert begun == [stubs[0], stubs[2]] and [registry.ahead_of(one) for one in running] == [0, 0, 0, 1]
    registry.stop_all()
    assert all(one.over.is_set() for one in running) and stubs[3] not in begun


def test_a_page_shows_that_its_sweep_waits_and_starts_it_later(small, monkeypatch, tmp_path):
    monkeypatch.setattr(running_sweeps, "MAX_RUNNING", 1)
    other, visit = StubSweep(responsive=True), Visit(server=Server())
    visit.server.part(RunningSweeps).join(tmp_path / "other.db", other, INITIAL, object(), lambda: True)
    background, seen = BackgroundJob("test"), set()
    background.start(SweepJobs(visit, workers=0).job(small.replace(i_max=(4, 4), eta0=(0.1, 0.2), going=True)))

    def waiting_shown():
        update = background.take()
        seen.update(() if update is None else {update.words})
        assert update is None or not update.done, update.error
        return any("1 other sweep on this server must end first" in words for words in seen)

    wait_for(waiting_shown, lambda: seen)
    other.release.set()
    end = wait(background)
    background.close()
    assert end.value.ended == "finished" and end.error == ""


def test_a_server_that_ends_stops_its_sweeps_and_a_second_signal_ends_it_immediately(monkeypatch):
    numbers = (signal.SIGTERM, signal.SIGINT)
    stopped, before = [], [signal.getsignal(number) for number in numbers]
    monkeypatch.setattr(RunningSweeps, "stop_all", lambda self: stopped.append([signal.getsignal(one) for one in numbers]))
    try:
        for number in numbers:
            signal.signal(number, lambda *args: None)
        aside = threading.Thread(target=app_hooks.on_server_unloaded, args=(None,))  # a server embedded in another program
        aside.start()
        aside.join()
        app_hooks.on_server_unloaded(None)
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    assert signal.SIG_DFL not in stopped[0] and stopped[1] == [signal.SIG_DFL] * 2
