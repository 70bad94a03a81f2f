"""A run of Live played and looked at, without an engine."""

from app.live.snapshot_builder import SnapshotBuilder

ALL = 10**9
"""Steps: more than any epoch here has."""


def play(run, epochs, steps=ALL):
    """Run that many more epochs, so many steps a call."""
    end = run.state.t + epochs
    while run.state.t < end or not run.state.done:
        assert run.advance(steps)


def picture(run, frames=None):
    """Return what a frame of the run shows."""
    return (frames or SnapshotBuilder(1, 0)).build(run, 1e6, False, False, (None, None), None)
