"""Fixtures: one server and one Chromium for all tests of a process; pages that fail on any console error."""

import asyncio
import logging
import os
import threading
from pathlib import Path

import pytest

from app.jobs import frame_rate
from tests.browser.person import FLAGS, PATIENCE, find_chromium, finished, patient, watch
from tests.waiting import close, wait_for

ROOT = Path(__file__).parents[2]
REST = 10
"""Pause between pictures of a running job, in multiples of their cost to the server."""
HOUR = 3_600_000
"""In milliseconds."""


def skip_or_fail(words, variable="EXIT_TIME_LAB_BROWSER"):
    """Skip a test for a missing requirement; fail if the environment variable is "required"."""
    (pytest.fail if os.environ.get(variable) == "required" else pytest.skip)(words)


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import expect, sync_playwright

    path = find_chromium() or skip_or_fail("no Chromium: install one or set LAB_CHROMIUM to its path")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def compiled():
    """Compile the kernels once, so that no test waits for them."""
    from app.live.engine import Engine
    from app.state.live import default_config

    engine = Engine(default_config())
    engine.start()
    wait_for(lambda: (snapshot := engine.take()) and snapshot.t >= 20, "the kernels did not compile in ten minutes", 600)
    close(engine)


class Server:
    """Server of the dashboard, or another application, in a thread on a free port.

    Sessions of closed tabs end only in ``wait_until``, which runs the server's clean-up: the server's time limit is an
    hour, so that a page that is slow to connect never loses its session.
    """

    def __init__(self, argv: tuple[str, ...] = (), application=None) -> None:
        self._argv, self._application = argv, application
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="test-server", daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE / 1000), "the server did not start"

    def _run(self) -> None:
        from panel.io.application import build_single_handler_application
        from panel.io.server import get_server

        asyncio.set_event_loop(asyncio.new_event_loop())
        application = self._application or build_single_handler_application(ROOT / "app", argv=list(self._argv))
        self._server = get_server({"app": application}, port=0, address="127.0.0.1", start=False, show=False,
                                  unused_session_lifetime_milliseconds=HOUR, check_unused_sessions_milliseconds=HOUR)
        self._server.start()
        self.port = self._server.port
        self._server.io_loop.add_callback(self._ready.set)
        self._server.io_loop.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/app"

    @staticmethod
    def workers() -> int:
        return sum(thread.name == "exit-time-engine" for thread in threading.enumerate())

    @property
    def sessions(self) -> int:
        return sum(len(context.sessions) for context in self._server._tornado._applications.values())

    async def _end_sessions_of_closed_tabs(self) -> None:
        for context in self._server._tornado._applications.values():
            await context._cleanup_sessions(-1)

    def wait_until(self, condition, words: str) -> None:
        """Wait for a condition while the server ends sessions of closed tabs."""
        def end_sessions():
            ended = asyncio.run_coroutine_threadsafe(self._end_sessions_of_closed_tabs(), self._server.io_loop.asyncio_loop)
            ended.result(PATIENCE / 1000)

        wait_for(condition, words, PATIENCE / 1000, look=end_sessions, every=0.02)

    def wait_for_workers(self, count: int) -> None:
        self.wait_until(lambda: self.workers() == count, f"the engine threads did not become {count}")

    def empty(self) -> None:
        """End all sessions; fail if one outlives its tab, or an engine thread its session."""
        self.wait_until(lambda: self.sessions == 0, "a session outlived its tab")
        self.wait_for_workers(0)

    def stop(self) -> None:
        loop = self._server.io_loop
        loop.add_callback(self._server.stop)
        loop.add_callback(loop.stop)
        self._thread.join(PATIENCE / 1000)
        assert not self._thread.is_alive(), "the server did not stop"


class _Errors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        name = type(record.exc_info[1]).__name__ if record.exc_info and record.exc_info[1] else ""
        # a socket of Bokeh may outlive its session
        ended = name == "AssertionError" and "notify_connection_lost" in self.format(record)
        if name not in ("WebSocketClosedError", "StreamClosedError") and not ended:
            self.messages.append(self.format(record))


@pytest.fixture
def argv():
    """Return the server's arguments; test files override this fixture."""
    return ()


@pytest.fixture(scope="session")
def plain_server():
    """Server of all tests without arguments: with a fixed address the browser caches its files."""
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def server(compiled, argv, plain_server, monkeypatch):
    monkeypatch.setattr(frame_rate, "SHORTEST", frame_rate.LONGEST)  # as with many visits: other tests need the machine
    monkeypatch.setattr(frame_rate.FrameRate, "rest", lambda self, seconds: REST * seconds)
    errors = _Errors()
    logging.getLogger().addHandler(errors)
    running = Server(argv) if argv else plain_server
    yield running
    running.empty()
    if argv:
        running.stop()
    logging.getLogger().removeHandler(errors)
    assert errors.messages == []


@pytest.fixture(scope="session")
def plain_window(chromium):
    """Browser window of all tests without special options; it caches loaded and compiled scripts."""
    return chromium.new_context()


@pytest.fixture
def open_window(server, chromium, plain_window):
    """Return a function that opens a page of the dashboard as a new visitor; any console error fails the test.

    A test's first page is in the shared window, with its storage cleared; further pages, and those with options in
    ``context``, have separate windows.
    """
    opened, problems = [], []

    def open_(query: str = "", width: int = 1440, height: int = 900, **context):
        size = {"width": width, "height": height}
        alone = context or plain_window.pages
        window = chromium.new_context(viewport=size, **context) if alone else plain_window
        if alone:
            opened.append(window)
        page = patient(window.new_page())
        if not alone:
            page.set_viewport_size(size)
            window.new_cdp_session(page).send("Storage.clearDataForOrigin", {
                "origin": server.url.removesuffix("/app"), "storageTypes": "local_storage"})
        watch(page, problems)
        page.goto(server.url + query)
        return page

    yield open_
    for window in opened:
        window.close()
    for page in plain_window.pages:
        page.close()
    assert problems == []


@pytest.fixture
def open_done(open_window):
    def open_(key: str, query: str):
        page = open_window(f"?page={key}{query}")
        finished(page, 1)
        return page

    return open_


@pytest.fixture
def open_page(open_window):
    def open_(query: str = "", *size, **window):
        page = open_window(query, *size, **window)
        page.wait_for_function("frames_painted() > 2")
        return page

    return open_
