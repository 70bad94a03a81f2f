"""What a page owes to whoever cannot use a mouse, a large window or good eyes, asked of the browser itself."""

from functools import cache
from pathlib import Path

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

MEASURE = r"""
const composedParent = n => n.assignedSlot ?? n.parentNode ?? n.host ?? null
const within = (outer, n) => { for (; n; n = composedParent(n)) if (n === outer) return true; return false }
const topmostAt = (x, y) => {
  let n = document.elementFromPoint(x, y)
  for (let m = n; m?.shadowRoot; ) { m = m.shadowRoot.elementFromPoint(x, y); if (!m || m === n) break; n = m }
  return n
}
const INTERACTIVE = 'button,a[href],input:not([type=hidden]),select,textarea,summary,[role=button],[role=radio],'
  + '[role=tab],[role=menuitem],[role=switch],[role=slider],[role=checkbox],[role=option],'
  + '[tabindex]:not([tabindex="-1"]),lab-term.about'
const shows = n => n.checkVisibility({visibilityProperty: true}) && !n.disabled && !n.closest('[inert]')
const said = n => `${n.tagName.toLowerCase()}.${[...n.classList].join('.')} “${
  (n.getAttribute('aria-label') ?? n.textContent ?? '').trim().slice(0, 30)}”`
window.interactive = () => deepAll(INTERACTIVE).filter(n => shows(n) && n.getBoundingClientRect().width > 0
  && !n.classList.contains('term')) // a word within a line of text: as high as the line (WCAG 2.5.8, inline)
window.small_targets = () => { // smaller than 24 px, and nearer to another target than WCAG 2.5.8 lets them be
  const box = n => { // what answers a finger: the whole label of a switch or a check box
    const own = n.getBoundingClientRect(), label = /^(checkbox|radio)$/.test(n.type) && n.closest('label')
    return label ? label.getBoundingClientRect() : own
  }
  const fits = r => r.width > 23.99 && r.height > 23.99, wrong = []
  const all = interactive().filter(n => !n.matches('.thumb')).map(n => ({n, r: box(n)}))
  const seen = ({n, r}) => { // not what lies behind a sheet or a bar
    const top = topmostAt((r.left + r.right) / 2, (r.top + r.bottom) / 2)
    return top && (within(n, top) || within(top, n) || n.closest('label')?.contains(top))
  }
  for (const one of all) {
    if (fits(one.r)) continue
    one.n.scrollIntoView({block: 'center', inline: 'center'})
    one.r = box(one.n)
    if (!seen(one)) continue
    const x = (one.r.left + one.r.right) / 2, y = (one.r.top + one.r.bottom) / 2
    for (const other of all) {
      if (within(one.n, other.n) || within(other.n, one.n)) continue
      const r = box(other.n)
      const apart = Math.hypot(Math.max(r.left - x, 0, x - r.right), Math.max(r.top - y, 0, y - r.bottom))
      const centres = Math.hypot((r.left + r.right) / 2 - x, (r.top + r.bottom) / 2 - y)
      if ((apart < 11.99 || !fits(r) && centres < 23.99) && seen({n: other.n, r})) {
        wrong.push(`${said(one.n)} ${one.r.width.toFixed(0)} x ${one.r.height.toFixed(0)} near ${said(other.n)}`)
        break
      }
    }
  }
  return wrong
}
const MEANT_TO_SCROLL = 'nav, pre, .scroll, .table, .formula, .f, .steps, .settings, .readings, .katex-display'
window.cut = () => { // what does not fit: the page scrolls sideways, or words or controls are cut in their box
  const wrong = [], page = document.scrollingElement
  if (page.scrollWidth > innerWidth) wrong.push(`the page is ${page.scrollWidth} px wide in ${innerWidth}`)
  for (const n of deepAll('*')) {
    if (n.closest('svg, canvas, .bk-Canvas, .unseen, .spoken, .katex-mathml, [aria-hidden=true]')) continue
    const words = [...n.childNodes].some(m => m.nodeType === 3 && m.data.trim())
    if (!words && !n.matches(INTERACTIVE) || !n.checkVisibility({visibilityProperty: true})) continue
    const r = n.getBoundingClientRect()
    if (r.width < 2 || r.height < 2) continue
    let left = -1, right = innerWidth + 1
    for (let p = n; p && p !== document.body; p = composedParent(p)) {
      if (!(p instanceof Element)) continue
      const {overflowX} = getComputedStyle(p)
      if (overflowX === 'visible') continue
      if (p.matches(MEANT_TO_SCROLL)) { left = -Infinity; right = Infinity; break } // a table, a formula, a row of tabs
      const box = p.getBoundingClientRect()
      left = Math.max(left, box.left - 1); right = Math.min(right, box.right + 1)
      if (p === n && words && n.scrollWidth > n.clientWidth + 1 && !n.matches('input')) wrong.push(`${said(n)} ends in …`)
    }
    const span = (a, b) => `${a.toFixed(0)} to ${b.toFixed(0)}`
    if (r.left < left || r.right > right) wrong.push(`${said(n)}, ${span(r.left, r.right)}, is cut to ${span(left, right)}`)
  }
  return [...new Set(wrong)]
}
"""


@cache
def axe_source() -> str:
    """Return axe-core, as the test's own package carries it."""
    import axe_playwright_python

    return next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text(encoding="utf-8")


def findings(page) -> list[str]:
    """What axe finds that is more than minor, one line each."""
    if page.evaluate("!window.axe"):
        page.evaluate(axe_source())
    return [f"{node['id']} ({node['impact']}): {node['help']}: {node['html']} {node['why']}"
            for node in page.evaluate(RUN_AXE, RULES) if node["impact"] != "minor"
            and not any(node["id"] == rule and where in node["html"] for rule, where in EXCEPTIONS)]


def measured(page, what: str) -> list[str]:
    """Ask one of the functions of MEASURE."""
    if page.evaluate("!window.small_targets"):
        page.evaluate(MEASURE)
    return page.evaluate(f"{what}()")
