"""A connection that breaks, and a server that is started again: every page says so in words, and comes back by itself."""

import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from app.pages import PAGES
from tests.browser.cable import Cable
from tests.browser.conftest import ROOT
from tests.browser.person import DEEP, PATIENCE, type_in, wait_for_query

pytestmark = pytest.mark.browser

KNOBS = {"live": "eta0=2", "exit": "er=2", "tune": "tC=30", "compare": "cT=256", "offline": "oi=150", "coreset": "kM=60"}
"""Page -> something of its own in the link."""
SAYS = "text => deep('.words[role=alert]')?.textContent.includes(text)"


@pytest.fixture
def cable():
    with_free_port = Cable(0)
    yield with_free_port
    with_free_port.close()


@pytest.fixture
def serve(cable, compiled):
    """Return a function that starts `panel serve app` at the end of the cable, where it was before if it was."""
    started = []

    def start():
        port = cable.to or _free_port()
        process = subprocess.Popen(
            [sys.executable, "-m", "panel", "serve", "app", "--port", str(port), "--address", "127.0.0.1",
             f"--allow-websocket-origin=127.0.0.1:{cable.port}"], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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


def _free_port():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


@pytest.fixture
def open_(chromium, cable):
    """Return a function that opens a page through the cable; what stops working there is in the test's own words."""
    windows = []

    def one(query):
        window = chromium.new_context(viewport={"width": 1440, "height": 900})
        windows.append(window)
        page = window.new_page()
        page.set_default_timeout(PATIENCE)
        page.add_init_script(DEEP)
        page.goto(f"http://127.0.0.1:{cable.port}/app{query}")
        page.wait_for_function("deepAll('.bk-Figure, canvas').some(n => n.offsetParent !== null && n.offsetHeight > 80)")
        return page

    yield one
    for window in windows:
        window.close()


def says(page, words):
    page.wait_for_function(SAYS, arg=words)


@pytest.mark.slow
def test_a_cable_that_is_cut_leaves_the_very_same_visit(cable, serve, open_):
    serve()
    page = open_("?speed=8e")
    page.wait_for_function("epoch_shown() >= 5")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play").wait_for()
    type_in(page, "eta0", "3")
    wait_for_query(page, "eta0=3")
    box = page.locator(".knob-escape_radius input.box")
    box.fill("17.5")  # typed, not entered
    at = page.evaluate("epoch_shown()")
    shown = page.evaluate("deep('[data-ro=t]').textContent")
    page.evaluate("window.before = true")
    cable.cut()
    says(page, "The server cannot be reached")
    page.evaluate("deepAll('button').find(b => b.ariaLabel?.startsWith('Restart')).click()")  # reaches nobody
    assert page.evaluate("epoch_shown()") == at
    cable.mend()
    page.wait_for_function("window.before === undefined && frames_painted() > 0 && deep('[data-came=found]')")
    page.wait_for_function("shown => deep('[data-ro=t]').textContent === shown", arg=shown)
    assert page.evaluate("epoch_shown()") == at
    assert page.get_by_role("button", name="Play").count() == 1
    wait_for_query(page, "eta0=3")
    expect(box).to_have_value("17.5")
    page.wait_for_function("!location.search.includes('bokeh-session-id')")
    page.keyboard.press("Escape")
    page.locator("body").click(position={"x": 700, "y": 5})
    page.keyboard.press("e")
    page.wait_for_function("t => epoch_shown() > t", arg=at)


@pytest.mark.slow
def test_every_page_says_that_the_server_is_gone_and_comes_back_when_it_is_there_again(cable, serve, open_):
    first = serve()
    pages = {entry.key: open_(f"?page={entry.key}&{KNOBS[entry.key]}") for entry in PAGES}
    live = pages["live"]
    live.wait_for_function("epoch_shown() >= 30")
    for key, page in pages.items():
        page.wait_for_function("text => location.search.includes(text)", arg=KNOBS[key])
    first.send_signal(signal.SIGTERM)
    assert first.wait(PATIENCE / 1000) == 0
    for page in pages.values():
        says(page, "The server cannot be reached")
    reached = live.evaluate("epoch_shown()")
    again = threading.Thread(target=serve)
    again.start()
    for key, page in pages.items():
        page.wait_for_function("deep('[data-came=made]') && !location.search.includes('back=')")
        page.wait_for_function("text => location.search.includes(text)", arg=KNOBS[key])
        label = next(entry.label for entry in PAGES if entry.key == key)
        page.get_by_role("tab", name=label, exact=True, selected=True).wait_for()
    again.join()
    live.wait_for_function("t => epoch_shown() > t", arg=reached)  # it replayed, and plays on
