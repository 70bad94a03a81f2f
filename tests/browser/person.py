"""Actions of a user that tests of all pages share."""

import csv
import os
import shutil
from functools import partial

PATIENCE = 120_000
"""Milliseconds to wait for a state before a test fails."""
UNUSED = (
    "WebUIOmniboxPopup WebUIOmniboxAimPopup WebUIOmniboxFullPopup AimEnabled PreconnectToSearch LensOverlay MediaRouter "
    "OptimizationHints NetworkTimeServiceQuerying HttpsUpgrades HttpsFirstBalancedModeAutoEnable PaintHolding "
    "AvoidUnnecessaryBeforeUnloadCheckSync AvoidCorsURLLoaderRestartOnRedirect DestroyProfileOnBrowserClose"
).split()
"""Disabled features of Chromium: the pages of its address bar, of which each window would load two, and Playwright's list,
which this one replaces."""
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    f"--disable-component-update --disable-sync --disable-features={','.join(UNUSED)}"
).split()
"""Flags of a headless Chromium without background requests."""
PNG = b"\x89PNG\r\n\x1a\n"
"""Signature of a PNG file."""
DEEP = """
window.deepAll = (selector, node = document) => {
  const matches = [...node.querySelectorAll(selector)]
  for (const n of node.querySelectorAll("*")) if (n.shadowRoot) matches.push(...deepAll(selector, n.shadowRoot))
  return matches
}
window.deep = (selector, node = document) => { // the first match of deepAll, without searching further
  let match = node.querySelector(selector) ?? undefined
  for (const n of match ? [] : node.querySelectorAll("*")) if (n.shadowRoot && (match = deep(selector, n.shadowRoot))) break
  return match
}
window.shown = () => ({...(deep("[data-request], [data-asked]")?.dataset ?? {})})
window.canvas = () => ({...(deep("canvas[data-frames]")?.dataset ?? {})})
window.frames_painted = () => +(canvas().frames ?? 0)
window.epoch_shown = () => +(deep("[data-ro=t]")?.textContent.replace(/,/g, "") ?? -1)
"""
"""Functions that find elements through all shadow roots and read a page's data attributes."""


def find_browser(variable: str, *names: str) -> str | None:
    paths = (os.environ.get(variable), *map(shutil.which, names))
    return next((path for path in paths if path and os.path.exists(path)), None)


def find_chromium() -> str | None:
    return find_browser("LAB_CHROMIUM", "/usr/bin/chromium", "chromium", "google-chrome")


def watch(page, problems: list[str], own: str = "//127.0.0.1:", kinds=("error",)) -> None:
    """Collect page errors, console messages of these kinds, and requests to hosts other than ``own``."""
    page.on("pageerror", lambda error: problems.append(error.stack or str(error)))
    page.on("console", lambda m: problems.append(m.text) if m.type in kinds else None)
    page.on("request", lambda r: problems.append(f"request to another host: {r.url}")
            if r.url.startswith("http") and own not in r.url else None)


def patient(page):
    """Set a long timeout and polling every 50 ms (at every frame it would take a sixth of a core); return the page."""
    page.set_default_timeout(PATIENCE)
    page.add_init_script(DEEP)
    page.wait_for_function = partial(page.wait_for_function, polling=50)
    return page


def new_tab(browser, problems=None, width=1440, height=900, own="//127.0.0.1:", kinds=("error",), **window):
    """Open a page in a new window, to be closed with ``page.context.close()``; `watch` fills ``problems``."""
    page = patient(browser.new_context(viewport={"width": width, "height": height}, **window).new_page())
    if problems is not None:
        watch(page, problems, own, kinds)
    return page


def knob(page, name):
    return page.locator(f".knob-{name}")


def type_in(page, name, text):
    box = knob(page, name).locator("input.box")
    box.fill(text)
    box.press("Enter")


def choose(page, menu, words):
    page.get_by_role("combobox", name=menu, exact=True).select_option(label=words)


def wait_for_query(page, text):
    page.wait_for_function("text => location.search.slice(1).split('&').includes(text)", arg=text)


def finished(page, request):
    """Wait until the job of a request, or of a later one, is done; return the page's data attributes.

    The first one may wait for kernels to compile. Tune has `asked` and `done` in place of `request`.
    """
    page.wait_for_function("""n => {
      const {request, asked, done, total} = shown()
      return +(request ?? asked) >= n && (asked ? done === asked && total : done === '1') }""",
                           arg=request, timeout=2 * PATIENCE)
    return page.evaluate("shown()")


def pause(page):
    """Pause Live and wait until its epoch and step have not changed for 0.3 s."""
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Play", exact=True).wait_for()
    page.wait_for_function("""() => { // by the browser's own clock
      const now = deep("[data-ro=t]").textContent + deep("[data-ro=i]").textContent
      if (window.stood !== now) { window.stood = now; window.since = performance.now() }
      return performance.now() - window.since > 300 }""")


def after(page, action):
    """Do an action that requests a job; return the page's data attributes when it is done."""
    page.wait_for_function("shown().request ?? shown().asked")  # set once a page that has come back is drawn
    before = int(page.evaluate("shown().request ?? shown().asked"))
    action()
    return finished(page, before + 1)


def region(page, name):
    return page.get_by_role("region", name=name, exact=True)


def download(page, action):
    with page.expect_download() as saved:
        action()
    return saved.value.path()


def saves(card, kind):
    """Return the action that saves a card's content in a format of its menu, such as "CSV"."""
    def save():
        card.get_by_role("button", name="Save", exact=True).click()
        card.get_by_role("menuitem", name=kind).click()
    return save


def download_rows(page, action):
    with open(download(page, action), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
