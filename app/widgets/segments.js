export function render({model}) {
  const root = element(`<div class="root"><span class="label"></span><span class="seg" role="radiogroup"></span><p class="refusals"></p></div>`)
  const seg = root.querySelector(".seg")
  let select = () => {}
  const offer = () => {
    root.querySelector(".label").textContent = model.label
    seg.setAttribute("aria-label", model.spoken || model.label)
    const refused = v => escapeHtml(model.refused[v] ?? "")
    seg.innerHTML = model.options.map(([v, w]) => `<button role="radio" aria-checked="false" data-value="${escapeHtml(v)}" title="${refused(v)}" ${refused(v) && "disabled"}>${escapeHtml(w)}</button>`).join("")
    root.querySelector(".refusals").textContent = [...new Set(Object.values(model.refused))].join(" ")
    select = segmented(seg, value => model.send_msg({type: "choose", value}))
    select(model.value)
  }
  model.on(["options", "label", "refused"], offer); offer()
  model.on("value", () => select(model.value))
  return root
}
