import {frameOf, headerEnd, isDisplayed, textNear, unfold, within} from "./place_finder.js"
import {deepFind, element} from "../common/dom.js"

// Ring with a number that follows its place while the page moves.
export const LOOK_AGAIN = 300 // ms between searches for a place that is not in the page
const BADGE = 22 // px

export class PlaceRing {
  constructor(place, number, layer) {
    this.spots = place.spots; this.ring = place.ring; this.pad = place.pad; this.number = number
    this.box = element(`<div class="ring" data-place="${number}" ${place.ring ? "" : "data-bare"}><span class="badge">${number}</span></div>`)
    layer.append(this.box)
    this.node = null; this.spot = null; this.inDrawer = false; this.looked = -LOOK_AGAIN; this.last = ""; this.corner = null
  }
  search(now) {
    if (now - this.looked < LOOK_AGAIN || (this.spot === this.spots[0] && isDisplayed(this.node))) return
    this.looked = now
    for (const spot of this.spots) {
      const node = deepFind(spot.css, spot.text)
      if (node) unfold(node)
      if (node && isDisplayed(node)) {
        if (node !== this.node) { this.inDrawer = within(node, "[data-slot=sidebar]"); this.corner = null }
        this.node = this.box.target = node; this.spot = spot
        return
      }
    }
    if (!this.node?.isConnected) this.node = this.spot = null
  }
  follow(now, cover, drawer) {
    this.search(now)
    const frame = this.node && drawer === this.inDrawer ? frameOf(this.node) : null
    let state = "gone"
    if (frame) {
      const pad = this.ring ? this.pad : 0
      let {left, top, right, bottom} = frame
      left = Math.max(3, left - pad); top = Math.max(3 + headerEnd(), top - Math.max(pad - 2, 0)); right = Math.min(innerWidth - 3, right + pad); bottom = Math.min(innerHeight - 3, bottom + Math.max(pad - 2, 0))
      const middle = (left + right) / 2
      if (cover && middle > cover.left && middle < cover.right) { // the card covers it from below or above
        if (cover.top - top > bottom - cover.bottom) bottom = Math.min(bottom, cover.top - 4)
        else top = Math.max(top, cover.bottom + 4)
      }
      if (bottom - top > 10) state = [left, top, right - left, bottom - top].map(v => Math.round(v)).join(" ")
    }
    if (state === this.last) return this.settle(now)
    this.last = state; this.moved = now; this.settled = false
    this.box.classList.toggle("shown", state !== "gone")
    if (state === "gone") return
    const [left, top, width, height] = state.split(" ").map(Number)
    this.size = {left, top, width, height}
    Object.assign(this.box.style, {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`})
    this.put(this.corner ?? [0, 0])
  }
  settle(now) { // once the ring is at rest, move the number to where it covers the least text
    if (this.settled || this.last === "gone" || now - this.moved < 80) return
    this.settled = true
    const {width, height} = this.size, low = Math.min(height, 60)
    const corners = [[0, 0], [width, 0], [0, low], [width, low], [0, height / 2], [width, height / 2], [0, height], [width, height],
      ...[.25, .5, .79, .125, .375, .625, .9].flatMap(part => [[width * part, 0], [width * part, height]])]
    const {left, top} = this.size
    const words = textNear({left: left - BADGE, top: top - BADGE, right: left + width + BADGE, bottom: top + height + BADGE})
    const covered = corners.map(corner => this.covered(corner, words))
    this.corner = corners[covered.indexOf(Math.min(...covered))] // the first of the best
    this.put(this.corner)
  }
  where([x, y]) { // left and top of the number centred at a point of the ring, within the window
    const {left, top} = this.size
    return [Math.min(Math.max(left + x - BADGE / 2, 1), innerWidth - BADGE - 1), Math.min(Math.max(top + y - BADGE / 2, 1 + headerEnd()), innerHeight - BADGE - 1)]
  }
  covered(corner, words) { // area of text in square pixels that the number would cover
    const [left, top] = this.where(corner), both = (a, b, c, d) => Math.max(0, Math.min(b, d) - Math.max(a, c))
    return words.reduce((sum, b) => sum + both(left, left + BADGE, b.left, b.right) * both(top, top + BADGE, b.top, b.bottom), 0)
  }
  put(corner) {
    const [left, top] = this.where(corner)
    Object.assign(this.box.firstElementChild.style, {left: `${left - this.size.left - 2}px`, top: `${top - this.size.top - 2}px`})
  }
  beat() { this.box.classList.remove("beat"); void this.box.offsetWidth; this.box.classList.add("beat") }
  remove() { this.box.remove() }
}
