import {element, escapeHtml, icon, lifetime, showProgress} from "../common/dom.js"

// Upload of a file in pieces, each requested by the server. Only the latest upload is active.
function uploader(model) {
  let file = null, upload = 0
  model.on("msg:custom", async message => {
    if (!file || message.upload !== upload) return
    try {
      const data = await file.slice(message.at, message.at + model.piece).arrayBuffer()
      model.send_msg({type: "piece", upload: message.upload, at: message.at, data})
    } catch { model.send_msg({type: "unreadable", upload: message.upload}) }
  })
  return {
    begin: chosen => {
      if (!chosen) return
      file = chosen
      upload += 1 + Math.floor(Math.random() * 1e6) // pieces of an older upload are not mistaken for this one's
      model.send_msg({type: "begin", upload, name: file.name, size: file.size})
    },
    forget: () => { file = null },
  }
}

export const FilePicker = {css: /* css */ `
.drop{border:1px dashed var(--lab-axis);border-radius:8px;padding:9px 10px;display:grid;grid-template-columns:minmax(0,1fr);gap:6px;position:relative}
.over .drop{border-color:var(--lab-primary);background:var(--lab-chip)}
.pick,.offered{justify-content:center;width:100%;min-height:32px;height:auto;white-space:normal;line-height:1.25;padding:3px 8px;font-weight:700}
.hint,.words{font-size:.71875rem;line-height:1.4;color:var(--lab-ink2)}
.hint:empty,.words:empty,.error:empty{display:none}
.error{font-size:.75rem;line-height:1.4;color:var(--lab-hot)}
.has{display:flex;align-items:center;gap:6px;font-size:.78125rem;font-weight:700;min-width:0}
.has span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;flex:1}
.away{width:24px;height:24px}.away .icon{width:15px;height:15px}
.bar{border-radius:2px}
input{display:none}
@media (pointer:coarse),(max-width: 44.99875em){.pick{min-height:40px}.away{width:36px;height:36px}}
.pick .icon{transform:rotate(180deg)}
.bare .drop{border:0;padding:0}.bare.over .drop{background:none}
.everywhere{display:none;position:fixed;inset:0;z-index:60;background:color-mix(in srgb,var(--lab-primary) 14%,transparent);border:3px dashed var(--lab-primary);pointer-events:none;align-items:center;justify-content:center}
.everywhere.shown{display:flex}
.everywhere p{background:var(--lab-card);color:var(--lab-ink);font-size:1.125rem;font-weight:700;padding:16px 26px;border-radius:10px;box-shadow:var(--lab-shadow)}
`, render({model}) {
  const root = element(`<div class="root ${model.anywhere ? "bare" : ""}"><div class="drop"><button class="btn pick">${icon("save")}<span></span></button><input type="file" aria-label="File" accept="${escapeHtml(model.accept)}">
    <button class="btn offered"></button><div class="has"><span></span><button class="round away" aria-label="Remove the file" title="Remove the file">${icon("close")}</button></div>
    <div class="bar" role="progressbar" aria-label="Upload"><i></i></div><p class="words" role="status"></p><p class="hint"></p><p class="error" role="alert"></p></div><div class="everywhere" aria-hidden="true"><p>Drop a file</p></div></div>`)
  const find = s => root.querySelector(s), input = find("input")
  const {begin, forget} = uploader(model)
  find(".pick").addEventListener("click", () => input.click())
  find(".offered").addEventListener("click", () => { forget(); model.send_msg({type: "offered"}) })
  input.addEventListener("change", () => { begin(input.files[0]); input.value = "" })
  root.addEventListener("dragover", event => { event.preventDefault(); root.classList.add("over") })
  root.addEventListener("dragleave", () => root.classList.remove("over"))
  root.addEventListener("drop", event => { event.preventDefault(); root.classList.remove("over"); begin(event.dataTransfer.files[0]) })
  if (model.anywhere) {
    let depth = 0
    const sheet = find(".everywhere"), hasFile = event => [...(event.dataTransfer?.types ?? [])].includes("Files")
    const here = () => root.isConnected && root.checkVisibility()
    const listeners = {
      dragenter: event => { if (hasFile(event) && here()) { depth += 1; sheet.classList.add("shown"); event.preventDefault() } },
      dragleave: event => { if (hasFile(event)) { depth = Math.max(0, depth - 1); if (!depth) sheet.classList.remove("shown") } },
      dragover: event => { if (hasFile(event) && here()) event.preventDefault() },
      drop: event => {
        depth = 0; sheet.classList.remove("shown")
        if (!hasFile(event) || !here() || event.defaultPrevented) return
        event.preventDefault(); begin(event.dataTransfer.files[0])
      },
    }
    const signal = lifetime(model)
    for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener, {signal})
  }
  find(".away").addEventListener("click", () => { forget(); model.send_msg({type: "away"}) })
  const show = () => {
    find(".pick span").textContent = model.button || (model.name_ ? "Choose another file" : "Choose a file, or drop it here")
    find(".offered").hidden = !model.offered
    find(".offered").textContent = `Use ${model.offered}, loaded before`
    find(".has").hidden = !model.name_
    find(".has span").textContent = find(".has span").title = model.name_
    find(".words").textContent = model.words; find(".error").textContent = model.error
    find(".hint").textContent = model.name_ ? "" : model.hint
    find(".bar").hidden = model.fraction === null
    showProgress(find(".bar"), model.fraction)
  }
  model.on(["name_", "words", "error", "fraction", "hint", "offered"], show); show()
  find(".drop").setAttribute("aria-label", model.label)
  return root
}}
