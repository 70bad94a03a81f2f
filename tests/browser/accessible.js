// Asked of a page by accessible.py: targets, what is cut, and what the Tab key reaches, through every shadow root.
const composedParent = n => n.assignedSlot ?? n.parentNode ?? n.host ?? null
const within = (outer, n) => { for (; n; n = composedParent(n)) if (n === outer) return true; return false }
const topmost = (x, y) => {
  let n = document.elementFromPoint(x, y)
  for (let m = n; m?.shadowRoot; ) { m = m.shadowRoot.elementFromPoint(x, y); if (!m || m === n) break; n = m }
  return n
}
Object.assign(window, {within, topmost})
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
    const top = topmost((r.left + r.right) / 2, (r.top + r.bottom) / 2)
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
const NOT_TEXT = 'svg, canvas, .bk-Canvas, .unseen, .spoken, .katex-mathml, option, [aria-hidden=true]'
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
    if (n.closest(NOT_TEXT)) continue
    if (!n.checkVisibility({visibilityProperty: true})) continue
    const r = boxOf(n)
    if (!r || r.right - r.left < 2 || r.bottom - r.top < 2) continue
    let left = -1, right = innerWidth + 1, top = -Infinity, bottom = Infinity, down = true
    for (let p = n; p && p !== document.body; p = composedParent(p)) {
      if (!(p instanceof Element)) continue
      const {clipPath, overflowX, overflowY, position} = getComputedStyle(p), box = p.getBoundingClientRect()
      if (clipPath === 'inset(50%)') { left = top = -Infinity; right = bottom = Infinity; break } // for a screen reader alone
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
  return [...new Set([...wrong, ...cut_boxes()])]
}
const pen = document.createElement('canvas').getContext('2d')
const cut_boxes = () => deepAll('input, select').filter(n => n.checkVisibility({visibilityProperty: true}) && n.clientWidth > 1
  && !/^(checkbox|radio|range|file|color)$/.test(n.type)).flatMap(n => { // their words are no text of the page
  const style = getComputedStyle(n), words = n.matches('select') ? n.selectedOptions[0]?.text ?? '' : n.value || n.placeholder
  const room = n.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
  pen.font = style.font
  const needed = pen.measureText(words).width
  return needed > room + 1 || parseFloat(style.fontSize) > n.clientHeight + 1
    ? [`${said(n)}: “${words}”, ${needed.toFixed(0)} px in ${style.fontSize}, is cut to ${room.toFixed(0)} x ${n.clientHeight}`] : []
})
const layerOf = n => { // the bar, sheet or dialog that a text moves with
  for (; n; n = composedParent(n)) if (n instanceof Element && /fixed|sticky/.test(getComputedStyle(n).position)) return n
  return null
}
const inSight = n => { // what the boxes around a text leave of it
  const sight = {left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity}
  for (let p = n; p; p = composedParent(p)) {
    if (!(p instanceof Element)) continue
    const {overflowX, overflowY, position} = getComputedStyle(p)
    if (overflowX !== 'visible' || overflowY !== 'visible') {
      const box = p.getBoundingClientRect()
      for (const side of ['left', 'top']) sight[side] = Math.max(sight[side], box[side])
      for (const side of ['right', 'bottom']) sight[side] = Math.min(sight[side], box[side])
    }
    if (position === 'fixed') break
  }
  return sight
}
window.covered = () => { // lines of text of which one lies over the other
  const lines = [], wrong = []
  for (const n of deepAll('*')) {
    if (n.closest(NOT_TEXT) || n.closest('.katex') || !n.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue
    const texts = [...n.childNodes].filter(m => m.nodeType === 3 && m.data.trim())
    if (!texts.length) continue
    const sight = inSight(n), layer = layerOf(n)
    for (const m of texts) {
      const range = document.createRange(); range.selectNodeContents(m)
      for (const r of range.getClientRects()) {
        const line = {n, layer, words: m.data.trim().slice(0, 30), left: Math.max(r.left, sight.left), right: Math.min(r.right, sight.right),
          top: Math.max(r.top, sight.top), bottom: Math.min(r.bottom, sight.bottom)}
        if (line.right - line.left > 2 && line.bottom - line.top > 2) lines.push(line)
      }
    }
  }
  lines.sort((a, b) => a.top - b.top)
  lines.forEach((a, k) => {
    for (let j = k + 1; j < lines.length && lines[j].top < a.bottom; j++) {
      const b = lines[j], across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const down = Math.min(a.bottom, b.bottom) - b.top, least = Math.min(a.bottom - a.top, b.bottom - b.top)
      if (a.n === b.n || a.layer !== b.layer || across < 2 || down < .35 * least) continue // lines of text may touch
      wrong.push(`“${a.words}” of ${said(a.n)} lies ${across.toFixed(0)} x ${down.toFixed(0)} px over “${b.words}” of ${said(b.n)}`)
    }
  })
  return wrong
}
window.listen = () => { // from now on: what a screen reader is told of, and the verdicts that Live has shown
  const watch = (n, deed) => new MutationObserver(deed).observe(n, {childList: true, subtree: true, characterData: true})
  window.heard = []
  for (const n of deepAll('[aria-live], [role=status], [role=alert]')) {
    watch(n, () => n.textContent.trim() && heard.push(n.textContent.trim()))
  }
  const card = deep('[aria-label=Verdict]'), verdict = () => ['h2', '.sub'].map(part => card.querySelector(part).textContent).join(', ')
  if (!card) return
  window.verdicts = [verdict()]
  watch(card, () => { if (verdict() !== verdicts.at(-1)) verdicts.push(verdict()) })
}
const MOVES = /^(all|transform|translate|rotate|scale|left|right|top|bottom|inset|width|height|margin|padding|max-|min-)/
window.moving = () => deepAll('*').filter(n => n.checkVisibility({visibilityProperty: true, opacityProperty: true})).flatMap(n => ['', '::before', '::after'].filter(part => { // what moves by its style
  const style = getComputedStyle(n, part || null), seconds = style.transitionDuration.split(', ').map(parseFloat)
  return style.animationName !== 'none' || style.transitionProperty.split(', ').some((name, k) =>
    MOVES.test(name) && seconds[k % seconds.length] > 0)
}).map(part => `${said(n)}${part} moves: ${getComputedStyle(n, part || null).animationName}, ${getComputedStyle(n, part || null).transition}`))
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
