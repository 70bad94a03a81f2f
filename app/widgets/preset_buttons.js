export function render({model}) {
  const root = element(`<div class="root"><div class="presets"></div><p class="says"></p></div>`)
  const list = root.querySelector(".presets")
  list.replaceChildren(...model.presets.map(([key, label, says]) => {
    const button = element(`<button class="btn preset" data-key="${escapeHtml(key)}" title="${escapeHtml(says)}">${escapeHtml(label)}</button>`)
    button.addEventListener("click", () => model.send_msg({type: "choose", key}))
    return button
  }))
  const show = () => {
    for (const button of list.children) button.setAttribute("aria-pressed", button.dataset.key === model.chosen)
    root.querySelector(".says").textContent = model.says
  }
  model.on(["chosen", "says"], show); show()
  return root
}
