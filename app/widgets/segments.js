export function render({model}) {
  const root = element(`<div class="root"><span class="label"></span><span class="seg" role="radiogroup"></span></div>`)
  const seg = root.querySelector(".seg")
  let select = () => {}
  const offer = () => {
    root.querySelector(".label").textContent = model.label
    seg.setAttribute("aria-label", model.spoken || model.label)
    seg.innerHTML = model.options.map(([v, w]) => `<button role="radio" data-value="${escapeHtml(v)}">${escapeHtml(w)}</button>`).join("")
    select = segmented(seg, value => model.send_msg({type: "choose", value}))
    select(model.value)
  }
  model.on(["options", "label"], offer); offer()
  model.on("value", () => select(model.value))
  return root
}
