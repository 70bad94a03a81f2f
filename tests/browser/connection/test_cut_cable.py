"""A cable that is cut and mended: the very same visit is found again, or the page is made again from its link."""

import time
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.browser.connection.pages import GONE, LINKS, came_back, knobs, leave_mark, pause, says
from tests.browser.person import type_in, wait_for_query

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_cable_that_is_cut_leaves_the_very_same_visit(cable, serve, open_):
    serve()
    page = open_("?speed=8e")
    page.wait_for_function("epoch_shown() >= 5")
    pause(page)
    type_in(page, "eta0", "3")
    wait_for_query(page, "eta0=3")
    box = page.locator(".knob-escape_radius input.box")
    box.fill("17.5")  # typed, not entered
    at = page.evaluate("epoch_shown()")
    shown = page.evaluate("deep('[data-ro=t]').textContent")
    visit = leave_mark(page)
    cable.cut()
    says(page, GONE)
    page.evaluate("deepAll('button').find(b => b.ariaLabel?.startsWith('Restart')).click()")  # reaches nobody
    assert page.evaluate("epoch_shown()") == at
    cable.mend()
    assert came_back(page, "found") == visit
    page.wait_for_function("shown => frames_painted() > 0 && deep('[data-ro=t]').textContent === shown", arg=shown)
    assert page.evaluate("epoch_shown()") == at
    assert page.get_by_role("button", name="Play").count() == 1
    wait_for_query(page, "eta0=3")
    expect(box).to_have_value("17.5")
    page.wait_for_function("!location.search.includes('bokeh-session-id')")
    page.keyboard.press("Escape")
    page.locator("body").click(position={"x": 700, "y": 5})
    page.keyboard.press("e")
    page.wait_for_function("t => epoch_shown() > t", arg=at)


@dataclass
class Seven:
    """Every page and a lesson, Live paused, as they were when their cable was cut."""

    pages: dict
    visits: dict
    knobs: dict
    live: int  #: epoch on show
    lesson: int

    def stand_where_they_were(self):
        """Live stands where it was paused; the lesson has not lost an epoch."""
        self.pages["live"].wait_for_function("t => epoch_shown() === t", arg=self.live)
        self.pages["live"].get_by_role("button", name="Play", exact=True).wait_for()
        self.pages["lesson"].wait_for_function("t => epoch_shown() >= t", arg=self.lesson)


@pytest.fixture
def cut_off(open_, cable):
    """Return a function that opens every page and a lesson, pauses Live, cuts their cable, and waits until all say so."""
    def begin():
        pages = {key: open_(link) for key, link in LINKS.items()}
        for key, link in LINKS.items():
            wait_for_query(pages[key], link.rpartition("&")[2].lstrip("?"))
        live, lesson = pages["live"], pages["lesson"]
        live.wait_for_function("epoch_shown() >= 5")
        lesson.wait_for_function("epoch_shown() >= 5")
        pause(live)
        seven = Seven(pages, {key: leave_mark(page) for key, page in pages.items()},
                      {key: knobs(page) for key, page in pages.items()}, live.evaluate("epoch_shown()"), 0)
        cable.cut()
        for page in pages.values():
            says(page, GONE)
        seven.lesson = lesson.evaluate("epoch_shown()")
        return seven

    return begin


def test_every_page_and_a_lesson_are_the_same_visits_after_half_a_minute(cable, serve, cut_off):
    serve(kept=600)  # seven pages that come back at once may take a slow machine more than two minutes
    seven = cut_off()
    time.sleep(30)
    for page in seven.pages.values():
        says(page, GONE)
    cable.mend()
    for key, page in seven.pages.items():
        assert came_back(page, "found") == seven.visits[key], key
        page.wait_for_function("!location.search.includes('back=')")
        assert seven.knobs[key].items() <= knobs(page).items(), key  # a lesson's address may say more than its name
    seven.stand_where_they_were()


def test_every_page_and_a_lesson_come_back_from_links_once_their_visits_ended(cable, serve, cut_off, until, visits_ended):
    serve(kept=5, options=("--check-unused-sessions", "1000"))
    seven = cut_off()
    until(lambda: visits_ended() >= len(seven.pages), "the visits did not end")
    cable.mend()
    for key, page in seven.pages.items():
        assert came_back(page, "made") != seven.visits[key], key
        page.wait_for_function("own => location.search.includes(own)", arg=LINKS[key].rpartition("&")[2].lstrip("?"))
    seven.stand_where_they_were()
    for key, page in seven.pages.items():
        page.wait_for_function("before => { const now = new URLSearchParams(location.search);"
                               " return Object.entries(before).every(([name, value]) => now.get(name) === value) }",
                               arg=seven.knobs[key])
