"""A process that ends stops its sweeps: what was tried is kept, and no worker outlives it."""

import signal
import threading
from types import SimpleNamespace

import pytest

from app import app_hooks
from app.tune import running_sweeps
from app.tune.running_sweeps import RunningSweep, join, stop_all


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
