"""Runs that are closed at the end, and an engine with somebody who takes its frames."""

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
    """References that are drawn in the background have few draws: no test here asks how near they are to the target."""
    for name in ("EARLY_DRAWS", "DRAWS"):
        monkeypatch.setattr(f"app.live.truth.{name}", 100)


@pytest.fixture
def make_worker():
    """Return a function that makes a worker without an engine: it obeys each command at once."""
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
    """An engine with somebody who takes its frames."""

    def __init__(self, config, playing):
        self.engine = Engine(config, playing)
        self.engine.start()
        self.frames, self.last = [], None

    def until(self, wanted):
        def come():
            snapshot = self.engine.take()
            if snapshot is None:
                return None
            self.frames.append(snapshot)
            self.last = snapshot
            assert_finite(snapshot)
            return snapshot if wanted(snapshot) else None

        return wait_for(come, lambda: f"never came, last was {self.last}", PATIENCE, every=0.001)

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
