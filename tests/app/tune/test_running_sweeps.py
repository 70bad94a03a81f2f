"""A process that ends stops its sweeps: what was tried is kept, and no worker outlives it."""

import signal
import threading
import time
from types import SimpleNamespace

import pytest

from app import app_hooks
from app.background_job import BackgroundJob, wait
from app.tune import running_sweeps, sweep_job
from app.tune.running_sweeps import RunningSweep, join, stop_all
from app.tune.sweep_job import SweepJobs
from app.tune.sweep_line import SweepLine


class Deaf:
    """Stands for a sweep that ends when told to, or not before `let_go`."""

    def __init__(self, hears):
        self.hears, self.let_go = hears, threading.Event()

    def run(self, on_cell, on_progress, stop):
        while not (self.hears and stop()) and not self.let_go.wait(0.005):
            pass
        return "ended"


@pytest.mark.parametrize("hears", [True, False])
def test_sweeps_are_stopped_and_workers_of_one_that_does_not_hear_are_killed(tmp_path, monkeypatch, hears):
    killed = []
    worker = SimpleNamespace(kill=lambda: killed.append(1))
    sweep = Deaf(hears)
    monkeypatch.setattr(running_sweeps.multiprocessing, "active_children", lambda: [] if running.over else [worker])
    known = SimpleNamespace(config=SimpleNamespace(grids=(), prune=True))
    running = join(tmp_path / "sweep.db", sweep, known, object(), lambda: True)
    assert isinstance(running, RunningSweep)
    stop_all(30.0 if hears else 0.05)
    assert running.over == hears and bool(killed) != hears
    assert hears or join(tmp_path / "sweep.db", sweep, known, object(), lambda: True) is None
    sweep.let_go.set()
    stop_all()
    assert running.outcome == "ended"


def test_so_many_sweeps_are_at_work_and_the_others_wait_in_the_order_in_which_they_came(tmp_path):
    line, known = SweepLine(1), SimpleNamespace(config=SimpleNamespace(grids=(), prune=True))
    sweeps, begun = [Deaf(hears=True) for _ in range(4)], []
    for sweep in sweeps:
        sweep.run = lambda *given, run=sweep.run, sweep=sweep: begun.append(sweep) or run(*given)

    def ask(i):
        running = join(tmp_path / f"{i}.db", sweeps[i], known, "page", lambda: True, line)
        until(lambda: running in line._there)
        return running

    def until(done):
        deadline = time.monotonic() + 60
        while not done():
            assert time.monotonic() < deadline
            time.sleep(0.005)

    running = [ask(i) for i in range(4)]
    until(lambda: begun == sweeps[:1])
    assert [one.ahead for one in running] == [0, 1, 2, 3]
    assert not running[1].leave("page", cancelled=True)  # its page does without it: it never begins
    running[1].wait(60)
    assert running[1].over and running[1].outcome is None and [one.ahead for one in running] == [0, 0, 1, 2]
    sweeps[0].let_go.set()
    until(lambda: len(begun) == 2)
    assert begun == [sweeps[0], sweeps[2]] and [one.ahead for one in running] == [0, 0, 0, 1]
    stop_all()
    assert all(one.over for one in running) and sweeps[3] not in begun
    with pytest.raises(ValueError, match="at_once must be 1 or more; got 0"):
        SweepLine(0)


def test_a_page_says_that_its_sweep_waits_and_begins_by_itself(small, monkeypatch):
    line = SweepLine(1)
    monkeypatch.setattr(sweep_job, "LINE", line)
    assert line.enter("somebody else's", lambda: False)
    background, seen = BackgroundJob("test"), set()
    background.start(SweepJobs(lambda: None, workers=0).job(small.replace(i_max=(4, 4), eta0=(0.1, 0.2), going=True)))
    deadline = time.monotonic() + 60
    while not any("1 other sweep on this server must end first" in words for words in seen):
        assert time.monotonic() < deadline, seen
        update = background.take()
        seen |= set() if update is None else {update.words}
        assert update is None or not update.done, update.error
        time.sleep(0.005)
    line.leave("somebody else's")
    end = wait(background)
    background.close()
    assert end.value.ended == "finished" and end.error == ""


def test_a_server_that_ends_stops_them_and_a_second_signal_ends_at_once(monkeypatch):
    numbers = (signal.SIGTERM, signal.SIGINT)
    stopped, before = [], [signal.getsignal(number) for number in numbers]
    monkeypatch.setattr(running_sweeps, "stop_all", lambda: stopped.append([signal.getsignal(one) for one in numbers]))
    try:
        for number in numbers:
            signal.signal(number, lambda *given: None)
        aside = threading.Thread(target=app_hooks.on_server_unloaded, args=(None,))  # a server within another program
        aside.start()
        aside.join()
        app_hooks.on_server_unloaded(None)
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    assert signal.SIG_DFL not in stopped[0] and stopped[1] == [signal.SIG_DFL] * 2
