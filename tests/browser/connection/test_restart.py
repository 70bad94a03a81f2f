"""A server that is ended and started again: every page says so in words, and comes back by itself."""

import signal
import threading

import pytest

from app.pages import PAGES
from tests.browser.connection.pages import GONE, KNOBS, came_back, says
from tests.browser.person import PATIENCE

pytestmark = [pytest.mark.browser, pytest.mark.slow]


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
        says(page, GONE)
    reached = live.evaluate("epoch_shown()")
    again = threading.Thread(target=serve)
    again.start()
    for key, page in pages.items():
        came_back(page, "made")
        page.wait_for_function("text => location.search.includes(text)", arg=KNOBS[key])
        label = next(entry.label for entry in PAGES if entry.key == key)
        page.get_by_role("tab", name=label, exact=True, selected=True).wait_for()
    again.join()
    live.wait_for_function("t => epoch_shown() > t", arg=reached)  # it replayed, and plays on
