"""Links of six pages and a lesson, and scripts and helpers to check a broken connection."""

from contextlib import suppress
from urllib.parse import parse_qsl, urlsplit

import psutil
from playwright.sync_api import TimeoutError

from tests.browser.person import PATIENCE

GONE, SILENT = "The server cannot be reached", "The server has not answered for a while"
LINKS = {"live": "?page=live&eta0=2", "exit": "?page=exit&er=2", "tune": "?page=tune&tC=30",
         "compare": "?page=compare&cT=256", "offline": "?page=offline&oi=150", "coreset": "?page=coreset&kM=60",
         "lesson": "?lesson=too_hot"}
"""Page, or a lesson -> a link with a setting that is not the default."""
RESTORED = "window.before === undefined && deep('[data-came]') && !location.search.includes('back=')"
"""Whether a page has been rebuilt from its link and shows a note."""
LINK = "[...Bokeh.documents.at(-1)._all_models.values()].map(m => m.attributes.link).find(Boolean)"
"""URL parameters from which the page would be restored."""

STATE = "[window.before, deep('[data-came]')?.dataset.came, ...deepAll('[role=alert]').map(one => one.textContent)]"
"""Whether a page has been reloaded, how it was restored, and its alerts."""


def workers(pid):
    processes = []
    for one in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            processes += [one] if "spawn_main" in " ".join(one.cmdline()) else []
    return processes


def wait_for_alert(page, words):
    page.wait_for_function("text => deep('.words[role=alert]')?.textContent.includes(text)", arg=words)


def pause(page):
    """Pause Live and wait until the browser has the link of the paused page, from which it is restored."""
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    page.wait_for_function(f"({LINK})?.endsWith('back=0')")


def mark(page):
    page.evaluate("window.before = true")


def wait_until_restored(page):
    try:
        page.wait_for_function(RESTORED, timeout=3 * PATIENCE)
    except TimeoutError as late:
        raise AssertionError(f"not restored: {page.url} {page.evaluate(STATE)}") from late


def knobs(page):
    parameters = dict(parse_qsl(urlsplit(page.url).query))
    return {name: value for name, value in parameters.items() if name not in ("t", "log", "back")}
