export function render({model}) {
  const root = element(`<div class="root"><div class="drop"><button class="btn pick"></button><input type="file" aria-label="File" accept="${escapeHtml(model.accept)}">
    <div class="has"><span></span><button class="round away" aria-label="Take the file away" title="Take the file away">${icon("close")}</button></div>
    <div class="bar" role="progressbar" aria-label="Upload"><i></i></div><p class="words" role="status"></p><p class="hint"></p><p class="error" role="alert"></p></div></div>`)
  const find = s => root.querySelector(s), input = find("input")
  let file = null, upload = 0
  const begin = chosen => {
    if (!chosen) return
    file = chosen
    upload += 1 + Math.floor(Math.random() * 1e6) // an older upload's pieces are not taken for this one's
    model.send_msg({type: "begin", upload, name: file.name, size: file.size})
  }
  find(".pick").addEventListener("click", () => input.click())
  input.addEventListener("change", () => { begin(input.files[0]); input.value = "" })
  root.addEventListener("dragover", event => { event.preventDefault(); root.classList.add("over") })
  root.addEventListener("dragleave", () => root.classList.remove("over"))
  root.addEventListener("drop", event => { event.preventDefault(); root.classList.remove("over"); begin(event.dataTransfer.files[0]) })
  find(".away").addEventListener("click", () => { file = null; model.send_msg({type: "away"}) })
  model.on("msg:custom", async message => {
    if (!file || message.upload !== upload) return
    const data = await file.slice(message.at, message.at + model.piece).arrayBuffer()
    model.send_msg({type: "piece", upload: message.upload, at: message.at, data})
  })
  const show = () => {
    find(".pick").textContent = model.name_ ? "Choose another file" : "Choose a file, or drop it here"
    find(".has").hidden = !model.name_
    find(".has span").textContent = find(".has span").title = model.name_
    find(".words").textContent = model.words; find(".error").textContent = model.error
    find(".hint").textContent = model.name_ ? "" : model.hint
    const bar = find(".bar"); bar.hidden = model.fraction === null
    bar.firstElementChild.style.width = `${100 * (model.fraction ?? 0)}%`
  }
  model.on(["name_", "words", "error", "fraction", "hint"], show); show()
  root.querySelector(".drop").setAttribute("aria-label", model.label)
  return root
}
