"""The lab file with a worker of the test's, opened from file://, in windows that fail on an error or a request."""

from pathlib import Path

import pytest

from app.__main__ import main
from tests.app.extras.lab_file.pages import page_with_worker
from tests.browser.person import patient

FAKE = Path(__file__).with_name("fake_worker.js")
SLOW_DISPLAY = """const draw = requestAnimationFrame.bind(window)
window.requestAnimationFrame = frame => setTimeout(() => draw(frame), 80)"""
"""A display of ten frames a second or so: a run goes on behind its pictures, which other tests would pay for."""


@pytest.fixture(scope="session")
def fake_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("lab") / "lab.html"
    path.write_text(page_with_worker(FAKE.read_text(encoding="utf-8")), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def lab_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("alive") / "lab.html"
    assert main(["export", str(path)]) == 0
    return path


@pytest.fixture
def open_file(chromium):
    """Open a file at a link in a new window; nothing may fail there, and nothing may be asked for."""
    problems, tabs = [], []

    def open_at(path, link="", width=1440, height=900, dark=False):
        context = chromium.new_context(viewport={"width": width, "height": height}, accept_downloads=True,
                                       color_scheme="dark" if dark else "light")
        tabs.append(context)
        tab = patient(context.new_page(), 90_000)
        tab.add_init_script(SLOW_DISPLAY)
        tab.on("pageerror", lambda error: problems.append(error.stack or str(error)))
        tab.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None)
        tab.on("request", lambda request: problems.append(f"asked for {request.url}")
               if not request.url.startswith(("file:", "blob:", "data:")) else None)
        tab.goto(path.as_uri() + link)
        tab.wait_for_selector("#lab[data-ready]")
        return tab

    yield open_at
    for context in tabs:
        context.close()
    assert problems == []
