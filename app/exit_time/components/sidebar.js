export function render({model}) {
  const seg = (field, label, options) => `<span class="seg ${field}" role="radiogroup" aria-label="${label}">${options.map(([v, w]) => `<button role="radio" data-value="${v}">${w}</button>`).join("")}</span>`
  const root = element(`<aside class="root" aria-label="Knobs">
    <div class="grip only-phone"><span></span><h2>Knobs</h2><button class="round close" aria-label="Close the knobs">${icon("close")}</button></div>
    <section><h3>One epoch <button class="from" title="Take everything from the Live page: posterior, step size, radius, chains">from Live</button></h3>
      <div class="line" title="What the chains slide on"><span class="symbol">F</span>${seg("target", "Target F", [["quadratic", "m‖x‖²/2"], ["live", "Live’s posterior"]])}</div>
      <div data-slot="knobs"></div></section>
    <hr><section><h3>Start</h3>${seg("start", "Start", [["mode", "at the mode"], ["distance", "at ρ₀"], ["live", "live chains"]])}
      <div class="note"></div><div data-slot="distance"></div><div data-slot="chains"></div></section>
    <hr><section><h3>Pictures to try</h3><div class="presets"></div><p class="says"></p></section>
    <p class="timing" role="status"></p></aside>`)
  for (const slot of root.querySelectorAll("[data-slot]")) {
    const children = model.get_child(slot.dataset.slot)
    slot.append(...(Array.isArray(children) ? children : [children]))
  }
  const find = s => root.querySelector(s)
  for (const field of ["target", "start"]) {
    const select = segmented(find(`.seg.${field}`), value => model.send_msg({type: "choose", field, value}))
    const show = () => select(model[field])
    model.on(field, show); show()
  }
  const presets = find(".presets")
  presets.replaceChildren(...model.presets.map(([key, label, says]) => {
    const button = element(`<button class="btn preset" data-key="${escapeHtml(key)}" title="${escapeHtml(says)}">${escapeHtml(label)}</button>`)
    button.addEventListener("click", () => model.send_msg({type: "preset", key}))
    return button
  }))
  find(".from").addEventListener("click", () => model.send_msg({type: "preset", key: "live"}))
  const show = () => {
    for (const button of presets.children) button.setAttribute("aria-pressed", button.dataset.key === model.preset)
    find(".says").textContent = model.says
    find(".timing").textContent = model.timing
    find(".note").textContent = model.note
    find("[data-slot=distance]").style.display = model.start === "distance" ? "" : "none"
  }
  model.on(["preset", "says", "timing", "note", "start"], show); show()
  find(".close").addEventListener("click", () => tellKnobs(root))
  return root
}
