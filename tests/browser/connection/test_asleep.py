"""A browser asleep for longer than its visit lives: the page says what happened, and goes on by itself to the same state."""

import signal

import pytest

from tests.browser.connection.pages import came_back, knobs, leave_mark, pause, says

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SILENT = "The server has not answered for a while"


@pytest.fixture
def paused(open_):
    """Return a function that opens Live and pauses it; gives the page, its visit, its knobs and its epoch."""
    def begin(*browser):
        page = open_("?speed=8e&eta0=2", *browser)
        page.wait_for_function("epoch_shown() >= 5")
        pause(page)
        page.wait_for_function("location.search.includes('eta0=2')")
        return page, leave_mark(page), knobs(page), page.evaluate("epoch_shown()")

    return begin


def goes_on(page, at):
    """Plays on, asked for by a key."""
    page.locator("body").click(position={"x": 700, "y": 5})
    page.get_by_role("button", name="Play", exact=True).wait_for()  # in a replay the key would stop it there
    page.keyboard.press("Space")
    page.wait_for_function("t => epoch_shown() > t", arg=at)


@pytest.mark.parametrize("half_open", [False, True], ids=["closed", "half open"])
def test_a_browser_asleep_beyond_its_visit_comes_back_from_its_link(cable, serve, own_chromium, paused, until, visits_ended,
                                                                    half_open):
    serve(kept=5, options=("--check-unused-sessions", "1000"))
    page, visit, before, at = paused(own_chromium.browser)
    own_chromium.send(signal.SIGSTOP)
    (cable.lose_the_far_end if half_open else cable.cut)()
    until(lambda: visits_ended() >= 1, "the visit did not end")
    cable.mend()
    own_chromium.send(signal.SIGCONT)
    if half_open:
        says(page, SILENT)  # its connection looks whole; nobody answers
    assert came_back(page, "made") != visit  # it has said that it was made again from its link
    page.wait_for_function("t => epoch_shown() === t", arg=at)
    page.wait_for_function("!location.search.includes('back=') && location.search.includes('eta0=2')")
    assert {name: knobs(page).get(name) for name in before} == before
    goes_on(page, at)
