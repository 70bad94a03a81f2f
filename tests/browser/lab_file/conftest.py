"""The lab file, also with a fake worker, opened from file:// in windows that fail on errors and requests."""

from pathlib import Path

import pytest

from app.__main__ import main
from tests.app.extras.lab_file.pages import page_with_worker
from tests.browser.person import new_tab

SLOW_DISPLAY = """const draw = requestAnimationFrame.bind(window)
window.requestAnimationFrame = frame => setTimeout(() => draw(frame), 80)"""
"""Display of about ten frames per second, to leave the machine to other tests; runs are not slowed."""


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
    """Return a function that opens a file at a link in a new window; errors and requests fail the test."""
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
