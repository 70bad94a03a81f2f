// Menus below a button: arrow keys move, Enter chooses, Escape and a press elsewhere close.
import {icon, onPress} from "./dom.js"

/** Bind a button to its menu, whose entries have a `data-key`; `choose(key)` is called after closing. Return `open(on)`. */
export function opensMenu(button, menu, choose) {
  menu.tabIndex = -1 // Safari does not focus a pressed entry: the menu gets the focus instead, and stays open for the click
  const open = on => {
    menu.hidden = !on
    button.setAttribute("aria-expanded", on)
    if (on) menu.querySelector("button").focus()
  }
  button.addEventListener("click", () => open(menu.hidden))
  onPress(menu, key => {
    open(false)
    button.focus()
    choose(key)
  })
  menu.addEventListener("keydown", event => {
    const items = [...menu.querySelectorAll("button")], at = items.indexOf(event.target)
    const move = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (move) items[(at + move + items.length) % items.length].focus()
    else if (event.key === "Escape") { open(false); button.focus() }
    else return
    event.preventDefault(); event.stopPropagation()
  })
  menu.addEventListener("focusout", ({relatedTarget}) => { if (!menu.hidden && !menu.contains(relatedTarget) && relatedTarget !== button) open(false) })
  return open
}

const WAYS = {csv: "Numbers, CSV", json: "Everything, JSON", png: "Picture, PNG", svg: "Picture, SVG"}

/** Return the HTML of a card's button that saves in one of several formats. */
export const saveButton = kinds => `<span class="export">${kinds.length ? `<button class="round save" aria-label="Save" title="Save: ${kinds.map(kind => kind.toUpperCase()).join(", ")}" aria-haspopup="menu" aria-expanded="false">${icon("save")}</button>
  <span class="ways" role="menu" aria-label="Save as" hidden>${kinds.map(kind => `<button role="menuitem" data-key="${kind}">${WAYS[kind]}</button>`).join("")}</span>` : ""}</span>`

/** Bind that button to `save(kind)`. */
export function savesAs(root, save) {
  const button = root.querySelector(".export .save")
  if (button) opensMenu(button, root.querySelector(".export .ways"), save)
}

export const SAVE_CSS = /* css */ `
.export{position:relative;display:flex;flex:none}.export:empty{display:none}
.save{width:28px;height:28px}.save .icon{width:18px;height:18px}
.ways{position:absolute;right:0;top:100%;z-index:12;display:grid;min-width:146px;padding:4px;background:var(--lab-card);border:1px solid var(--lab-line);border-radius:8px;box-shadow:var(--lab-shadow)}
.ways button{text-align:left;padding:0 10px;min-height:30px;border-radius:5px;font-size:.8125rem;white-space:nowrap}
.ways button:hover,.ways button:focus-visible{background:var(--lab-chip)}
@media (pointer:coarse){.ways button{min-height:38px}}
`
