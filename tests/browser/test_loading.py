"""A page of which only the document arrived says so, and is loaded again by itself: scripts are lost, a token runs out."""

import calendar
import logging
from types import SimpleNamespace

import pytest
from bokeh.server.views import ws

from tests.browser.person import DEEP, PATIENCE

pytestmark = [pytest.mark.browser, pytest.mark.journey]


@pytest.fixture
def clock_jumps(monkeypatch):
    """The clock that tokens are checked by goes forward by an hour for as many sockets as the list is long."""
    jumps, refused = [], logging.Filter()
    refused.filter = lambda record: "Token is expired" not in str(record.exc_info)
    logging.getLogger("tornado.application").addFilter(refused)

    def seconds(at):
        return calendar.timegm(at) + (jumps.pop() if jumps else 0)

    monkeypatch.setattr(ws, "calendar", SimpleNamespace(timegm=seconds))
    yield jumps
    logging.getLogger("tornado.application").removeFilter(refused)


def test_what_was_lost_on_the_way_is_said_and_the_page_is_loaded_again(server, chromium, clock_jumps):
    window = chromium.new_context(viewport={"width": 390, "height": 844})
    page = window.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(DEEP)
    says = "text => document.querySelector('#loading[role=alert]')?.textContent.includes(text)"
    page.route("**/static/**", lambda route: route.abort("connectionreset"))
    page.goto(server.url + "?eta0=2")
    page.wait_for_function(says, arg="Part of this page did not arrive")
    page.wait_for_function("getComputedStyle(document.querySelector('#loader')).display === 'none'")
    clock_jumps.append(3600)
    page.unroute("**/static/**")
    page.wait_for_function("!!globalThis.Bokeh")  # loaded again
    page.wait_for_function(says, arg="Part of this page did not arrive")  # its socket was refused
    page.wait_for_function("frames_painted() > 2 && !document.querySelector('#loading, #loader')")
    assert clock_jumps == [] and page.evaluate("sessionStorage.length") == 0 and "eta0=2" in page.url
    window.close()
