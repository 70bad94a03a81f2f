"""Visits: separate runs of tabs, end of their threads, fast changes of pages, lost files."""

import calendar
import gc
import logging
import os
import threading
from types import SimpleNamespace

import pytest
from bokeh.server.session import ServerSession
from bokeh.server.views import ws
from panel.io.state import state

from app.pages.compare import ComparePage
from app.pages.tune import TunePage
from app.server import visits
from tests.browser.connection.pages import workers
from tests.browser.person import new_tab, region

pytestmark = [pytest.mark.browser, pytest.mark.journey]

TABS = ["Exit time", "Live", "Tune", "Live", "Compare", "Live", "Offline", "Live", "Coreset", "Live"]
PRESS = """([tab, theme]) => {
  if (theme) deep('button.theme').click()
  if (tab) deepAll('[role=tab]').find(t => t.textContent === tab).click()
  return [deepAll('[role=tab]').find(t => t.ariaSelected === 'true').textContent, deep('.turning').checkVisibility(),
          deep('.turning').textContent] }"""
"""Click theme and tab before the server has received the first; return what is displayed."""


def test_two_tabs_share_nothing(open_page, server):
    first, second = open_page("?speed=32e"), open_page("?seed=9&speed=1s")  # a step a second
    assert server.workers() == 2
    first.wait_for_function("epoch_shown() >= 20")
    for _ in range(3):  # finishes the current epoch, then runs two more, and pauses
        second.keyboard.press("e")
    second.wait_for_function("epoch_shown() >= 2")
    second.keyboard.press("r")
    second.wait_for_function("epoch_shown() <= 1")
    assert first.evaluate("epoch_shown()") >= 20
    assert "seed=9" in second.evaluate("location.search")
    assert "seed=9" not in first.evaluate("location.search")


def test_closing_a_tab_ends_its_thread_and_frees_its_place(open_page, open_window, server, monkeypatch):
    page = open_page()
    page.wait_for_function("epoch_shown() >= 3")
    assert server.workers() == 1
    monkeypatch.setattr(visits, "most_visits", lambda arguments: 1)
    refused = open_window("?eta0=2")
    refused.get_by_text("This server is full").wait_for()
    assert server.workers() == 1
    page.close()
    server.wait_for_workers(0)
    refused.get_by_role("button", name="Reload").click()
    refused.wait_for_function("globalThis.epoch_shown && epoch_shown() >= 3")  # at its own link
    assert "eta0=2" in refused.evaluate("location.search")
    server.wait_for_workers(1)


@pytest.mark.slow
def test_closing_tabs_ends_their_jobs(open_window, server, tmp_path, monkeypatch):
    """A sweep, with cells that take seconds, and a race: processes, threads and memory."""
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path))
    tune = open_window("?page=tune&tT=1000&teta=0.1,10&timax=40,640&tb=4&tC=22&tchains=64&tref=laplace&tgo=1")
    race = open_window("?page=compare&cproblem=logistic2&cT=200&cev=200000&cchains=400&csamplers=saga,sgld,mala&cseed=7")
    region(race, "Accuracy against cost").get_by_role("button", name="Compare").click()
    race.wait_for_function("+shown().request >= 1 && shown().done === '0'")
    tune.wait_for_function("+shown().cells >= 1")

    def left():
        return {thread.name for thread in threading.enumerate()} & {"page-worker", "tune-running-sweep"}

    assert workers(os.getpid()) and left()
    for page in (tune, race):
        page.close()
    server.wait_until(lambda: not workers(os.getpid()) and not left(), "a job outlived its tab")
    server.empty()
    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, TunePage | ComparePage)]


@pytest.fixture
def late(monkeypatch):
    """Events that Bokeh held until the end of a callback, after Panel had sent later ones."""
    events, patched = [], ServerSession._document_patched

    def spy(session, event):
        if event.setter is not session and state._loaded.get(session.document):
            events.append(f"{event.kind} {getattr(event, 'model', '')} {getattr(event, 'attr', '')}")
        return patched(session, event)

    monkeypatch.setattr(ServerSession, "_document_patched", spy)
    return events


@pytest.mark.slow
def test_tabs_and_themes_change_faster_than_pages_are_drawn(open_page, late):
    page = open_page("?speed=32e")
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 2})
    for k, tab in enumerate(TABS):
        selected, covered, words = page.evaluate(PRESS, [tab, k % 3 < 2])
        assert selected == tab and covered and words.startswith(f"Opening {tab}")  # the last page is hidden under it
        page.wait_for_function(f"deep('h1')?.textContent {'=' if tab == 'Live' else '!'}== 'Live'")
    page.wait_for_function("frames_painted() > 2 && !deep('.turning').checkVisibility()")
    assert late == []


@pytest.fixture
def clock_jumps(monkeypatch):
    """Seconds by which the clock that checks tokens is ahead, one entry per socket."""
    jumps, refused = [], logging.Filter()
    refused.filter = lambda record: "Token is expired" not in str(record.exc_info)
    logging.getLogger("tornado.application").addFilter(refused)

    def seconds(at):
        return calendar.timegm(at) + (jumps.pop() if jumps else 0)

    monkeypatch.setattr(ws, "calendar", SimpleNamespace(timegm=seconds))
    yield jumps
    logging.getLogger("tornado.application").removeFilter(refused)


def test_a_lost_file_is_reported_and_the_page_is_loaded_again(server, chromium, clock_jumps):
    page = new_tab(chromium, width=390, height=844)
    alert = "text => document.querySelector('#loading[role=alert]')?.textContent.includes(text)"
    page.route("**/static/**", lambda route: route.abort("connectionreset"))
    page.goto(server.url + "?eta0=2")
    page.wait_for_function(alert, arg="Part of this page did not arrive")
    page.wait_for_function("getComputedStyle(document.querySelector('#loader')).display === 'none'")
    clock_jumps.append(3600)
    page.unroute("**/static/**")
    page.wait_for_function("!!globalThis.Bokeh")  # loaded again
    page.wait_for_function(alert, arg="Part of this page did not arrive")  # its socket was refused
    page.wait_for_function("frames_painted() > 2 && !document.querySelector('#loading, #loader')")
    assert clock_jumps == [] and page.evaluate("sessionStorage.length") == 0 and "eta0=2" in page.url
    page.context.close()
