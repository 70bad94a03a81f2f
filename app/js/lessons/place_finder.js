// Search for the places of a lesson, including shadow roots, and their visible part.
import {deepFind} from "../common/dom.js"
import {PHONE} from "../common/media.js"


export const within = (node, css) => { for (let n = node; n; n = above(n)) if (n.matches(css)) return true; return false }
const above = node => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null

export function unfold(node) { for (let n = node; n; n = above(n)) if (n.matches("details:not([open])")) n.open = true } // open all folds around a node
export const isDisplayed = node => node.isConnected && node.getBoundingClientRect().width > 0 && getComputedStyle(node).visibility !== "hidden"
const scrolls = node => /auto|scroll/.test(getComputedStyle(node).overflowY) && node.scrollHeight > node.clientHeight + 2
export function scrollersOf(node) { // innermost first
  const boxes = []
  for (let n = above(node); n && n !== document.body; n = above(n)) if (scrolls(n)) boxes.push(n)
  return boxes
}
let header = null
export const headerEnd = () => { // bottom of the header, which covers everything above
  if (!header?.isConnected) header = deepFind("[role=banner]")
  return header?.getBoundingClientRect().bottom ?? 0
}
export const underHeader = () => PHONE.matches ? headerEnd() : 0 // on a phone the page scrolls beneath the header

export function frameOf(node) { // visible part of a node: its box, clipped by scrolling ancestors
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

export function textNear(box, node = document.body, boxes = []) { // boxes of texts and inputs within a box, including shadow roots
  const apart = b => b.right <= box.left || b.left >= box.right || b.bottom <= box.top || b.top >= box.bottom
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE && child.data.trim()) {
      const range = document.createRange()
      range.selectNodeContents(child)
      for (const b of range.getClientRects()) if (b.width && !apart(b)) boxes.push(b)
    } else if (child.nodeType === Node.ELEMENT_NODE && child.tagName !== "SCRIPT" && child.tagName !== "STYLE") {
      const b = child.getBoundingClientRect(), far = b.width && b.height && apart(b)
      if (far && (child.tagName === "LAB-MATH" || child.tagName === "P" || child.tagName === "SECTION")) continue // their content does not overflow
      const style = getComputedStyle(child)
      if (style.display === "none" || style.visibility === "hidden" || (far && style.overflow !== "visible")) continue
      if (child instanceof HTMLInputElement && child.type !== "range" && child.type !== "checkbox" && !apart(b)) boxes.push(b)
      if (child.shadowRoot) textNear(box, child.shadowRoot, boxes)
      textNear(box, child, boxes)
    }
  }
  return boxes
}
