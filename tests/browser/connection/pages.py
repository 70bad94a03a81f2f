"""Six pages and a lesson, each with something of its own in its link, and what they say of a broken connection."""

from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import TimeoutError

from tests.browser.person import PATIENCE

GONE = "The server cannot be reached"
KNOBS = {"live": "eta0=2", "exit": "er=2", "tune": "tC=30", "compare": "cT=256", "offline": "oi=150", "coreset": "kM=60"}
"""Page -> something of its own in the link."""
LINKS = {**{key: f"?page={key}&{own}" for key, own in KNOBS.items()}, "lesson": "?lesson=too_hot"}
SAYS = "text => deep('.words[role=alert]')?.textContent.includes(text)"
HOW = {"found": "window.before === undefined && deep('[data-came=found]')",
       "made": "window.before === undefined && deep('[data-came=made]') && !location.search.includes('back=')"}
"""How a page has come back: to the very same visit, or made again from its link."""
VISIT = "[...(globalThis.Bokeh?.documents?.at(-1)?._all_models.values() ?? [])].map(m => m.attributes.visit).find(Boolean)"
"""Name of the visit that a page shows."""

LINK = "[...Bokeh.documents.at(-1)._all_models.values()].map(m => m.attributes.link).find(Boolean)"
"""URL parameters of what a page shows: what it would come back by."""

STANDS = "[window.before, deep('[data-came]')?.dataset.came, ...deepAll('[role=alert]').map(one => one.textContent)]"
"""Whether a page has been loaded anew, how it has come back, and what it says."""


def says(page, words):
    """Wait until the line at the foot of the page holds these words."""
    page.wait_for_function(SAYS, arg=words)


def pause(page):
    """Pause Live, and wait until the browser has a link that says so: it comes back by this."""
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    page.wait_for_function(f"({LINK})?.endsWith('back=0')")


def leave_mark(page):
    """Mark the loaded page, so that one loaded anew is known; return the name of its visit."""
    page.evaluate("window.before = true")
    return page.evaluate(VISIT)


def came_back(page, how):
    """Wait until the page has come back like this, among others that load at once; return the name of its visit."""
    try:
        page.wait_for_function(HOW[how], timeout=3 * PATIENCE)
    except TimeoutError as late:
        raise AssertionError(f"it has not come back, {how}: {page.url} {page.evaluate(STANDS)}") from late
    return page.evaluate(VISIT)


def knobs(page):
    """What the address says of the page's state: all but where a run stands."""
    given = dict(parse_qsl(urlsplit(page.url).query))
    return {name: value for name, value in given.items() if name not in ("t", "log", "back", "bokeh-session-id")}
