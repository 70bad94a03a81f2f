"""A page reloaded in Chromium while its sweep is at work: seconds until it shows the cells and how far the sweep is.

``python -m tests.benchmarks reload``. The workers of the sweep have both cores meanwhile, as they would.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks.load import Served, load_average
from tests.benchmarks.own_cache import own_cache
from tests.benchmarks.timing import Row, row, skipped
from tests.benchmarks.ui import FLAGS, SCRIPT, chromium_path

SWEEP = "?page=tune&tdata=paper21&teta=0.3,3&timax=50,300&tchains=1024"
"""Of minutes: it must outlast the reloads."""
MOST = 5.0
"""Seconds."""
PATIENCE, SETTLE = 120_000, 4_000  # milliseconds
LOOKING = SCRIPT + """
window.seen = {}  // seconds since the page was asked for
setInterval(() => {
  const root = deep("[data-cells]"), bar = deepAll(".count").find(e => /\\d+ of \\d+ cells/.test(e.textContent))
  const now = performance.now() / 1000
  if (root && +root.dataset.cells) seen.cells ??= now
  if (bar) seen.count ??= now
  if (deepAll(".left").some(e => / left/.test(e.textContent))) seen.left ??= now
}, 50)
"""


def reloads(page, turns: int) -> list[dict[str, float]]:
    """What was seen, and when, of each of so many reloads."""
    found = []
    for _ in range(turns):
        page.reload(wait_until="commit")
        page.wait_for_function("seen.cells && seen.count", timeout=PATIENCE)
        page.wait_for_timeout(1_500)
        found.append(page.evaluate("seen"))
    return found


def measure(quick: bool) -> Iterator[Row]:
    """All rows of this group."""
    name = "Tune, a sweep at work: reload to its cells and how far it is"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield skipped(name, "playwright is not installed")
        return
    if chromium_path() is None:
        yield skipped(name, "no Chromium")
        return
    with own_cache(), sync_playwright() as playwright:
        server, browser = Served(), playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(PATIENCE)
            page.add_init_script(LOOKING)
            page.goto(server.url + SWEEP)
            page.get_by_role("button", name="Sweep", exact=True).first.wait_for()
            page.wait_for_timeout(SETTLE)
            page.get_by_role("button", name="Sweep", exact=True).first.click()
            page.wait_for_function("seen.cells", timeout=3 * PATIENCE)
            found = reloads(page, 4 if quick else 8)
            page.get_by_role("button", name="Cancel", exact=True).first.click()
        finally:
            browser.close()
            server.close()
    said = [one["left"] for one in found if "left" in one]
    told = f"time left said in {len(said)} of {len(found)}" + (f", after {max(said):.1f} s at most" if said else "")
    yield row(name, [max(one["cells"], one["count"]) for one in found], at_most=MOST, unit="s",
              note=f"{told}; {load_average()}")
