"""A cut and mended cable, a restarted server: pages report it and are restored from their links."""

import signal
import threading

import pytest
from playwright.sync_api import expect

from app.chrome.frame import PAGES
from tests.browser.connection.pages import GONE, LINK, LINKS, SILENT, knobs, mark, pause, wait_for_alert, wait_until_restored
from tests.browser.person import PATIENCE, type_in, wait_for_query

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("half_open", [False, True], ids=["cut", "half open"])
def test_a_cut_longer_than_the_visit_leads_back_to_the_same_picture(cable, serve, open_, until, log, half_open):
    """Half open, as after a sleep: the connection looks intact but does not answer."""
    serve(options=("--check-unused-sessions", "1000"))  # a visit ends 15 s after its browser disconnects
    page = open_("?speed=8e")
    page.wait_for_function("epoch_shown() >= 5")
    pause(page)
    type_in(page, "eta0", "3")
    page.wait_for_function(f"({LINK}).includes('eta0=3&')")  # the browser has the link for restoring
    box = page.locator(".knob-i_max input.box")
    box.fill("175")  # typed, not entered
    at = page.evaluate("epoch_shown()")
    mark(page)
    cable.cut(both=not half_open)
    wait_for_alert(page, SILENT if half_open else GONE)
    if not half_open:
        page.evaluate("deepAll('button').find(b => b.ariaLabel?.startsWith('Restart')).click()")  # not received
        assert page.evaluate("epoch_shown()") == at
    until(lambda: "Discarding session" in log.read_text(), "the visit did not end")
    cable.mend()
    wait_until_restored(page)
    page.wait_for_function("t => frames_painted() > 0 && epoch_shown() === t", arg=at)
    page.get_by_role("button", name="Play", exact=True).wait_for()  # during a replay the key would stop it
    wait_for_query(page, "eta0=3")
    expect(box).to_have_value("175")
    page.keyboard.press("Escape")
    page.locator("body").click(position={"x": 700, "y": 5})
    page.keyboard.press("Space")
    page.wait_for_function("t => epoch_shown() > t", arg=at)


def test_every_page_and_a_lesson_are_restored_from_their_links_after_a_restart_of_the_server(cable, serve, open_):
    first = serve()
    pages = {key: open_(link) for key, link in LINKS.items()}
    live, lesson = pages["live"], pages["lesson"]
    for key, link in LINKS.items():
        wait_for_query(pages[key], link.rpartition("&")[2].lstrip("?"))
    for page in (live, lesson):
        page.wait_for_function("epoch_shown() >= 5")
    pause(live)
    before = {key: knobs(page) for key, page in pages.items()}
    first.send_signal(signal.SIGTERM)
    assert first.wait(PATIENCE / 1000) == 0
    for page in pages.values():
        wait_for_alert(page, GONE)
    paused, reached = live.evaluate("epoch_shown()"), lesson.evaluate("epoch_shown()")
    again = threading.Thread(target=serve)
    again.start()
    for key, page in pages.items():
        wait_until_restored(page)
        page.wait_for_function("before => { const now = new URLSearchParams(location.search);"
                               " return Object.entries(before).every(([name, value]) => now.get(name) === value) }",
                               arg=before[key])
        label = PAGES[key].label if key in PAGES else "Live"
        page.get_by_role("tab", name=label, exact=True, selected=True).wait_for()
    again.join()
    live.wait_for_function("t => epoch_shown() === t", arg=paused)
    live.get_by_role("button", name="Play", exact=True).wait_for()
    lesson.wait_for_function("t => epoch_shown() >= t", arg=reached)  # replayed, then continued
