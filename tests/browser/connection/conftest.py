"""A separate server behind a `Cable`: the server can be stopped, the cable cut."""

import os
import subprocess
import sys

import pytest

from tests.browser.conftest import ROOT
from tests.browser.connection.cable import Cable
from tests.browser.person import PATIENCE, new_tab
from tests.ports import free_port, wait_until_it_listens
from tests.waiting import wait_for


@pytest.fixture
def cable():
    cable = Cable()
    yield cable
    cable.close()


@pytest.fixture
def log(tmp_path):
    return tmp_path / "server.log"


@pytest.fixture
def serve(cable, compiled, tmp_path, log):
    """Return a function that starts `panel serve app` behind the cable, always on the same port."""
    started = []

    def start(options=()):
        port = cable.to or free_port()
        own = {"PYTHONPATH": str(ROOT), "EXIT_TIME_LAB_CACHE": str(tmp_path / "cache")}
        with open(log, "ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "panel", "serve", "app", "--port", str(port), "--address", "127.0.0.1", "--log-level",
                 "debug", f"--allow-websocket-origin=127.0.0.1:{cable.port}", *options], cwd=ROOT,
                stdout=output, stderr=output, env=os.environ | own)
        started.append(process)
        cable.to = port
        wait_until_it_listens(port, process, log, PATIENCE / 1000)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()


@pytest.fixture
def until(log):
    """Return a function that waits for a condition; its error has the given words and the end of the log."""
    return lambda condition, words, seconds=PATIENCE / 1000: wait_for(
        condition, lambda: f"{words}; the log ends\n{log.read_text()[-2000:]}", seconds, every=0.1)


@pytest.fixture
def open_(chromium, cable):
    """Return a function that opens a page through the cable; console errors are allowed."""
    pages = []

    def one(query):
        pages.append(page := new_tab(chromium))
        page.goto(f"http://127.0.0.1:{cable.port}/app{query}", timeout=3 * PATIENCE)  # first jobs may compile
        page.wait_for_function("deepAll('.bk-Figure, canvas').some(n => n.offsetParent !== null && n.offsetHeight > 80)")
        return page

    yield one
    for page in pages:
        page.context.close()
