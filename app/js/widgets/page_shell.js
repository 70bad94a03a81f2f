// Frame of a page: bar, sidebar with sections, grid of cards, notices.
import {connectGlossary, receiveGlossary} from "../glossary/elements.js"
import {element, escapeHtml, icon, lifetime, onPress, onResize, put, setEnabled, showProgress, textPixels, toggleKnobs} from "../common/dom.js"
import {PHONE} from "../common/media.js"
import {held} from "../common/panel_stand_in.js"
import {FOLD_CSS} from "../common/styles.js"

function addColours(variables) { // add the colours of both themes to a notebook's document, once
  if (document.getElementById("lab-variables")) return
  document.head.append(Object.assign(document.createElement("style"), {id: "lab-variables", textContent: variables}))
}

export const PageShell = {css: /* css */ `
:host{height:100%;width:100%;scrollbar-color:var(--lab-track) transparent}
:host>div{height:100%}
.root,.main{scrollbar-width:thin}
.root{display:flex;flex-direction:column;height:100%;background:var(--lab-bg);position:relative}
.root.alone{height:848px;border:1px solid var(--lab-line);border-radius:10px;overflow:hidden}
[data-slot]>*{margin:0!important;width:100%!important}
.purpose{display:var(--lesson-purpose,block);flex:none;padding:6px 20px 5px;font-size:.78125rem;line-height:1.4;color:var(--lab-ink2);border-bottom:1px solid var(--lab-line);background:var(--lab-card)}
.purpose:empty{display:none}
.body{display:grid;grid-template-columns:min(15.75rem,40vw) minmax(0,1fr);grid-template-rows:minmax(0,1fr);flex:1;min-height:0}
[data-slot=sidebar]{border-right:1px solid var(--lab-line);min-height:0;background:var(--lab-card)}
[data-slot=sidebar]>*,.cell>*{height:100%!important}
.main{--lab-room:800px;padding:14px 16px;min-height:0;overflow:auto;contain:size}
.grid{display:grid;gap:12px;margin-bottom:var(--lesson-under,0px)}
.cell{min-height:0;min-width:0}
[data-slot=notices]{position:absolute;left:min(15.75rem,40vw);right:0;bottom:22px;z-index:20;pointer-events:none}
.scrim{display:none}
.stacked .body{grid-template-columns:min(14.5rem,40vw) minmax(0,1fr)}
@media (max-width: 74.99875em){
.main{contain:inline-size}
.flows .grid{grid-template:none!important;grid-template-columns:minmax(0,1fr)!important;height:auto!important;min-height:0!important}
.flows .cell{grid-area:auto!important}
.flows .cell>*{height:auto!important}
}
@media (max-width: 44.99875em){
.root{overflow:hidden auto}
.root.alone{height:auto}
.body{display:block;flex:none}
.main{padding:8px 12px calc(80px + env(safe-area-inset-bottom,0px));overflow:visible}
.grid{gap:10px!important}
.foot{display:flex!important;position:fixed;left:0;right:0;bottom:0;z-index:30;height:60px;padding:0 12px env(safe-area-inset-bottom,0px);align-items:center;background:var(--lab-card);border-top:1px solid var(--lab-line)}
.foot .btn{flex:1;justify-content:center;height:40px}
[data-slot=sidebar]{position:fixed;left:0;right:0;bottom:0;height:82dvh;z-index:41;transform:translateY(102%);visibility:hidden;transition:transform .22s ease-out,visibility 0s .22s;border:0;border-radius:14px 14px 0 0;box-shadow:var(--lab-shadow);background:none}
.knobs-open [data-slot=sidebar]{transform:none;visibility:visible;transition:transform .22s ease-out}
.scrim{position:fixed;inset:0;z-index:40;background:rgba(10,16,24,.35)}
.knobs-open .scrim{display:block}
[data-slot=notices]{position:fixed;left:0;bottom:calc(70px + env(safe-area-inset-bottom,0px));z-index:35}
.barred .main{padding-bottom:calc(112px + env(safe-area-inset-bottom,0px))}
.barred [data-slot=notices]{bottom:calc(108px + env(safe-area-inset-bottom,0px))}
}
`, render({model}) {
  addColours(model.variables)
  connectGlossary(what => model.send_msg({type: "glossary", what}))
  const root = element(`<div class="root ${model.framed ? "" : "alone"}" role="main"><h1 class="unseen"></h1><div class="scrim"></div><p class="purpose"></p><div data-slot="top"></div><div data-slot="notices"></div>
    <div class="body"><div data-slot="sidebar"></div><section class="main"><div class="grid"></div></section></div>
    <div class="foot only-phone"><button class="btn fill knobs" aria-expanded="false">${icon("tune")}<span></span></button></div></div>`)
  const find = s => root.querySelector(s)
  find("h1").textContent = model.label
  find(".purpose").textContent = model.purpose ?? ""
  find(".main").setAttribute("aria-label", model.label)
  find(".knobs span").textContent = model.foot
  if (!model.foot) { find(".foot").remove(); root.classList.add("barred") } // the page has its own bar at the bottom
  const [notices, ...cards] = held.by(model), children = {notices, top: model.get_child("top"), sidebar: model.get_child("sidebar")}
  for (const slot of root.querySelectorAll("[data-slot]")) {
    const child = children[slot.dataset.slot]
    if (child) slot.append(child)
    else slot.remove()
  }
  const grid = find(".grid")
  cards.forEach((card, k) => {
    const cell = element(`<div class="cell" data-slot="${escapeHtml(model.areas[k])}"></div>`)
    cell.style.gridArea = model.areas[k]
    cell.append(card)
    grid.append(cell)
  })
  root.classList.toggle("flows", !model.narrow) // one column in a narrow window; else `narrow` applies to a narrow page
  const lay = () => {
    const narrow = model.narrow && (PHONE.matches || root.clientWidth < textPixels(1200))
    root.classList.toggle("stacked", Boolean(narrow && !PHONE.matches))
    const css = !narrow ? model.layout : PHONE.matches ? model.phone || model.narrow : model.narrow
    if (grid.dataset.css === css) return
    grid.dataset.css = css; grid.style.cssText = css
    for (const cell of grid.children) cell.hidden = !css.includes(cell.dataset.slot) // hide cards without an area in the layout
  }
  let drawn = false
  const main = find(".main"), onePage = matchMedia("(min-width: 75em)")
  onResize(model, entries => { // set the height as a variable: with the unit cqh each change of text would lay out all cards again
    const room = entries.find(entry => entry.target === main)?.contentRect.height
    if (room && onePage.matches) main.style.setProperty("--lab-room", `${room}px`)
    lay()
    if (!drawn && root.clientWidth) { drawn = true; dispatchEvent(new CustomEvent("lab-drawn", {detail: model.label})) } // read by the header
  }, root, main)
  model.on(["layout", "narrow", "phone"], lay); lay()
  model.on("msg:custom", message => {
    if (message.glossary) receiveGlossary(message.glossary, message.given)
    Object.assign(root.dataset, message.state)
  })
  model.send_msg({type: "hello"})

  let opener = find(".knobs")
  const toggle = open => {
    if (open === root.classList.contains("knobs-open")) return
    const byKey = open && opener?.matches(":focus-visible")
    root.classList.toggle("knobs-open", open)
    opener?.setAttribute("aria-expanded", open)
    for (const behind of root.querySelectorAll("[data-slot=top], .main, .foot")) behind.inert = open // parts behind the sheet
    if (byKey) find("[data-slot=sidebar]").firstElementChild?.shadowRoot?.querySelector(".close")?.focus()
    if (!open) opener?.focus()
  }
  const signal = lifetime(model)
  PHONE.addEventListener("change", () => toggle(false), {signal}) // in wider windows the knobs are next to the page
  root.addEventListener("lab-knobs", event => { // from any part of this page: open for a button, close without one
    if (event.detail) opener = event.detail
    toggle(Boolean(event.detail) && !root.classList.contains("knobs-open"))
  })
  document.addEventListener("keydown", event => { if (event.key === "Escape") toggle(false) }, {signal})
  find(".foot .knobs")?.addEventListener("click", () => toggle(true))
  find(".scrim").addEventListener("click", () => toggle(false))
  return root
}}

export const PageSidebar = {css: /* css */ `
.root{background:var(--lab-card);padding:14px 18px 10px 20px;height:100%;overflow:hidden auto;scrollbar-width:thin}
.grip{align-items:center;margin:0 0 8px;width:100%;position:sticky;top:-10px;background:var(--lab-card);z-index:3;padding:6px 0}
.grip h2{flex:1;font-size:1rem;font-weight:700}
.grip>span{position:absolute;left:50%;top:-4px;width:36px;height:4px;margin-left:-18px;border-radius:2px;background:var(--lab-track)}
.section{padding:11px 0;border-top:1px solid var(--lab-line)}
.grip+.section{padding-top:0;border-top:0}
.section h2{align-items:baseline;font-size:.6875rem;letter-spacing:.6px;text-transform:uppercase;color:var(--lab-ink2);margin:0 0 6px;font-weight:700;display:flex;justify-content:space-between}
.link{color:var(--lab-primary);font-weight:400;letter-spacing:0;font-size:.6875rem}.link:hover{text-decoration:underline}.link[aria-disabled=true]{color:var(--lab-ink3);cursor:default;text-decoration:none}
.items{display:grid;grid-template-columns:minmax(0,1fr);margin-bottom:-7px}
.item>*{margin:0 0 7px!important;width:100%!important}
.note{font-size:.75rem;line-height:1.4;color:var(--lab-ink2);margin-top:6px}.note:empty{display:none}
${FOLD_CSS}
.more{margin-top:5px}.more[open] summary{margin-bottom:5px}
@media (max-width: 44.99875em){.root{padding:10px 18px 24px 20px;border-radius:14px 14px 0 0}}
`, render({model}) {
  const root = element(`<section class="root" aria-label="Knobs">
    <div class="grip only-phone"><span></span><h2>Knobs</h2><button class="round close" aria-label="Close the knobs">${icon("close")}</button></div></section>`)
  const items = held.by(model)
  const shows = model.sections.map((section, k) => {
    const {part, show} = drawSection(section, items.splice(0, section.items), items.splice(0, section.more), () => model.send_msg({type: "action", section: k}))
    root.append(part)
    return show
  })
  root.querySelector(".close").addEventListener("click", () => toggleKnobs(root))
  model.on("msg:custom", ({section, ...changed}) => shows[section]?.(changed))
  model.send_msg({type: "hello"})
  return root
}}

export const LiveSidebar = {...PageSidebar}

/** Draw a section of a sidebar; `act()` is called by its link, and `show` sets whether it is active, the note and visibility. */
function drawSection(section, items, more, act) {
  const part = element(`<div class="section" role="group"><h2><span></span><button class="link"></button></h2><div class="items"></div><details class="more"><summary></summary><div class="items"></div></details><p class="note" role="status"></p></div>`)
  const find = s => part.querySelector(s), link = find(".link"), {heading, action} = section
  const fill = (box, parts) => { for (const item of parts) { const cell = element(`<div class="item"></div>`); cell.append(item); box.append(cell) } }
  fill(find(".items"), items); fill(find(".more .items"), more)
  if (!more.length) find(".more").remove()
  else { find("summary").textContent = section.more_words ?? "more"; find(".more").open = section.unfolded ?? false }
  if (heading) part.setAttribute("aria-label", heading)
  find("h2 span").textContent = heading
  find("h2").hidden = !heading && !action
  link.textContent = action ?? ""; link.title = section.hint ?? ""; link.hidden = !action
  link.addEventListener("click", act)
  const show = ({active, note, hidden}) => {
    if (active !== undefined) setEnabled(link, active)
    if (note !== undefined && note !== find(".note").textContent) find(".note").textContent = note
    if (hidden !== undefined) section.hidden = hidden
    part.style.display = section.hidden || !(heading || action || find(".note").textContent || items.length) ? "none" : ""
  }
  show({active: true, note: "", hidden: false, ...section})
  return {part, show}
}

export const Notices = {css: /* css */ `
.root{display:flex;flex-direction:column;gap:8px;align-items:center}
.words,.engine{display:contents}
.notice{display:flex;align-items:center;gap:10px;padding:8px 14px;min-height:42px;max-width:min(680px,calc(100vw - 24px));background:var(--lab-card);color:var(--lab-ink);border:1px solid var(--lab-line);border-left:3px solid var(--lab-primary);border-radius:8px;font-size:.8125rem;position:relative;box-shadow:var(--lab-shadow);pointer-events:auto;overflow:hidden}
.notice>.icon{color:var(--lab-primary)}
.notice span{flex:1}
.notice.diverged,.notice.error{background:var(--lab-hotbg);border-left-color:var(--lab-hot)}
.notice.diverged>.icon,.notice.error>.icon{color:var(--lab-hot)}
.link{border-left-color:var(--lab-ink3)}.link>.icon{color:var(--lab-ink2)}
.round{width:28px;height:28px;margin-right:-6px}.round .icon{width:16px;height:16px}
.btn{height:28px}
.bar{position:absolute;left:0;right:0;bottom:0}
@media (max-width: 44.99875em){.notice{font-size:.78125rem}}
`, render({model}) {
  const root = element(`<div class="root" aria-live="polite"><div class="words"></div><div class="engine"></div></div>`)
  const words = root.querySelector(".words"), engine = root.querySelector(".engine")
  const show = () => {
    put(words, model.words.map((text, k) => `<div class="notice link">${icon("info")}<span>${escapeHtml(text)}</span><button class="round" data-key="${k}" aria-label="Dismiss">${icon("close")}</button></div>`).join(""))
    const busy = ["compiling", "replaying"].includes(model.kind)
    const bar = busy ? `<div class="bar" role="progressbar" aria-label="${escapeHtml(model.kind)}"><i></i></div>` : ""
    put(engine, model.notice ? `<div class="notice ${escapeHtml(model.kind)}">${icon(busy ? "wait" : ["ended", "arrived"].includes(model.kind) ? "info" : "warn")}<span>${escapeHtml(model.notice)}</span>${bar}${model.action ? `<button class="btn" data-key="act">${escapeHtml(model.action)}</button>` : ""}${model.kind === "arrived" ? `<button class="round" data-key="away" aria-label="Dismiss">${icon("close")}</button>` : ""}</div>` : "")
    if (model.notice && busy) showProgress(engine.querySelector(".bar"), model.progress ?? -1) // only the bar changes, so that the notice is announced once
  }
  onPress(words, key => model.send_msg({type: "dismiss", index: +key}))
  onPress(engine, key => key === "away" ? put(engine, "") : model.send_msg({type: "act"}))
  model.on(["words", "notice", "kind", "progress", "action"], show)
  show()
  return root
}}
