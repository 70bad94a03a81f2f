export function render({model}) {
  const root = element(`<div class="root"><dl></dl><p></p></div>`)
  const show = () => {
    put(root.querySelector("dl"), model.rows.map(([name, value, help]) =>
      `<div title="${escapeHtml(help)}"><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join(""))
    root.querySelector("p").textContent = model.note
  }
  model.on(["rows", "note"], show); show()
  return root
}
