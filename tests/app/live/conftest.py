"""Fixtures: workers and engines that are closed at the end of a test."""

from contextlib import nullcontext

import pytest

from app.live.engine import Engine, Worker
from app.state.live import SPEEDS, default_config
from tests.app.live.playing import assert_finite
from tests.waiting import PATIENCE, close, wait_for

FASTEST = len(SPEEDS) - 1
SMALL = default_config("gaussian2").replace(chains=8, speed=FASTEST)


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch):
    """Reduce the draws of references sampled in the background: no test here depends on their accuracy."""
    for name in ("EARLY_DRAWS", "DRAWS"):
        monkeypatch.setattr(f"app.live.truth.{name}", 100)


@pytest.fixture
def make_worker():
    """Return a function that makes a worker without an engine, which executes commands synchronously."""
    workers = []

    def make(config=SMALL, playing=False, epochs=0):
        workers.append(Worker(config, playing, nullcontext))
        for _ in range(epochs):
            workers[-1].execute("epoch")
        return workers[-1]

    yield make
    for worker in workers:
        worker.close()


class Watched:
    """An engine and a consumer of its frames."""

    def __init__(self, config, playing):
        self.engine = Engine(config, playing)
        self.engine.start()
        self.frames, self.last = [], None

    def until(self, wanted):
        def next_match():
            snapshot = self.engine.take()
            if snapshot is None:
                return None
            self.frames.append(snapshot)
            self.last = snapshot
            assert_finite(snapshot)
            return snapshot if wanted(snapshot) else None

        return wait_for(next_match, lambda: f"no such frame; the last was {self.last}", PATIENCE, every=0.001)

    def post(self, *commands):
        for command in commands:
            self.engine.post(*(command if isinstance(command, tuple) else (command,)))


@pytest.fixture
def open_engine():
    opened = []

    def make(config=SMALL, playing=False, **changes):
        opened.append(Watched(config.replace(**changes), playing))
        return opened[-1]

    yield make
    for watched in opened:
        close(watched.engine)
