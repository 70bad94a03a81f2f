"""Fixtures of the dashboard's tests: pages compute on threads, which tests can patch; processes have separate tests.

Large packages are imported first, as a server does before its first visit: two threads that import one would deadlock.
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
    """Manual clock: a test advances `now`, in seconds."""

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
def _cached_forecasts():
    """Compute the forecasts of the same rows once per session: half a second each, and no sampler runs."""
    forecasts, rows = cache(StreamForecasts), {}

    def load(config, user_data):
        if config.data == "given" or config.data.startswith("file-"):
            return tuning_rows.load(config, user_data)
        if config.source not in rows:
            rows[config.source] = tuning_rows.load(config)
        return rows[config.source]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_job, "load", load)
        patch.setattr(sweep_job, "StreamForecasts", lambda stream, rows, other: forecasts(stream, rows))
        patch.setattr(sweep_job, "settled", cache(sweep_job.settled))
        patch.setattr(sweep_job, "forecast_cells", cache(sweep_job.forecast_cells))
        yield


@pytest.fixture
def hold_sweeps(monkeypatch):
    """Return a function ``hold(cells, **changes)``: sweeps of this process pause after ``cells`` cells.

    They continue once the returned event is set; ``changes`` are made to each update that a sweep publishes.
    """
    def hold(cells, **changes):
        resume, keep = Event(), RunningSweep._set_progress
        monkeypatch.setattr(RunningSweep, "_set_progress", lambda self, update: (
            keep(self, replace(update, **changes)), update.done < cells or resume.wait(PATIENCE)))
        return resume

    return hold


@pytest.fixture
def make():
    """Return a function that makes a run of logistic regression, 8 chains by default, and plays ``epochs`` epochs."""
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
    """Return a function that builds the frame of a link, without a browser."""
    frames = []
    monkeypatch.setitem(SERVER.parts, Visit, Visit())  # a frame registers in it
    monkeypatch.setattr(type(pn.state), "onload", lambda self, call, **kwargs: None)  # no browser loads the page

    def open_frame(query, arguments=None, visit=None):
        frames.append(Frame(query, arguments or Arguments(), visit))
        return frames[-1]

    yield open_frame
    for opened in frames:
        for page in opened._pages.values():
            page.close()
