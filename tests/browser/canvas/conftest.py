"""Views of the chain canvas, closed at the end of a test."""

from contextlib import ExitStack

import pytest

from tests.browser.canvas.view import HARNESS, STAGE, CanvasView
from tests.browser.module_page import script_page


@pytest.fixture(scope="module")
def tab(chromium):
    with chromium.new_page() as page:
        yield page


@pytest.fixture
def open_view(chromium, tab):
    with ExitStack() as pages:
        def open_(width=564, height=532, **window):
            tab.mouse.move(0, 0)  # beside the stage, where the last test may have left it
            return CanvasView(pages.enter_context(
                script_page(chromium, HARNESS, STAGE % (width, height), None if window else tab, **window)))

        yield open_
