"""Accessibility checks in the browser: axe-core, zoom, large text, keyboard, reduced motion, announcements."""

from functools import cache
from pathlib import Path

from tests.browser.person import DEEP, wait_for_query

MOST_STOPS = 300
SMALL, MIDDLE, WIDE = (390, 844), (1024, 768), (1440, 900)
VIEWS = [("light", WIDE), ("dark", SMALL)]
"""Theme and window of every journey: a desktop and a phone."""
ZOOMED = [(720, 450), (320, 256)]
"""CSS pixels of a window of 1440 x 900 at 200 %, and of one of 1280 x 1024 at 400 % (WCAG 2.2, 1.4.10)."""
RULES = {"target-size": {"enabled": True}, "label-content-name-mismatch": {"enabled": True}}
"""Rules of axe that are off by default: WCAG 2.2, 2.5.8 and 2.5.3."""
EXCEPTIONS = {
    ("target-size", 'class="thumb'): "two native sliders overlap so that their thumbs share one track; WCAG 2.5.8 allows"
                                     " a small target if another control does the same: the boxes above",
}
"""(rule, HTML fragment of the violation) -> reason for the exception."""

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
"""Promise that resolves when no colour transition is running, in shadow roots too (`document.getAnimations` omits them);
it also works if the page's policy forbids `eval`."""


def findings(page, options: dict | None = None) -> list[str]:
    """Return violations reported by axe that are more than minor, one line each; by default all its rules and `RULES`."""
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
    """Set the window's size in CSS pixels and wait until cards have measured themselves."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("width => innerWidth === width", arg=width)
    page.evaluate("new Promise(done => setTimeout(() => requestAnimationFrame(done), 60))")


def enlarge(page, factor: int) -> None:
    """Set the text size as in the browser's settings, to a multiple of 16 pixels, the root's font size on every page."""
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": 16 * factor}})
    page.wait_for_function("px => parseFloat(getComputedStyle(document.documentElement).fontSize) === px", arg=16 * factor)


def turn(page, theme: str) -> None:
    """Change to a theme with the button of the header, even behind a dialog."""
    if page.evaluate("document.documentElement.dataset.theme") != theme:
        page.evaluate("name => deep(`[aria-label='${name}']`).click()", f"{theme.title()} theme")
        page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
        wait_for_query(page, f"theme={theme}")


def look(page, views=VIEWS) -> list[str]:
    violations = []
    for theme, size in views:
        turn(page, theme)
        resize(page, *size)
        violations += [f"{theme}, {size[0]} pixels: {words}" for words in findings(page)]
    return violations


def misfits(page) -> list[str]:
    """Return elements cut off in a zoomed page, and cut off or covered with text of twice the size."""
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
    """Return elements with animated styles under the preference for reduced motion."""
    page.emulate_media(reduced_motion="reduce")
    moving = measured(page, "moving")
    page.emulate_media(reduced_motion="no-preference")
    return moving


def listen(page) -> None:
    """Start recording announcements to screen readers."""
    prepare(page)
    page.evaluate("listen()")


def wait_for_announcement(page, *words: str) -> None:
    """Wait for an announced text that contains all of these words."""
    page.wait_for_function("words => heard.some(text => words.every(one => text.includes(one)))", arg=list(words))


def walk(page) -> list[str]:
    """Press Tab until the focus returns to its start; return stops that are missed, invisible or out of order."""
    prepare(page)
    page.evaluate("start_walk()")
    faults, out = [], 0
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        kind, fault = page.evaluate("(kind => [kind, kind === 'stop' ? stop_fault() : ''])(note_stop())")
        out = out + 1 if kind == "out" else 0
        if kind == "round" or out > 2:
            return faults + page.evaluate("walk_faults()")
        faults += filter(None, [fault])
    return [f"the focus has not returned to its start after {MOST_STOPS} stops"]
