"""Browser check that the places of a lesson's badges are visible; uses accessible.js."""

LOOK = """
const span = box => `${Math.round(box.top)} to ${Math.round(box.bottom)}`
const overlap = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left),
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top))
const words = (root, near) => { // [node, box] of every visible piece of text near a box
  const pieces = [], out = b => b.width && b.height && overlap(b, near) < -60
  const visit = node => {
    for (const n of node.childNodes) {
      if (n.nodeType === 3 && n.data.trim()) {
        const range = document.createRange(); range.selectNodeContents(n)
        for (const box of range.getClientRects()) if (box.width > 1) pieces.push([n, box])
      } else if (n.nodeType === 1 && !/^(SCRIPT|STYLE)$/.test(n.tagName) && n.checkVisibility({visibilityProperty: true}) &&
        !(/^(P|SECTION|LAB-MATH)$/.test(n.tagName) && out(n.getBoundingClientRect()))) {
        if (n.shadowRoot) visit(n.shadowRoot)
        visit(n)
      }
    }
  }
  visit(root); return pieces
}
window.look_at_place = n => { // "" if the place of badge n is visible and its number covers no text, else the fault
  const ring = deep(`.layer .ring.shown[data-place="${n}"]`), card = deep(".lesson")
  if (!ring || !card) return "no ring"
  const target = ring.target, box = target.getBoundingClientRect(), cover = card.getBoundingClientRect()
  const out = box.top < -1 || box.left < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1
  if (out) return `not in the window: ${span(box)} of ${innerHeight}`
  const drawer = deep(".knobs-open") && innerWidth < 720 // it covers the card
  if (!drawer && overlap(box, cover) > 2) return `under the card: ${span(box)}, the card ${span(cover)}`
  const frame = target.closest(".card") ?? target
  for (const [x, y] of [[.5, .5], [.12, .12], [.88, .12], [.12, .88], [.88, .88]]) {
    const seen = topmost(box.left + x * box.width, box.top + y * box.height)
    if (!within(frame, seen)) return `covered by ${seen?.tagName}.${seen?.className}: ${span(box)}`
  }
  const small = target.matches(".panel, .figure") && Math.min(box.width, box.height) < 150
  if (small) return `too small to be read: ${box.width} x ${box.height}`
  const number = ring.firstElementChild.getBoundingClientRect()
  const seen = ([node, b]) => within(node.parentNode, topmost((b.left + b.right) / 2, (b.top + b.bottom) / 2))
  const near = words(document.body, number).filter(([node, b]) => overlap(b, number) > 1 && !within(ring, node))
  const under = near.find(seen)
  return under ? `the number covers “${under[0].data.trim().slice(0, 30)}”` : ""
}
window.look_at_all = async count => { // press each of `count` badges, again after 5 s; return faults that persist for 20 s
  const frame = () => new Promise(requestAnimationFrame), wrong = []
  for (let n = 1; n <= count; n++) {
    let fault = "no badge", pressed = null, at = 0
    for (const until = performance.now() + 20000; fault && performance.now() < until; await frame()) {
      const badge = deep(`.lesson .scroll .badge[data-n="${n}"]`)
      if (badge && (pressed !== badge || performance.now() - at > 5000)) { // again after the page has moved
        deep(".lesson .whole")?.click(); badge.scrollIntoView({block: "nearest"})
        const box = badge.getBoundingClientRect(), hit = topmost((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        if (!within(badge, hit) && within(deep(".lesson"), hit)) wrong.push(`badge ${n} is under a ${hit.tagName}`)
        badge.click(); pressed = badge; at = performance.now()
      }
      if (badge) fault = look_at_place(n)
    }
    if (fault) wrong.push(`badge ${n}: ${fault}`)
  }
  deep(".lesson .whole")?.click()
  return wrong
}
"""
