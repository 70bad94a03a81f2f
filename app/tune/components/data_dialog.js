const MOST_COLUMNS = 40

export function render({model}) {
  const root = element(`<div class="root"><dialog class="dialog" aria-label="Your data"><header><h2></h2><button class="round close" aria-label="Close">${icon("close")}</button></header>
      <div class="inside"><div class="table"></div>
      <div class="choices"><label>response <select class="pick-response"></select></label><label class="one">1 means <select class="pick-positive"></select></label><label>gradient <select class="pick-kind"></select></label>
        <label class="check"><input type="checkbox" class="intercept"> intercept</label><label class="check"><input type="checkbox" class="scale"> standardise as rows arrive</label></div>
      <fieldset class="features"><legend></legend><div></div></fieldset>
      <div role="status"><ul class="says"></ul></div><p class="error" role="alert"></p></div>
      <footer><span class="note">Kept in the cache folder of the computer that serves this page, for a reload; only this page’s link finds it.</span><button class="btn cancel">Cancel</button><button class="btn fill use">Use these rows</button></footer></dialog></div>`)
  const find = s => root.querySelector(s)
  const dialog = find(".dialog")

  const choose = (field, value) => model.send_msg({type: "choose", field, value})
  find(".pick-response").addEventListener("change", event => choose("response", event.target.value))
  find(".pick-positive").addEventListener("change", event => choose("positive", event.target.value))
  find(".pick-kind").addEventListener("change", event => choose("kind", event.target.value))
  find(".intercept").addEventListener("change", event => choose("intercept", event.target.checked))
  find(".scale").addEventListener("change", event => choose("scale", event.target.checked))
  find(".use").addEventListener("click", () => model.send_msg({type: "use"}))
  const close = () => model.send_msg({type: "close"})
  find(".cancel").addEventListener("click", close); find(".close").addEventListener("click", close)
  dialog.addEventListener("cancel", event => { event.preventDefault(); close() })

  const options = (select, pairs, value) => put(select, pairs.map(([v, w]) => `<option value="${escapeHtml(v)}" ${v === value ? "selected" : ""}>${escapeHtml(w)}</option>`).join(""))
  const show = () => {
    find("h2").textContent = model.name_
    const columns = model.columns.slice(0, MOST_COLUMNS), part = name => name === model.response ? "response" : model.features.includes(name) ? "feature" : "out"
    put(find(".table"), columns.length ? `<table><thead><tr>${columns.map(c => `<th class="${part(c)}">${escapeHtml(c)}</th>`).join("")}</tr></thead><tbody>${model.rows.map(r => `<tr>${r.slice(0, MOST_COLUMNS).map((cell, k) => `<td class="${part(columns[k])}">${escapeHtml(cell)}</td>`).join("")}</tr>`).join("")}</tbody></table>` : "")
    find(".choices").style.display = find(".features").style.display = columns.length ? "" : "none"
    find(".table").style.display = columns.length ? "" : "none"
    options(find(".pick-response"), model.columns.map(c => [c, c]), model.response); find(".pick-response").value = model.response
    options(find(".pick-kind"), model.kinds, model.kind); find(".pick-kind").value = model.kind
    options(find(".pick-positive"), model.classes, model.positive); find(".pick-positive").value = model.positive
    find(".one").style.display = model.classes.length ? "" : "none"
    find(".intercept").checked = model.intercept; find(".scale").checked = model.scale
    find("legend").textContent = `features: ${model.features.length} of ${Math.max(0, model.columns.length - 1)} columns`
    const chips = find(".features div")
    refill(chips, model.columns.filter(c => c !== model.response).map(c => {
      const words = model.levels[c], of = words === undefined ? "" : words ? ` · ${words} values` : " · text"
      const chip = element(`<button class="chip" aria-pressed="${model.features.includes(c)}" ${words === 0 ? "disabled" : ""}>${escapeHtml(c)}${of}</button>`)
      chip.addEventListener("click", () => choose("features", model.features.includes(c) ? model.features.filter(f => f !== c) : model.columns.filter(f => f === c || model.features.includes(f))))
      return chip
    }))
    put(find(".says"), model.says.map(text => `<li>${escapeHtml(text)}</li>`).join(""))
    find(".error").textContent = model.error
    find(".use").disabled = model.error !== "" || !columns.length
  }
  const toggle = () => {
    if (model.open && !dialog.open && dialog.isConnected) dialog.showModal()
    if (!model.open && dialog.open) dialog.close()
  }
  let due = false
  const later = () => { if (!due) { due = true; queueMicrotask(() => { due = false; show(); toggle() }) } }
  model.on(["name_", "columns", "rows", "response", "features", "kind", "kinds", "intercept", "scale", "says", "error", "open", "levels", "classes", "positive"], later)
  show(); setTimeout(toggle)
  return root
}
