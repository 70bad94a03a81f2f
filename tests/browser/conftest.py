"""One server and one Chromium for all tests of a process, and pages that fail on any console error."""

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
"""Times what a picture of work under way costs its server, until the next."""
HOUR = 3_600_000
"""Milliseconds."""


def lacking(words, variable="EXIT_TIME_LAB_BROWSER"):
    """Skip a test for what is not here; fail it where the variable says that it is required."""
    (pytest.fail if os.environ.get(variable) == "required" else pytest.skip)(words)


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import expect, sync_playwright

    path = find_chromium() or lacking("no Chromium found: install one or set LAB_CHROMIUM to its path")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def compiled():
    """Kernels compiled once, so that no test waits for it."""
    from app.live.engine import Engine
    from app.state.live import default_config

    engine = Engine(default_config())
    engine.start()
    wait_for(lambda: (snapshot := engine.take()) and snapshot.t >= 20, "the kernels did not compile in ten minutes", 600)
    close(engine)


class Server:
    """The dashboard, or another application, on a free port, in a thread; closed tabs' sessions end when a test waits.

    The time after which the server would end them by itself is out of reach, so that a page that is slow to connect
    never loses its session; ``wait_until`` runs the server's own clean-up instead.
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
        """Wait for a condition while the server ends each session whose tab has closed."""
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
    """What the server is started with; a test file may say otherwise."""
    return ()


@pytest.fixture(scope="session")
def plain_server():
    """The server of every test that asks for no arguments: its address stays, so the browser keeps what it has loaded."""
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def server(compiled, argv, plain_server, monkeypatch):
    monkeypatch.setattr(frame_rate, "SHORTEST", frame_rate.LONGEST)  # as beside many: other tests need the machine
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
    """The window of every test that asks for nothing special; it keeps the scripts it has loaded and compiled."""
    return chromium.new_context()


@pytest.fixture
def open_window(server, chromium, plain_window):
    """Return a function that opens a page of the dashboard as somebody new; any console error fails the test.

    A test's first page is in the window that all share, without what others have stored; any further page, or one with
    a ``context`` of its own, is in a window of its own.
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
