"""Views of the chain canvas, closed at the end of a test."""

import pytest

from tests.browser.canvas.view import CanvasView


@pytest.fixture
def open_view(chromium):
    made = []

    def make(*args, **kwargs):
        made.append(CanvasView(chromium, *args, **kwargs))
        return made[-1]

    yield make
    for each in made:
        each.close()
