export function render({model}) {
  const root = element(`<div class="root" data-aside><dl></dl><p></p></div>`)
  const show = () => {
    put(root.querySelector("dl"), model.rows.map(([name, value, help]) =>
      `<div><dt>${termed(name, "promise", help)}</dt><dd>${escapeHtml(value)}</dd></div>`).join(""))
    root.querySelector("p").textContent = model.note
  }
  model.on(["rows", "note"], show); show()
  return root
}
