"""A server of its own at the end of a cable, and a Chromium of its own: both can be stopped and killed."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

import psutil
import pytest

from tests.browser.conftest import FLAGS, ROOT
from tests.browser.connection.cable import Cable
from tests.browser.person import DEEP, PATIENCE


@pytest.fixture
def cable():
    with_free_port = Cable(0)
    yield with_free_port
    with_free_port.close()


@pytest.fixture
def log(tmp_path):
    """What all servers of a test have written."""
    return tmp_path / "server.log"


@pytest.fixture
def serve(cable, compiled, tmp_path, log):
    """Return a function that starts `panel serve app` at the end of the cable, where it was before if it was.

    With ``kept`` visits wait so many seconds for their browser, and not two minutes.
    """
    started = []

    def start(kept=None, options=()):
        port = cable.to or _free_port()
        command = ["panel", "serve"] if kept is None else ["tests.browser.connection.impatient_server", str(kept), "serve"]
        own = {"PYTHONPATH": str(ROOT), "EXIT_TIME_LAB_CACHE": str(tmp_path / "cache")}
        with open(log, "ab") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", *command, "app", "--port", str(port), "--address", "127.0.0.1",
                 "--log-level", "debug", f"--allow-websocket-origin=127.0.0.1:{cable.port}", *options], cwd=ROOT,
                stdout=said, stderr=said, env=os.environ | own)
        started.append(process)
        cable.to = port
        deadline = time.monotonic() + PATIENCE / 1000
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/favicon.ico", timeout=5).close()
                return process
            except OSError:
                assert process.poll() is None and time.monotonic() < deadline, "the server did not start"
                time.sleep(0.1)

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()


@pytest.fixture
def until(log):
    """Return a function that waits for a state, or for a word in the log so many times, and says what did not come."""
    def wait(condition, words, seconds=PATIENCE / 1000):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"{words}; the log ends\n{log.read_text()[-2000:]}"
            time.sleep(0.1)

    return wait


@pytest.fixture
def visits_ended(log):
    """Return a function that counts the visits that have ended on the server."""
    return lambda: log.read_text().count("Discarding session")


def _free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


@pytest.fixture
def open_(chromium, cable):
    """Return a function that opens a page through the cable; what stops working there is in the test's own words."""
    windows = []

    def one(query, browser=chromium):
        window = browser.new_context(viewport={"width": 1440, "height": 900})
        windows.append(window)
        page = window.new_page()
        page.set_default_timeout(PATIENCE)
        page.add_init_script(DEEP)
        page.goto(f"http://127.0.0.1:{cable.port}/app{query}", timeout=3 * PATIENCE)  # others' first work may compile
        page.wait_for_function("deepAll('.bk-Figure, canvas').some(n => n.offsetParent !== null && n.offsetHeight > 80)")
        return page

    yield one
    for window in windows:
        with suppress(Exception):  # its Chromium may have been killed
            window.close()


class OwnChromium:
    """A Chromium whose processes, those of no other, can be stopped, continued and killed."""

    def __init__(self, kind, path) -> None:
        mark = f"--lab-own={os.getpid()}-{time.monotonic_ns()}"
        self.browser = kind.launch(executable_path=path, args=[*FLAGS, mark])
        children = psutil.Process().children(recursive=True)
        self._first = next(one for one in children if mark in _line(one) and "--type=" not in " ".join(_line(one)))

    def processes(self):
        """All of them, the one that began the others first; none once it has been killed."""
        return [self._first, *self._first.children(recursive=True)] if self._first.is_running() else []

    def send(self, signal):
        """Give all processes a signal."""
        for one in self.processes():
            with suppress(psutil.NoSuchProcess):
                one.send_signal(signal)


def _line(process):
    try:
        return process.cmdline()
    except psutil.Error:  # it has ended meanwhile
        return []


@pytest.fixture
def own_chromium(chromium, chromium_path):
    one = OwnChromium(chromium.browser_type, chromium_path)
    yield one
    one.send(signal.SIGCONT)
    with suppress(Exception):
        one.browser.close()
