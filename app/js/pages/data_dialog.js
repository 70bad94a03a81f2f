import {batched, element, escapeHtml, icon, onPress, put, refill} from "../common/dom.js"

const MOST_COLUMNS = 40

export const DataDialog = {css: /* css */ `
.dialog{border:1px solid var(--lab-line);border-radius:10px;padding:0;background:var(--lab-card);color:var(--lab-ink);box-shadow:var(--lab-shadow);width:min(820px,calc(100vw - 24px));max-height:calc(100dvh - 40px);flex-direction:column}
.dialog[open]{display:flex}
.dialog::backdrop{background:rgba(10,16,24,.4)}
header{display:flex;align-items:center;padding:12px 12px 6px 20px;flex:none}
h2{font-size:1rem;font-weight:700;flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.inside{overflow:auto;padding:0 20px;min-height:0}
.table{overflow:auto;border:1px solid var(--lab-line);border-radius:6px;margin-bottom:12px}
table{border-collapse:collapse;font-size:.75rem;font-variant-numeric:tabular-nums;width:100%}
th,td{padding:4px 10px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--lab-grid);max-width:160px;overflow:hidden;text-overflow:ellipsis}
th{font-weight:700;background:var(--lab-chip)}
.response{color:var(--lab-esctx)}
.out{color:var(--lab-ink3);text-decoration:line-through}
tbody tr:last-child td{border-bottom:0}
.choices{display:flex;flex-wrap:wrap;gap:8px 18px;align-items:center;margin-bottom:10px;font-size:.78125rem;color:var(--lab-ink2)}
select{border:1px solid var(--lab-line);border-radius:6px;background:var(--lab-card);color:var(--lab-ink);padding:4px 6px;max-width:200px;margin-left:4px}
.check{display:flex;align-items:center;gap:5px;color:var(--lab-ink)}
input[type=checkbox]{accent-color:var(--lab-primary);margin:0}
fieldset{border:0;padding:0;margin:0 0 10px}legend{font-size:.78125rem;color:var(--lab-ink2);padding:0 0 5px}
.features div{display:flex;flex-wrap:wrap;gap:5px;max-height:104px;overflow:auto}
.chip{border:1px solid var(--lab-line);border-radius:12px;padding:2px 10px;font-size:.75rem;color:var(--lab-ink3);max-width:220px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.chip:disabled{cursor:default}
.chip[aria-pressed=true]{background:var(--lab-chip);color:var(--lab-ink);border-color:var(--lab-axis)}
.says{margin:0 0 6px;padding-left:18px;font-size:.78125rem;color:var(--lab-ink2);line-height:1.5}.says:empty{display:none}
.error{color:var(--lab-hot);font-size:.8125rem;line-height:1.45;margin-bottom:8px}.error:empty{display:none}
footer{display:flex;gap:8px;align-items:center;padding:10px 20px 14px;border-top:1px solid var(--lab-line);flex:none}
.note{flex:1;font-size:.71875rem;color:var(--lab-ink2);line-height:1.35}
.btn:disabled{opacity:.45;cursor:default}
@media (max-width: 44.99875em){.inside{padding:0 14px}footer{flex-wrap:wrap;padding:10px 14px}.note{flex:1 1 100%}}
`, render({model}) {
  const root = element(`<div class="root"><dialog class="dialog" aria-label="Your data"><header><h2></h2><button class="round close" aria-label="Close">${icon("close")}</button></header>
      <div class="inside"><div class="table"></div>
      <div class="choices"><label>response <select class="pick-response"></select></label><label class="one">1 means <select class="pick-positive"></select></label><label>gradient <select class="pick-kind"></select></label>
        <label class="check"><input type="checkbox" class="intercept"> intercept</label><label class="check"><input type="checkbox" class="scale"> standardise as rows arrive</label></div>
      <fieldset class="features"><legend></legend><div></div></fieldset>
      <div role="status"><ul class="says"></ul></div><p class="error" role="alert"></p></div>
      <footer><span class="note">${escapeHtml(model.note)}</span><button class="btn cancel">Cancel</button><button class="btn fill use">Use these rows</button></footer></dialog></div>`)
  const find = s => root.querySelector(s)
  const dialog = find(".dialog")

  const choose = (field, value) => model.send_msg({type: "choose", field, value})
  for (const field of ["response", "positive", "kind"]) {
    find(`.pick-${field}`).addEventListener("change", event => choose(field, event.target.value))
  }
  for (const field of ["intercept", "scale"]) {
    find(`.${field}`).addEventListener("change", event => choose(field, event.target.checked))
  }
  onPress(find(".features"), c => choose("features", model.columns.filter(f => (f === c) !== model.features.includes(f))))
  find(".use").addEventListener("click", () => model.send_msg({type: "use"}))
  const close = () => model.send_msg({type: "close"})
  find(".cancel").addEventListener("click", close); find(".close").addEventListener("click", close)
  dialog.addEventListener("cancel", event => { event.preventDefault(); close() })

  const offer = (field, pairs) => {
    const select = find(`.pick-${field}`)
    put(select, pairs.map(([v, w]) => `<option value="${escapeHtml(v)}">${escapeHtml(w)}</option>`).join(""))
    select.value = model[field]
  }
  const show = () => {
    find("h2").textContent = model.name_
    const columns = model.columns.slice(0, MOST_COLUMNS), part = name => name === model.response ? "response" : model.features.includes(name) ? "feature" : "out"
    put(find(".table"), columns.length ? `<table><thead><tr>${columns.map(c => `<th class="${part(c)}">${escapeHtml(c)}</th>`).join("")}</tr></thead><tbody>${model.rows.map(r => `<tr>${r.slice(0, MOST_COLUMNS).map((cell, k) => `<td class="${part(columns[k])}">${escapeHtml(cell)}</td>`).join("")}</tr>`).join("")}</tbody></table>` : "")
    for (const part of [".choices", ".features", ".table"]) find(part).hidden = !columns.length
    offer("response", model.columns.map(c => [c, c])); offer("kind", model.kinds); offer("positive", model.classes)
    find(".one").hidden = !model.classes.length
    find(".intercept").checked = model.intercept; find(".scale").checked = model.scale
    find("legend").textContent = `features: ${model.features.length} of ${Math.max(0, model.columns.length - 1)} columns`
    refill(find(".features div"), model.columns.filter(c => c !== model.response).map(c => {
      const words = model.levels[c], of = words === undefined ? "" : words ? ` · ${words} values` : " · text"
      return element(`<button class="chip" data-key="${escapeHtml(c)}" aria-pressed="${model.features.includes(c)}" ${words === 0 ? "disabled" : ""}>${escapeHtml(c)}${of}</button>`)
    }))
    put(find(".says"), model.says.map(text => `<li>${escapeHtml(text)}</li>`).join(""))
    find(".error").textContent = model.error
    find(".use").disabled = model.error !== "" || !columns.length
  }
  const toggle = () => {
    if (model.open && !dialog.open && dialog.isConnected) dialog.showModal()
    if (!model.open && dialog.open) dialog.close()
  }
  model.on(["name_", "columns", "rows", "response", "features", "kind", "kinds", "intercept", "scale", "says", "error", "open", "levels", "classes", "positive"], batched(() => { show(); toggle() }))
  show(); setTimeout(toggle)
  return root
}}
