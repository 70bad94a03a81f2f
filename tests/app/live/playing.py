"""Helpers that play and display a run of Live without an engine."""

import dataclasses

import numpy as np

from app.live.snapshot_builder import SnapshotBuilder
from app.state.live import LiveConfig

ALL = 10**9
"""Number of steps larger than that of any epoch here."""


def play(run, epochs, steps=ALL):
    """Run ``epochs`` more epochs, ``steps`` steps per call."""
    end = run.state.t + epochs
    while run.state.t < end or not run.state.done:
        assert run.advance(steps)


def turn(run, **changes):
    """Change settings of a run."""
    run.configure(run.state.config.replace(**changes))


def reach(replay):
    """Run a replay to its end, 13 steps per slice."""
    while not replay.run_for(1.0, 13):
        pass


def replayed(worker):
    """Work until the end of the replay; return the worker."""
    while worker._replay is not None:
        worker.work(0.015)
    return worker


def picture(run, frames=None):
    """Return a snapshot of the run."""
    return (frames or SnapshotBuilder(1)).build(run, 1e6, False, False)


def assert_finite(value):
    """Assert that all arrays and numbers of a snapshot are finite."""
    if isinstance(value, np.ndarray):
        assert value.dtype.kind in "fiub" and np.isfinite(value).all()
    elif isinstance(value, float):
        assert np.isfinite(value)
    elif isinstance(value, tuple | list):
        for item in value:
            assert_finite(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, LiveConfig):
        for field in dataclasses.fields(value):
            assert_finite(getattr(value, field.name))
