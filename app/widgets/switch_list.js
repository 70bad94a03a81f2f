export function render({model}) {
  const root = element(`<div class="root ${model.warns ? "warns" : ""}" role="group"></div>`)
  const turn = () => { // in place: the switch under the hand keeps its focus
    for (const input of root.querySelectorAll("input")) input.checked = !input.disabled && model.active.includes(input.closest(".row").dataset.key)
  }
  const show = () => {
    root.setAttribute("aria-label", model.label)
    refill(root, model.rows.map(([key, label, kind, token, reason, help = "", term = ""]) => {
      const row = element(`<label class="row ${reason ? "off" : ""}" title="${escapeHtml(reason || (term ? "" : help))}" data-key="${escapeHtml(key)}">${kind ? mark(kind, token) : ""}<span class="name">${termed(label, term, help)}</span>
        <input type="checkbox" role="switch" ${reason ? "disabled" : ""} aria-label="${escapeHtml(label)}${reason ? `: ${escapeHtml(reason)}` : ""}"><i></i></label>`)
      row.querySelector("input").addEventListener("change", event => model.send_msg({type: "turn", key, on: event.target.checked}))
      return row
    }))
    turn()
  }
  model.on(["rows", "label"], show); show()
  model.on("active", turn)
  return root
}
