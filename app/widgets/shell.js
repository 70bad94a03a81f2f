export function render({model}) {
  giveColours(model.variables)
  giveGlossary(what => model.send_msg({type: "glossary", what}))
  const root = element(`<div class="root ${model.framed ? "" : "alone"}"><h1 class="unseen"></h1><div class="scrim"></div><div data-slot="top"></div><div data-slot="notices"></div>
    <div class="body"><div data-slot="sidebar"></div><section class="main"><div class="grid"></div></section></div>
    <div class="foot only-phone"><button class="btn fill knobs" aria-expanded="false">${icon("tune")}<span></span></button></div></div>`)
  const find = s => root.querySelector(s)
  find("h1").textContent = model.label
  find(".main").setAttribute("aria-label", model.label)
  find(".knobs span").textContent = model.foot
  if (!model.foot) { find(".foot").remove(); root.classList.add("barred") } // a bar of the page's own at the bottom
  for (const slot of root.querySelectorAll("[data-slot]")) {
    const child = model.get_child(slot.dataset.slot)
    if (child) slot.append(child)
    else slot.remove()
  }
  const grid = find(".grid")
  model.get_child("cards").forEach((card, k) => {
    const cell = element(`<div class="cell" data-slot="${escapeHtml(model.areas[k])}"></div>`)
    cell.style.gridArea = model.areas[k]
    cell.append(card)
    grid.append(cell)
  })
  const phone = matchMedia("(max-width:719.98px)")
  root.classList.toggle("flows", !model.narrow) // by the window's width, one column; else by its own, as it says
  const lay = () => {
    const narrow = model.narrow && (phone.matches || root.clientWidth < textPixels(1200))
    root.classList.toggle("stacked", Boolean(narrow && !phone.matches))
    const css = !narrow ? model.layout : phone.matches ? model.phone || model.narrow : model.narrow
    if (grid.dataset.css !== css) { grid.dataset.css = css; grid.style.cssText = css }
  }
  let drawn = false
  const main = find(".main"), onePage = matchMedia("(min-width:1200px)")
  const fit = new ResizeObserver(entries => { // the room is given so, as a container's own unit (cqh) would have all cards laid out anew for each word
    const room = entries.find(entry => entry.target === main)?.contentRect.height
    if (room && onePage.matches) main.style.setProperty("--lab-room", `${room}px`)
    lay()
    if (!drawn && root.clientWidth) { drawn = true; dispatchEvent(new CustomEvent("lab-drawn", {detail: model.label})) } // for the header
  })
  fit.observe(root); fit.observe(main)
  model.on(["layout", "narrow", "phone"], lay); lay()
  model.on("msg:custom", message => { if (message.glossary) takeGlossary(message.glossary, message.given) })
  model.on("msg:custom", message => { for (const [key, value] of Object.entries(message.state ?? {})) root.dataset[key] = value })
  model.send_msg({type: "hello"})

  let opener = find(".knobs")
  const toggle = open => {
    if (open === root.classList.contains("knobs-open")) return
    const byKey = open && opener?.matches(":focus-visible")
    root.classList.toggle("knobs-open", open)
    opener?.setAttribute("aria-expanded", open)
    for (const behind of root.querySelectorAll("[data-slot=top], .main, .foot")) behind.inert = open // what the sheet lies over
    if (byKey) find("[data-slot=sidebar]").firstElementChild?.shadowRoot?.querySelector(".close")?.focus()
    if (!open) opener?.focus()
  }
  const widened = () => toggle(false) // there the knobs stand beside the page
  phone.addEventListener("change", widened)
  root.addEventListener("lab-knobs", event => { // from any part of this page: with its button to open, without to close
    if (event.detail) opener = event.detail
    toggle(Boolean(event.detail) && !root.classList.contains("knobs-open"))
  })
  const escape = event => { if (event.key === "Escape") toggle(false) }
  document.addEventListener("keydown", escape)
  find(".foot .knobs")?.addEventListener("click", () => toggle(true))
  find(".scrim").addEventListener("click", () => toggle(false))
  model.on("remove", () => { fit.disconnect(); phone.removeEventListener("change", widened); document.removeEventListener("keydown", escape) })
  return root
}
