export function render({model}) {
  const root = element(`<div class="root" role="group"></div>`)
  const show = () => {
    root.setAttribute("aria-label", model.label)
    root.replaceChildren(...model.rows.map(([key, label, kind, token, reason]) => {
      const on = model.active.includes(key)
      const row = element(`<label class="row ${reason ? "off" : ""}" title="${escapeHtml(reason)}" data-key="${escapeHtml(key)}">${mark(kind, token)}<span class="name">${escapeHtml(label)}</span>
        <input type="checkbox" role="switch" ${on && !reason ? "checked" : ""} ${reason ? "disabled" : ""} aria-label="${escapeHtml(label)}${reason ? `: ${escapeHtml(reason)}` : ""}"><i></i></label>`)
      row.querySelector("input").addEventListener("change", event => model.send_msg({type: "turn", key, on: event.target.checked}))
      return row
    }))
  }
  model.on(["rows", "active", "label"], show); show()
  return root
}
