export function render({model}) {
  const root = element(`<div class="root" data-aside></div>`)
  const show = () => put(root, model.rows.map(([number, name, text, ok, help]) => {
    const state = ok === null ? "unknown" : ok ? "good" : "bad"
    const words = {unknown: "not known yet", good: "holds", bad: "strained"}[state]
    return `<div class="as ${state}"><span>${number} ${termed(name, name, help)}</span><b>${escapeHtml(text)}</b><i role="img" aria-label="${words}">${icon({unknown: "wait", good: "check", bad: "warn"}[state])}</i></div>`
  }).join(""))
  model.on("rows", show); show()
  return root
}
