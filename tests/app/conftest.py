"""Pages of these tests compute on threads, where a test can reach what they do; processes have tests of their own."""

import panel as pn
import pytest

from app.chrome.frame import Frame
from app.handover import SERVER, Visit
from app.jobs.worker_processes import WorkerPool


@pytest.fixture(autouse=True, scope="session")
def _no_processes():
    SERVER.part(WorkerPool).most = 0


@pytest.fixture
def frame(monkeypatch):
    """A function that returns the frame that a link opens, without a browser."""
    frames = []
    monkeypatch.setitem(SERVER.parts, Visit, Visit())  # a frame leaves its mark in it
    monkeypatch.setattr(type(pn.state), "onload", lambda self, call, **given: None)  # no browser loads the page
    yield lambda *given: frames.append(Frame(*given)) or frames[-1]
    for one in frames:
        for page in one._pages.values():
            page.close()
