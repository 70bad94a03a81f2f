"""``panel serve notebooks/01_first_look.ipynb`` shows the notebook with its figure and page; only Panel asks elsewhere."""

import os
import re
import subprocess
import sys

import pytest

from tests.browser.conftest import ROOT
from tests.browser.person import PATIENCE, new_tab
from tests.ports import said

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.in_turn]

FONT = "fonts.googleapis.com"
"""Panel's template of served notebooks asks it for a font, and has no option not to."""
TAB_CLOSED = {"tornado.iostream.StreamClosedError", "tornado.websocket.WebSocketClosedError"}
"""What a server prints when it writes to a tab that is just closing."""


@pytest.fixture
def served(tmp_path, compiled):
    log = tmp_path / "log"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "panel", "serve", str(ROOT / "notebooks" / "01_first_look.ipynb"), "--port", "0"]
    with log.open("w") as file:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=file, stderr=file)
    yield said(server, log, r"running at: (http://localhost:\d+/01_first_look)")[1]
    server.terminate()
    server.wait(PATIENCE / 1000)
    raised = re.findall(r"^[\w.]*(?:Error|Exception)\b", log.read_text(), re.MULTILINE)
    assert set(raised) <= TAB_CLOSED, log.read_text()


def test_a_served_notebook_draws_its_figure_and_plays_its_page(served, chromium):
    problems = []
    page = new_tab(chromium, problems, own="//localhost:")
    page.route(f"**/{FONT}/**", lambda route: route.fulfill(body="", content_type="text/css"))
    page.goto(served)
    page.wait_for_function("frames_painted() > 2")
    page.wait_for_function("deepAll('.bk-Figure').length > 0")
    page.get_by_role("heading", name="Is it right?").wait_for()
    page.context.close()
    assert [problem for problem in problems if FONT not in problem] == []
