"""Fixtures: a room with a manual clock, and an engine that plays only on command."""

from types import SimpleNamespace

import pytest

from app.extras.classroom.room import Room
from app.live.run import LiveRun
from app.state.live import default_config
from tests.app.live.playing import picture, play


class Script:
    """Stub of an engine: passes the snapshots of a test to its listener."""

    def __init__(self):
        self.listener, self.posted, self.playing, self.last = None, [], True, None

    def listen(self, listener):
        self.listener = listener
        if listener is not None and self.last is not None:
            listener(self.last)

    def post(self, *command):
        self.posted.append(command)
        self.playing = False

    def show(self, snapshot):
        self.last = snapshot
        if self.listener is not None:
            self.listener(snapshot)


@pytest.fixture
def room(clock):
    return Room(seats=4, clock=clock)


@pytest.fixture
def leader(room):
    teacher = SimpleNamespace(here=True)
    room.lead(teacher)
    return teacher


@pytest.fixture
def script():
    return Script()


@pytest.fixture(scope="package")
def snapshots():
    """Snapshots of a run of eight chains after its second and third epoch."""
    run = LiveRun(default_config("logistic2").replace(chains=8, i_max=10))
    pictures = []
    for _ in range(3):
        play(run, 1)
        pictures.append(picture(run))
    run.close()
    return pictures[1:]
