"""What a page owes to whoever cannot use a mouse, a large window or good eyes, asked of the browser itself."""

from functools import cache
from pathlib import Path

from tests.browser.person import DEEP, wait_for_query

MOST_STOPS = 300
SMALL, MIDDLE, WIDE = (390, 844), (1024, 768), (1440, 900)
SEEN = [("light", WIDE), ("dark", SMALL)]
"""Theme and window of every journey: a desk and a phone, one by day and one by night."""
ZOOMED = [(720, 450), (320, 256)]
"""CSS pixels of a window of 1440 x 900 at 200 %, and of one of 1280 x 1024 at 400 %, as WCAG 2.2, 1.4.10 has it."""
RULES = {"target-size": {"enabled": True}, "label-content-name-mismatch": {"enabled": True}}
"""Rules of axe that are off unless asked for: WCAG 2.2, 2.5.8, and 2.5.3."""
EXCEPTIONS = {
    ("target-size", 'class="thumb'): "two native sliders lie over each other, so that their thumbs share one track; WCAG"
                                     " 2.5.8 lets a target be small where another control does the same: the boxes above",
}
"""Rule and where it is broken -> why it is left so."""

RUN_AXE = """options => axe.run(document, {resultTypes: ['violations'], ...options}).then(audit => audit.violations.flatMap(
  rule => rule.nodes.map(node => ({id: rule.id, impact: rule.impact, help: rule.help, target: String(node.target.at(-1)),
    html: node.html.slice(0, 160), why: (node.any[0] ?? node.all[0] ?? node.none[0])?.message ?? ''}))))"""

MEASURE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


@cache
def axe_source() -> str:
    import axe_playwright_python

    return next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text(encoding="utf-8")


SETTLED = """new Promise(done => {
  const changes = way => way instanceof CSSTransition && way.transitionProperty.includes('color')
    && way.playState === 'running'
  const look = () => deepAll('*').some(one => one.getAnimations().some(changes)) ? requestAnimationFrame(look) : done()
  look()
})"""
"""Waits, also where a page's policy lets no text run inside, until no colour is on its way to another; a document by itself
names only the animations outside of its shadow roots."""


def findings(page, options: dict | None = None) -> list[str]:
    """What axe finds that is more than minor, one line each; by its own options, or by all its rules and RULES."""
    if page.evaluate("!window.axe"):
        page.evaluate(axe_source())
    prepare(page)
    page.evaluate(SETTLED)
    return [f"{node['id']} ({node['impact']}): {node['help']}: {node['html']} {node['why']}"
            for node in page.evaluate(RUN_AXE, options or {"rules": RULES}) if node["impact"] != "minor"
            and not any(node["id"] == rule and where in node["html"] for rule, where in EXCEPTIONS)]


def prepare(page) -> None:
    if page.evaluate("!window.small_targets"):
        page.evaluate(DEEP)
        page.evaluate(MEASURE)


def measured(page, what: str) -> list[str]:
    prepare(page)
    return page.evaluate(f"{what}()")


def resize(page, width: int, height: int) -> None:
    """Give the page a window of that many CSS pixels, in which its cards have measured themselves."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("width => innerWidth === width", arg=width)
    page.evaluate("new Promise(done => setTimeout(() => requestAnimationFrame(done), 60))")


def enlarge(page, factor: int) -> None:
    """Set the reader's own text size, as in the browser's settings: of 16 pixels, which the root of every page has."""
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": 16 * factor}})
    page.wait_for_function("px => parseFloat(getComputedStyle(document.documentElement).fontSize) === px", arg=16 * factor)


def turn(page, theme: str) -> None:
    """Change to a theme by the button of the header, a dialog before it or not."""
    if page.evaluate("document.documentElement.dataset.theme") != theme:
        page.evaluate("name => deep(`[aria-label='${name}']`).click()", f"{theme.title()} theme")
        page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
        wait_for_query(page, f"theme={theme}")


def look(page, windows=SEEN) -> list[str]:
    violations = []
    for theme, size in windows:
        turn(page, theme)
        resize(page, *size)
        violations += [f"{theme}, {size[0]} pixels: {words}" for words in findings(page)]
    return violations


def misfits(page) -> list[str]:
    """What is cut where the page is zoomed, cut or covered where only its text is twice as large; in no window it had."""
    faults = []
    for size in ZOOMED:
        resize(page, *size)
        faults += [f"{size[0]} pixels: {words}" for words in measured(page, "cut")]
    enlarge(page, 2)
    for size in (WIDE, SMALL):
        resize(page, *size)
        faults += [f"large text, {size[0]} pixels: {words}" for words in measured(page, "cut") + measured(page, "covered")]
    enlarge(page, 1)
    return faults


def motion(page) -> list[str]:
    """What would move by its style for somebody who asks for less of it."""
    page.emulate_media(reduced_motion="reduce")
    moving = measured(page, "moving")
    page.emulate_media(reduced_motion="no-preference")
    return moving


def listen(page) -> None:
    """Note from now on what a screen reader announces."""
    prepare(page)
    page.evaluate("listen()")


def wait_to_hear(page, *words: str) -> None:
    """Wait until it has announced a text that holds all these words, among others."""
    page.wait_for_function("words => heard.some(text => words.every(one => text.includes(one)))", arg=list(words))


def walk(page) -> list[str]:
    """Press Tab until it has come round; what was not reached, not seen, or came out of order."""
    prepare(page)
    page.evaluate("start_walk()")
    faults, out = [], 0
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        come, fault = page.evaluate("(come => [come, come === 'stop' ? stop_fault() : ''])(note_stop())")
        out = out + 1 if come == "out" else 0
        if come == "round" or out > 2:
            return faults + page.evaluate("walk_faults()")
        faults += filter(None, [fault])
    return [f"the Tab key has not come round after {MOST_STOPS} stops"]
