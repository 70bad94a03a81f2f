export function render({model}) {
  if (!document.getElementById("lab-variables")) {
    const style = document.createElement("style")
    style.id = "lab-variables"
    style.textContent = model.variables
    document.head.append(style)
  }
  const root = element(`<div class="root ${model.framed ? "" : "alone"}"><div class="scrim"></div><div data-slot="transport"></div><div data-slot="notices"></div>
    <div class="body"><div data-slot="sidebar"></div><main class="grid" aria-label="Live"><div data-slot="chains"></div><div data-slot="verdict"></div><div data-slot="charts"></div></main></div></div>`)
  for (const slot of root.querySelectorAll("[data-slot]")) {
    const child = model.get_child(slot.dataset.slot)
    if (child) slot.append(child)
  }
  const phone = matchMedia("(max-width:719.98px)")
  const fit = new ResizeObserver(() => root.classList.toggle("stacked", !phone.matches && root.clientWidth < 1200))
  fit.observe(root)
  let opener = null
  const side = root.querySelector("[data-slot=sidebar]")
  const toggle = open => {
    root.classList.toggle("knobs-open", open)
    opener?.setAttribute("aria-expanded", open)
    if (!open) opener?.focus()
  }
  const knobs = event => {
    const open = !root.classList.contains("knobs-open") && event.detail !== null
    if (event.detail) opener = event.detail
    toggle(open)
  }
  const escape = event => { if (event.key === "Escape" && root.classList.contains("knobs-open")) toggle(false) }
  root.addEventListener("lab-knobs", knobs)
  document.addEventListener("keydown", escape)
  root.querySelector(".scrim").addEventListener("click", () => toggle(false))
  model.on("remove", () => { fit.disconnect(); document.removeEventListener("keydown", escape) })
  return root
}
