export function render({model}) {
  const root = element(`<aside class="root" aria-label="Knobs">
    <div class="grip only-phone"><span></span><h2>Knobs</h2><button class="round close" aria-label="Close the knobs">${icon("close")}</button></div>
    <section><h3>Sampler <button class="defaults" title="Knobs and switches back to this problem's defaults">defaults</button></h3><div data-slot="sampler"></div></section>
    <hr><section><h3>Switches</h3><div data-slot="switches"></div></section>
    <hr><section><h3>Problem</h3><div data-slot="problem" class="menus"></div><div data-slot="run"></div></section>
    <hr><section><h3>Assumptions, measured</h3><div data-slot="assumptions"></div></section></aside>`)
  for (const slot of root.querySelectorAll("[data-slot]")) {
    const children = model.get_child(slot.dataset.slot)
    slot.append(...(Array.isArray(children) ? children : [children]))
  }
  const link = root.querySelector(".defaults")
  link.addEventListener("click", () => model.send_msg({type: "defaults"}))
  const show = () => { link.disabled = model.at_defaults }
  model.on("at_defaults", show); show()
  root.querySelector(".close").addEventListener("click", () => tellKnobs(root))
  return root
}
