export function render({model}) {
  const root = element(`<div class="root" data-aside><dl></dl><p></p></div>`), list = root.querySelector("dl")
  const show = () => { // a row keeps its place and its definition, which may be open, while its numbers change
    put(list, model.rows.map(([name]) => `<div><dt>${termed(name, "promise", " ")}</dt><dd></dd></div>`).join(""))
    model.rows.forEach(([, value, help], k) => {
      put(list.children[k].querySelector("dd"), escapeHtml(value))
      list.children[k].querySelector("lab-term").setAttribute("note", escapeHtml(help))
    })
    root.querySelector("p").textContent = model.note
  }
  model.on(["rows", "note"], show); show()
  return root
}
