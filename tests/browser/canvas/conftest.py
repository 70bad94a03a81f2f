"""Views of the chain canvas, closed at the end of a test."""

from contextlib import ExitStack

import pytest

from tests.browser.canvas.view import HARNESS, STAGE, CanvasView
from tests.browser.module_page import script_page


@pytest.fixture
def open_view(chromium):
    with ExitStack() as pages:
        yield lambda width=564, height=532, **window: CanvasView(
            pages.enter_context(script_page(chromium, HARNESS, STAGE % (width, height), **window)))
