"""Pages of these tests compute on threads, where a test can reach what they do; processes have tests of their own.

As a server does before its first visit, they import large packages first: two threads that do so at once lock each other.
"""

from dataclasses import replace
from functools import cache
from threading import Event

import arviz_stats.base  # noqa: F401
import pandas  # noqa: F401
import panel as pn
import pytest

from app.chrome.frame import Frame
from app.jobs.worker_processes import WorkerPool
from app.live.run import LiveRun
from app.server.arguments import Arguments
from app.state.live import default_config
from app.tune import sweep_job, tuning_rows
from app.tune.result import StreamForecasts
from app.tune.running_sweeps import RunningSweep
from app.visit import SERVER, Visit
from tests.app.live.playing import ALL, play
from tests.waiting import PATIENCE


class Clock:
    """It stands still unless a test moves it."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(autouse=True, scope="session")
def _no_processes():
    SERVER.part(WorkerPool).most = 0


@pytest.fixture(autouse=True, scope="session")
def _foreseen_once():
    """What pages foresee of the same rows is computed for the first of them: half a second each, and no sampler runs."""
    measured, rows = cache(StreamForecasts), {}

    def load(config, user_data):
        if config.data == "given" or config.data.startswith("file-"):
            return tuning_rows.load(config, user_data)
        if config.source not in rows:
            rows[config.source] = tuning_rows.load(config)
        return rows[config.source]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_job, "load", load)
        patch.setattr(sweep_job, "StreamForecasts", lambda stream, rows, other: measured(stream, rows))
        patch.setattr(sweep_job, "settled", cache(sweep_job.settled))
        patch.setattr(sweep_job, "forecast_cells", cache(sweep_job.forecast_cells))
        yield


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
def make():
    """Return a function that makes a run of logistic regression, 8 chains by default, and plays some epochs."""
    runs = []

    def run(config=None, epochs=0, steps=ALL, **changes):
        config = default_config().replace(chains=8) if config is None else config
        runs.append(LiveRun(config.replace(**changes)))
        play(runs[-1], epochs, steps)
        return runs[-1]

    yield run
    for run in runs:
        run.close()


@pytest.fixture
def frame(monkeypatch):
    """A function that returns the frame that a link opens, without a browser."""
    frames = []
    monkeypatch.setitem(SERVER.parts, Visit, Visit())  # a frame leaves its mark in it
    monkeypatch.setattr(type(pn.state), "onload", lambda self, call, **kwargs: None)  # no browser loads the page

    def opened(query, arguments=None, visit=None):
        frames.append(Frame(query, arguments or Arguments(), visit))
        return frames[-1]

    yield opened
    for one in frames:
        for page in one._pages.values():
            page.close()
