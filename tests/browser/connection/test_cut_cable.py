"""A cable that is cut and mended: the very same visit is found again, or the page is made again from its link."""

import time

import pytest
from playwright.sync_api import expect

from tests.browser.connection.pages import GONE, LINKS, came_back, knobs, leave_mark, says
from tests.browser.person import type_in, wait_for_query

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_cable_that_is_cut_leaves_the_very_same_visit(cable, serve, open_):
    serve()
    page = open_("?speed=8e")
    page.wait_for_function("epoch_shown() >= 5")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play").wait_for()
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


@pytest.fixture
def seven(open_):
    """Return a function that opens every page and a lesson, Live paused; gives the pages, their visits and their knobs."""
    def begin():
        pages = {key: open_(link) for key, link in LINKS.items()}
        for key, link in LINKS.items():
            wait_for_query(pages[key], link.rpartition("&")[2].lstrip("?"))
        pages["live"].wait_for_function("epoch_shown() >= 5")
        pages["lesson"].wait_for_function("epoch_shown() >= 5")
        pages["live"].keyboard.press("Space")
        pages["live"].get_by_role("button", name="Play", exact=True).wait_for()
        visits = {key: leave_mark(page) for key, page in pages.items()}
        return pages, visits, {key: knobs(page) for key, page in pages.items()}

    return begin


def test_every_page_and_a_lesson_are_the_same_visits_after_half_a_minute(cable, serve, seven):
    serve(kept=600)  # seven pages that come back at once may take a slow machine more than two minutes
    pages, visits, before = seven()
    at = pages["live"].evaluate("epoch_shown()")
    cable.cut()
    for page in pages.values():
        says(page, GONE)
    told = pages["lesson"].evaluate("epoch_shown()")
    time.sleep(30)
    for page in pages.values():
        says(page, GONE)
    cable.mend()
    for key, page in pages.items():
        assert came_back(page, "found") == visits[key], key
        page.wait_for_function("!location.search.includes('back=')")
        assert before[key].items() <= knobs(page).items(), key  # a lesson's address may say more than its name
    pages["live"].wait_for_function("t => epoch_shown() === t", arg=at)
    pages["lesson"].wait_for_function("t => epoch_shown() >= t", arg=told)


def test_every_page_and_a_lesson_come_back_from_links_once_their_visits_ended(cable, serve, seven, until, visits_ended):
    serve(kept=5, options=("--check-unused-sessions", "1000"))
    pages, visits, before = seven()
    at = pages["live"].evaluate("epoch_shown()")
    cable.cut()
    for page in pages.values():
        says(page, GONE)
    told = pages["lesson"].evaluate("epoch_shown()")
    until(lambda: visits_ended() >= len(pages), "the visits did not end")
    cable.mend()
    for key, page in pages.items():
        assert came_back(page, "made") != visits[key], key
        page.wait_for_function("own => location.search.includes(own)", arg=LINKS[key].rpartition("&")[2].lstrip("?"))
    pages["live"].wait_for_function("t => epoch_shown() === t", arg=at)
    pages["live"].get_by_role("button", name="Play", exact=True).wait_for()
    pages["lesson"].wait_for_function("t => epoch_shown() >= t", arg=told)
    for key, page in pages.items():
        page.wait_for_function("before => { const now = new URLSearchParams(location.search);"
                               " return Object.entries(before).every(([name, value]) => now.get(name) === value) }",
                               arg=before[key])
