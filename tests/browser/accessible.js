// Asked of a page by accessible.py: targets, what is cut, and what the Tab key reaches, through every shadow root.
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
const boxOf = n => { // of its own words, else of itself
  const texts = [...n.childNodes].filter(m => m.nodeType === 3 && m.data.trim()).map(m => {
    const range = document.createRange(); range.selectNodeContents(m); return range.getBoundingClientRect() })
  if (!texts.length) return n.matches(INTERACTIVE) ? n.getBoundingClientRect() : null
  const all = side => texts.map(box => box[side])
  return {left: Math.min(...all('left')), right: Math.max(...all('right')), top: Math.min(...all('top')), bottom: Math.max(...all('bottom'))}
}
window.cut = () => { // what does not fit: the page scrolls sideways, or words or controls are cut by a box that does not scroll
  const wrong = [], page = document.scrollingElement
  if (page.scrollWidth > innerWidth) wrong.push(`the page is ${page.scrollWidth} px wide in ${innerWidth}`)
  for (const n of deepAll('*')) {
    if (n.closest('svg, canvas, .bk-Canvas, .unseen, .spoken, .katex-mathml, option, [aria-hidden=true]')) continue
    if (!n.checkVisibility({visibilityProperty: true})) continue
    const r = boxOf(n)
    if (!r || r.right - r.left < 2 || r.bottom - r.top < 2) continue
    let left = -1, right = innerWidth + 1, top = -Infinity, bottom = Infinity, down = true
    for (let p = n; p && p !== document.body; p = composedParent(p)) {
      if (!(p instanceof Element)) continue
      const {overflowX, overflowY, position} = getComputedStyle(p), box = p.getBoundingClientRect()
      if (overflowX !== 'visible') {
        if (p.matches(MEANT_TO_SCROLL)) { left = -Infinity; right = Infinity; break } // a table, a formula, a row of tabs
        left = Math.max(left, box.left - 1); right = Math.min(right, box.right + 1)
        if (/auto|scroll/.test(overflowY)) down = false // whoever scrolls down sees it
        else if (down) { top = Math.max(top, box.top - 3); bottom = Math.min(bottom, box.bottom + 3) }
      }
      if (position === 'fixed') break // a dialog, a sheet: nothing around it cuts it
    }
    const span = (a, b) => `${a.toFixed(0)} to ${b.toFixed(0)}`
    if (r.left < left || r.right > right) wrong.push(`${said(n)}, ${span(r.left, r.right)}, is cut to ${span(left, right)}`)
    else if (r.top < top || r.bottom > bottom) wrong.push(`${said(n)}, ${span(r.top, r.bottom)} high, is cut to ${span(top, bottom)}`)
  }
  return [...new Set(wrong)]
}
const focused = () => { let n = document.activeElement; while (n?.shadowRoot?.activeElement) n = n.shadowRoot.activeElement; return n }
const ring = s => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0
const focus_shows = n => ring(getComputedStyle(n)) || n.matches('.range, .thumb') // these on their thumb: shared.css
  || (n.nextElementSibling && ring(getComputedStyle(n.nextElementSibling))) // a switch on what is painted for it
const slotOf = n => { // the part of the page: a card, the knobs, the transport
  let name = 'header'
  for (; n; n = composedParent(n)) {
    if (n.dataset?.slot && n.dataset.slot !== 'axes') name = n.dataset.slot
    if (n.classList?.contains('foot')) name = 'foot'
  }
  return name
}
let walked = []
window.start_walk = () => { walked = []; document.querySelector('[data-root-id], body *')?.focus(); focused()?.blur() }
window.note_stop = () => { // what the Tab key has reached: "stop", "out" of the page and its ends, or "round" again
  const n = focused()
  if (!n || n === document.body) return 'out'
  if (walked.includes(n)) return 'round'
  walked.push(n)
  return 'stop'
}
window.walk_faults = () => {
  const wrong = [], parts = walked.map(slotOf)
  const expected = [...interactive(), ...deepAll('.term')].filter(n => n.tabIndex >= 0 && shows(n))
  wrong.push(...expected.filter(n => !walked.includes(n)).map(n => `not reached: ${said(n)}`))
  wrong.push(...walked.filter(n => n.tabIndex > 0).map(n => `out of order: ${said(n)}`))
  const first = walked.findIndex((n, k) => k && parts[k] === 'header' && parts[k - 1] !== 'header') // where a page begins
  if (first > 0) { walked = [...walked.slice(first), ...walked.slice(0, first)]; parts.push(...parts.splice(0, first)) }
  parts.forEach((part, k) => { if (k && parts[k - 1] !== part && parts.indexOf(part) < k) wrong.push(`comes back to ${part}: ${said(walked[k])}`) })
  return wrong
}
window.stop_fault = () => { // of what has the focus now
  const n = focused()
  if (!focus_shows(n)) return `no focus to be seen: ${said(n)}`
  const r = n.getBoundingClientRect()
  if (r.bottom < 1 || r.top > innerHeight - 1 || r.right < 1 || r.left > innerWidth - 1) return `out of the window: ${said(n)}`
  return ''
}
