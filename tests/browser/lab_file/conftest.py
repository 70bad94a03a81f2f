"""The lab file with a worker of the test's, opened from file://, in windows that fail on an error or a request."""

from pathlib import Path

import pytest

from app.__main__ import main
from tests.app.extras.lab_file.pages import page_with_worker
from tests.browser.person import new_tab

SLOW_DISPLAY = """const draw = requestAnimationFrame.bind(window)
window.requestAnimationFrame = frame => setTimeout(() => draw(frame), 80)"""
"""A display of ten frames a second or so: a run goes on behind its pictures, which other tests would pay for."""


@pytest.fixture(scope="session")
def fake_file(tmp_path_factory):
    path, worker = tmp_path_factory.mktemp("lab") / "lab.html", Path(__file__).with_name("fake_worker.js")
    path.write_text(page_with_worker(worker.read_text(encoding="utf-8")), encoding="utf-8")
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

    def open_at(path, link="", *size, **window):
        tabs.append(tab := new_tab(chromium, problems, *size, own="file:", kinds=("error", "warning"), **window))
        tab.add_init_script(SLOW_DISPLAY)
        tab.goto(path.as_uri() + link)
        tab.wait_for_selector("#lab[data-ready]")
        return tab

    yield open_at
    for tab in tabs:
        tab.context.close()
    assert problems == []
