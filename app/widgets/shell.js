export function render({model}) {
  if (!document.getElementById("lab-variables")) {
    const style = document.createElement("style")
    style.id = "lab-variables"
    style.textContent = model.variables
    document.head.append(style)
  }
  const root = element(`<div class="root ${model.framed ? "" : "alone"}"><div class="scrim"></div><div data-slot="notices"></div>
    <div class="body"><div data-slot="sidebar"></div><main class="main"><div class="grid"></div></main></div>
    <div class="foot only-phone"><button class="btn fill knobs" aria-expanded="false">${icon("tune")}<span></span></button></div></div>`)
  root.querySelector(".main").setAttribute("aria-label", model.label)
  root.querySelector(".knobs span").textContent = model.foot
  for (const slot of root.querySelectorAll("[data-slot]")) {
    const child = model.get_child(slot.dataset.slot)
    if (child) slot.append(child)
  }
  const grid = root.querySelector(".grid")
  grid.style.cssText = model.layout
  model.get_child("cards").forEach((card, k) => {
    const cell = element(`<div class="cell" data-slot="${escapeHtml(model.areas[k])}"></div>`)
    cell.style.gridArea = model.areas[k]
    cell.append(card)
    grid.append(cell)
  })
  model.on("msg:custom", message => { for (const [key, value] of Object.entries(message.state ?? {})) root.dataset[key] = value })
  model.send_msg({type: "hello"})
  model.on("layout", () => { grid.style.cssText = model.layout })
  const button = root.querySelector(".knobs")
  const toggle = open => {
    root.classList.toggle("knobs-open", open)
    button.setAttribute("aria-expanded", open)
    if (!open) button.focus()
  }
  const close = () => { if (root.classList.contains("knobs-open")) toggle(false) }
  const escape = event => { if (event.key === "Escape") close() }
  document.addEventListener("lab-knobs", close)
  document.addEventListener("keydown", escape)
  button.addEventListener("click", () => toggle(true))
  root.querySelector(".scrim").addEventListener("click", close)
  model.on("remove", () => { document.removeEventListener("lab-knobs", close); document.removeEventListener("keydown", escape) })
  return root
}
