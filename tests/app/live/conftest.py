"""An engine with somebody who takes its frames."""

import time

import numpy as np
import pytest

from app.live.engine import Engine
from app.state.live import SPEEDS, default_config

FASTEST = len(SPEEDS) - 1
SMALL = default_config("gaussian2").replace(chains=8, speed=FASTEST)
PATIENCE = 300  # seconds before a test that waits for a state gives up: compiling is slow on a busy machine


class Watched:
    """An engine with somebody who takes its frames."""

    def __init__(self, config, playing):
        self.engine = Engine(config, playing)
        self.engine.start()
        self.frames, self.last = [], None

    def until(self, wanted):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            snapshot = self.engine.take()
            if snapshot is None:
                time.sleep(0.001)
                continue
            self.frames.append(snapshot)
            self.last = snapshot
            assert_finite(snapshot)
            if wanted(snapshot):
                return snapshot
        raise AssertionError(f"never came, last was {self.last}")

    def post(self, *commands):
        for command in commands:
            self.engine.post(command)


def assert_finite(snapshot):
    cloud = snapshot.cloud
    for array in (cloud.positions, cloud.mode, cloud.checkpoint, cloud.center, cloud.resets, cloud.exits,
                  *cloud.contours):
        assert np.isfinite(array).all()
    assert np.isfinite([cloud.half_width, cloud.escape_distance, cloud.acceptance_distance, snapshot.step_size]).all()
    if snapshot.series is not None:
        for name in ("accuracy", "ceiling_low", "predicted", "median", "farthest", "memory", "cost", "saga", "sgld"):
            assert np.isfinite(getattr(snapshot.series, name)).all(), name


@pytest.fixture
def open_engine():
    opened = []

    def make(config=SMALL, playing=False, **changes):
        opened.append(Watched(config.replace(**changes), playing))
        return opened[-1]

    yield make
    for watched in opened:
        watched.engine.close(wait=5.0)
