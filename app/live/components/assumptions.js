export function render({model}) {
  const root = element(`<div class="root" data-aside></div>`)
  const show = () => { // a row keeps its place and its definition, which may be open, while its number changes
    put(root, model.rows.map(([number, name, , , help]) => `<div class="as"><span>${number} ${termed(name, name, help)}</span><b></b><i role="img"></i></div>`).join(""))
    model.rows.forEach(([, , text, ok], k) => {
      const state = ok === null ? "unknown" : ok ? "good" : "bad", row = root.children[k], sign = row.querySelector("i")
      row.className = `as ${state}`
      put(row.querySelector("b"), escapeHtml(text))
      put(sign, icon({unknown: "wait", good: "check", bad: "warn"}[state]))
      sign.setAttribute("aria-label", {unknown: "not known yet", good: "holds", bad: "strained"}[state])
    })
  }
  model.on("rows", show); show()
  return root
}
