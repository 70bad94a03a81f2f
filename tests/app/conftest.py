"""Pages of these tests compute on threads, where a test can reach what they do; processes have tests of their own.

As a server does before its first visit, they import large packages first: two threads that do so at once lock each other.
"""

from dataclasses import replace
from threading import Event

import arviz_stats.base  # noqa: F401
import pandas  # noqa: F401
import panel as pn
import pytest

from app.chrome.frame import Frame
from app.handover import SERVER, Visit
from app.jobs.worker_processes import WorkerPool
from app.tune.running_sweeps import RunningSweep
from tests.waiting import PATIENCE


@pytest.fixture(autouse=True, scope="session")
def _no_processes():
    SERVER.part(WorkerPool).most = 0


@pytest.fixture
def hold_sweeps(monkeypatch):
    """Return a function: each sweep of this process waits once so many cells are done, until the event it returns is set.

    What a sweep tells its pages is changed as further arguments say.
    """
    def hold(cells, **changes):
        go_on, keep = Event(), RunningSweep._keep
        monkeypatch.setattr(RunningSweep, "_keep", lambda self, update: (
            keep(self, replace(update, **changes)), update.done < cells or go_on.wait(PATIENCE)))
        return go_on

    return hold


@pytest.fixture
def frame(monkeypatch):
    """A function that returns the frame that a link opens, without a browser."""
    frames = []
    monkeypatch.setitem(SERVER.parts, Visit, Visit())  # a frame leaves its mark in it
    monkeypatch.setattr(type(pn.state), "onload", lambda self, call, **kwargs: None)  # no browser loads the page
    yield lambda *args: frames.append(Frame(*args)) or frames[-1]
    for one in frames:
        for page in one._pages.values():
            page.close()
