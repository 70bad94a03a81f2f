// Placement of a lesson's card apart from its places: the page reserves room or scrolls, or the card shrinks to one sentence.
import {frameOf, scrollersOf, underHeader, within} from "./place_finder.js"
import {LOOK_AGAIN} from "./place_ring.js"
import {deepFind, element} from "../common/dom.js"
import {NARROW, PHONE} from "../common/media.js"

const BARS = ["[role=toolbar][aria-label=Transport]", "[role=toolbar][aria-label=Class]", ".foot.only-phone"] // fixed at the bottom on a phone
const LEAST_TEXT = 40 // px: two lines
const ROOM = document.documentElement.style

export const barHeight = () => {
  if (!PHONE.matches) return 0
  const bar = BARS.map(css => deepFind(css)).find(node => node && getComputedStyle(node).position === "fixed")
  return bar?.offsetHeight ?? 0
}

export function reserveRoom(card, side, live) { // set the lengths that the page's layouts read
  const height = card.offsetHeight, one = NARROW.matches
  const room = !one && side === "left" && live ? `${height + 2}px` : "0px"
  const under = one || !live ? `${height + (PHONE.matches ? 8 : 26)}px` : "0px"
  for (const [name, value] of [["--lesson-room", room], ["--lesson-under", under], ["--lesson-purpose", "none"]]) if (ROOM.getPropertyValue(name) !== value) ROOM.setProperty(name, value)
  if (one && !PHONE.matches) ROOM.setProperty("--lesson-free", `${Math.max(280, innerHeight - 380)}px`)
  else ROOM.removeProperty("--lesson-free")
}
export const releaseRoom = () => { for (const name of ["--lesson-room", "--lesson-under", "--lesson-free", "--lesson-purpose"]) ROOM.removeProperty(name) }

function freeAround(node, card, scrollers = scrollersOf(node)) { // vertical range of the screen in which a place is visible
  const drawer = within(node, "[data-slot=sidebar]"), cover = card?.getBoundingClientRect(), box = node.getBoundingClientRect()
  let top = underHeader(), bottom = innerHeight - (drawer ? 0 : barHeight())
  for (const scroller of scrollers) {
    const around = scroller.getBoundingClientRect()
    top = Math.max(top, around.top); bottom = Math.min(bottom, around.bottom)
  }
  if (drawer && PHONE.matches) top += 88 // the drawer's own title
  if (cover && cover.left < box.right && cover.right > box.left) {
    if (cover.top - top > bottom - cover.bottom) bottom = Math.min(bottom, cover.top - 6)
    else top = Math.max(top, cover.bottom + 6)
  }
  return {top, bottom}
}

export function covered(node, card) { // whether part of a place is not visible
  const {top, bottom} = freeAround(node, card), box = node.getBoundingClientRect()
  return box.top < top - 2 || box.bottom > bottom + 2
}

export function bring(node, card) { // scroll a place into view: within each scroller, then the outermost one on the screen
  const scrollers = scrollersOf(node), drawer = within(node, "[data-slot=sidebar]") // its title covers its scrolled content
  scrollers.forEach((scroller, k) => {
    const outermost = drawer || k === scrollers.length - 1, around = scroller.getBoundingClientRect(), box = node.getBoundingClientRect()
    const {top, bottom} = outermost ? freeAround(node, card, [scroller]) : around
    const air = Math.min(26, Math.max(0, (bottom - top - box.height) / 2)) // for the ring and its number
    const by = box.height + 8 > bottom - top || box.top < top + air ? box.top - top - air : box.bottom > bottom - 8 ? box.bottom - bottom + 8 : 0
    if (Math.abs(by) > 1) scroller.scrollBy({top: by, behavior: "instant"})
  })
}

export function lowered(card, node) { // reduce the card's text to fewer, scrolling lines for a tall place; return whether it did
  const text = card.querySelector(".said"), {top, bottom} = freeAround(node, card)
  const missing = node.getBoundingClientRect().height + 4 - (bottom - top), height = Math.max(LEAST_TEXT, text.offsetHeight - missing)
  if (missing <= 0 || height >= text.offsetHeight) return false
  text.style.maxHeight = `${height}px`; text.tabIndex = 0
  return true
}

// Cover of an element that would reveal the answer, until the question is answered.
export class Cover {
  constructor(css, layer) {
    this.css = css; this.node = null; this.looked = -LOOK_AGAIN
    this.box = element(`<div class="cover"><span>covered until you have answered</span></div>`)
    layer.append(this.box)
  }
  follow(now, on) {
    if (!this.node?.isConnected && now - this.looked > LOOK_AGAIN) { this.looked = now; this.node = deepFind(this.css) }
    if (this.node) this.node.inert = on // not reachable by keyboard or screen readers either
    const frame = on && this.node?.isConnected ? frameOf(this.node) : null
    this.box.classList.toggle("shown", !!frame)
    if (frame) Object.assign(this.box.style, {left: `${frame.left}px`, top: `${frame.top}px`, width: `${frame.right - frame.left}px`, height: `${frame.bottom - frame.top}px`})
  }
  remove() {
    if (this.node) this.node.inert = false
    this.box.remove()
  }
}
