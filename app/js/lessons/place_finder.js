// Finds what a lesson points at, wherever in the page's shadow roots it stands, and how much of it can be seen.
import {deepFind} from "../common/dom.js"
import {PHONE} from "../common/media.js"


export const within = (node, css) => { for (let n = node; n; n = above(n)) if (n.matches(css)) return true; return false }
const above = node => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null

export function unfold(node) { for (let n = node; n; n = above(n)) if (n.matches("details:not([open])")) n.open = true } // what it stands in
export const standing = node => node.isConnected && node.getBoundingClientRect().width > 0 && getComputedStyle(node).visibility !== "hidden"
const scrolls = node => /auto|scroll/.test(getComputedStyle(node).overflowY) && node.scrollHeight > node.clientHeight + 2
export function scrollersOf(node) { // innermost first
  const boxes = []
  for (let n = above(node); n && n !== document.body; n = above(n)) if (scrolls(n)) boxes.push(n)
  return boxes
}
let headerFound = null
export const headerEnd = () => { // what reaches above it would be cut
  if (!headerFound?.isConnected) headerFound = deepFind("[role=banner]")
  return headerFound?.getBoundingClientRect().bottom ?? 0
}
export const underHeader = () => PHONE.matches ? headerEnd() : 0 // on a phone the page scrolls beneath the header

export function frameOf(node) { // what can be seen of it: its box, cut by whatever scrolls around it
  const style = getComputedStyle(node)
  if (style.visibility === "hidden" || style.display === "none") return null
  const box = node.getBoundingClientRect()
  let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom]
  for (let n = above(node); n && n !== document.body; n = above(n)) {
    if (getComputedStyle(n).overflow !== "visible") {
      const b = n.getBoundingClientRect()
      if (b.width && b.height) { left = Math.max(left, b.left - 8); right = Math.min(right, b.right + 8); top = Math.max(top, b.top); bottom = Math.min(bottom, b.bottom) }
    }
  }
  left = Math.max(left, 0); top = Math.max(top, 0); right = Math.min(right, innerWidth); bottom = Math.min(bottom, innerHeight)
  return right - left > 6 && bottom - top > 6 ? {left, top, right, bottom} : null
}

export function textNear(box, node = document.body, boxes = []) { // boxes of the words and inputs, in any shadow root, in a box
  const apart = b => b.right <= box.left || b.left >= box.right || b.bottom <= box.top || b.top >= box.bottom
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE && child.data.trim()) {
      const range = document.createRange()
      range.selectNodeContents(child)
      for (const b of range.getClientRects()) if (b.width && !apart(b)) boxes.push(b)
    } else if (child.nodeType === Node.ELEMENT_NODE && child.tagName !== "SCRIPT" && child.tagName !== "STYLE") {
      const b = child.getBoundingClientRect(), far = b.width && b.height && apart(b)
      if (far && (child.tagName === "LAB-MATH" || child.tagName === "P" || child.tagName === "SECTION")) continue // nothing reaches out of these
      const style = getComputedStyle(child)
      if (style.display === "none" || style.visibility === "hidden" || (far && style.overflow !== "visible")) continue
      if (child instanceof HTMLInputElement && child.type !== "range" && child.type !== "checkbox" && !apart(b)) boxes.push(b)
      if (child.shadowRoot) textNear(box, child.shadowRoot, boxes)
      textNear(box, child, boxes)
    }
  }
  return boxes
}
