const PIECE = 720 * 1024 // bytes, a multiple of 3: pieces of base64 without padding
const MOST_COLUMNS = 40

export function render({model}) {
  const root = element(`<div class="root"><button class="btn own">${icon("save")}<span>Your own file …</span></button><input type="file" class="file" accept=".csv,.tsv,.txt,.data,.parquet,.pq,.svm,.libsvm" tabindex="-1" aria-hidden="true">
    <div class="upload"><span></span><div class="bar" role="progressbar" aria-label="Upload"><i></i></div></div>
    <div class="drop" aria-hidden="true"><p>Drop a CSV or Parquet file</p></div>
    <dialog class="dialog" aria-label="Your data"><header><h2></h2><button class="round close" aria-label="Close">${icon("close")}</button></header>
      <div class="inside"><div class="table"></div>
      <div class="choices"><label>response <select class="pick-response"></select></label><label>gradient <select class="pick-kind"></select></label>
        <label class="check"><input type="checkbox" class="intercept"> intercept</label><label class="check"><input type="checkbox" class="scale"> standardise as rows arrive</label></div>
      <fieldset class="features"><legend></legend><div></div></fieldset>
      <ul class="says" role="status"></ul><p class="error" role="alert"></p></div>
      <footer><span class="note">Kept in the cache folder of the computer that serves this page, for a reload.</span><button class="btn cancel">Cancel</button><button class="btn fill use">Use these rows</button></footer></dialog></div>`)
  const find = s => root.querySelector(s)
  const dialog = find(".dialog"), input = find(".file")
  let file = null, at = 0

  const take = chosen => {
    if (!chosen) return
    file = chosen; at = 0
    if (file.size > model.largest || file.size === 0) { model.send_msg({type: "refuse", name: file.name, size: file.size}); return }
    model.send_msg({type: "begin", name: file.name, size: file.size})
  }
  const piece = () => {
    if (!file) return
    const part = file.slice(at, at + PIECE), reader = new FileReader()
    reader.onload = () => {
      at += part.size
      model.send_msg({type: "piece", text: String(reader.result).split(",")[1] ?? "", last: at >= file.size})
    }
    reader.onerror = () => model.send_msg({type: "refuse", name: file.name, size: -1})
    reader.readAsDataURL(part)
  }
  model.on("msg:custom", message => { if (message.more) piece() })
  find(".own").addEventListener("click", () => { input.value = ""; input.click() })
  input.addEventListener("change", () => take(input.files[0]))

  let depth = 0
  const hasFile = event => [...(event.dataTransfer?.types ?? [])].includes("Files")
  const visible = () => root.isConnected && root.getClientRects().length > 0
  const enter = event => { if (hasFile(event) && root.isConnected) { depth += 1; find(".drop").classList.add("shown"); event.preventDefault() } }
  const leave = event => { if (hasFile(event)) { depth = Math.max(0, depth - 1); if (!depth) find(".drop").classList.remove("shown") } }
  const over = event => { if (hasFile(event)) event.preventDefault() }
  const drop = event => {
    if (!hasFile(event)) return
    event.preventDefault()
    depth = 0; find(".drop").classList.remove("shown")
    take(event.dataTransfer.files[0])
  }
  const listeners = {dragenter: enter, dragleave: leave, dragover: over, drop}
  for (const [name, act] of Object.entries(listeners)) window.addEventListener(name, act)
  model.on("remove", () => { for (const [name, act] of Object.entries(listeners)) window.removeEventListener(name, act) })

  const choose = (field, value) => model.send_msg({type: "choose", field, value})
  find(".pick-response").addEventListener("change", event => choose("response", event.target.value))
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
    find(".intercept").checked = model.intercept; find(".scale").checked = model.scale
    find("legend").textContent = `features: ${model.features.length} of ${Math.max(0, model.columns.length - 1)} columns`
    const chips = find(".features div")
    chips.replaceChildren(...model.columns.filter(c => c !== model.response).map(c => {
      const chip = element(`<button class="chip" aria-pressed="${model.features.includes(c)}">${escapeHtml(c)}</button>`)
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
  const upload = () => {
    const on = model.progress !== null
    find(".upload").style.display = on ? "" : "none"
    if (on) { find(".upload span").textContent = `Taking the file in: ${Math.round(model.progress * 100)} %`; find(".upload i").style.width = `${model.progress * 100}%` }
  }
  let due = false
  const later = () => { if (!due) { due = true; queueMicrotask(() => { due = false; show(); toggle() }) } }
  model.on(["name_", "columns", "rows", "response", "features", "kind", "kinds", "intercept", "scale", "says", "error", "open"], later)
  model.on("progress", upload)
  show(); upload(); setTimeout(toggle)
  return root
}
