"""What a page owes to whoever cannot use a mouse, a large window or good eyes, asked of the browser itself."""

from functools import cache
from pathlib import Path

from tests.browser.person import DEEP

MOST_STOPS = 300
RULES = {"target-size": {"enabled": True}, "label-content-name-mismatch": {"enabled": True}}
"""Rules of axe that are off unless asked for: WCAG 2.2, 2.5.8, and 2.5.3."""
EXCEPTIONS = {
    ("target-size", 'class="thumb'): "two native sliders lie over each other, so that their thumbs share one track; WCAG"
                                     " 2.5.8 lets a target be small where another control does the same: the boxes above",
}
"""Rule and where it is broken -> why it is left so."""

RUN_AXE = """rules => axe.run(document, {resultTypes: ['violations'], rules}).then(found => found.violations.flatMap(rule =>
  rule.nodes.map(node => ({id: rule.id, impact: rule.impact, help: rule.help, target: String(node.target.at(-1)),
    html: node.html.slice(0, 160), why: (node.any[0] ?? node.all[0] ?? node.none[0])?.message ?? ''}))))"""

MEASURE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


@cache
def axe_source() -> str:
    """Return axe-core, as the test's own package carries it."""
    import axe_playwright_python

    return next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text(encoding="utf-8")


SETTLED = """() => Promise.allSettled(document.getAnimations().filter(one => one instanceof CSSTransition)
  .map(one => one.finished))"""
"""Waits for colours that are on their way to others."""


def findings(page) -> list[str]:
    """What axe finds that is more than minor, one line each."""
    if page.evaluate("!window.axe"):
        page.evaluate(axe_source())
    page.evaluate(SETTLED)
    return [f"{node['id']} ({node['impact']}): {node['help']}: {node['html']} {node['why']}"
            for node in page.evaluate(RUN_AXE, RULES) if node["impact"] != "minor"
            and not any(node["id"] == rule and where in node["html"] for rule, where in EXCEPTIONS)]


def prepare(page) -> None:
    """Give a page the functions of MEASURE."""
    if page.evaluate("!window.small_targets"):
        page.evaluate(DEEP)
        page.evaluate(MEASURE)


def measured(page, what: str) -> list[str]:
    """Ask one of the functions of MEASURE."""
    prepare(page)
    return page.evaluate(f"{what}()")


def walk(page) -> list[str]:
    """Press Tab until it has come round; what was not reached, not seen, or came out of order."""
    prepare(page)
    page.evaluate("start_walk()")
    faults, out = [], 0
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        come = page.evaluate("note_stop()")
        out = out + 1 if come == "out" else 0
        if come == "round" or out > 2:
            return faults + page.evaluate("walk_faults()")
        if come == "stop":
            faults += filter(None, [page.evaluate("stop_fault()")])
    return [f"the Tab key has not come round after {MOST_STOPS} stops"]
