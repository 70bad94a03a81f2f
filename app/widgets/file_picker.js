export function render({model}) {
  const root = element(`<div class="root ${model.anywhere ? "bare" : ""}"><div class="drop"><button class="btn pick">${icon("save")}<span></span></button><input type="file" aria-label="File" accept="${escapeHtml(model.accept)}">
    <div class="has"><span></span><button class="round away" aria-label="Take the file away" title="Take the file away">${icon("close")}</button></div>
    <div class="bar" role="progressbar" aria-label="Upload"><i></i></div><p class="words" role="status"></p><p class="hint"></p><p class="error" role="alert"></p><button class="btn offer"></button></div><div class="everywhere" aria-hidden="true"><p>Drop a file</p></div></div>`)
  const find = s => root.querySelector(s), input = find("input")
  const {begin, forget} = uploader(model)
  find(".pick").addEventListener("click", () => input.click())
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
    for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener)
    model.on("remove", () => { for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name, listener) })
  }
  find(".away").addEventListener("click", () => { forget(); model.send_msg({type: "away"}) })
  find(".offer").addEventListener("click", () => model.send_msg({type: "leave_out"}))
  const show = () => {
    find(".offer").textContent = model.offer; find(".offer").hidden = !model.offer
    find(".pick span").textContent = model.button || (model.name_ ? "Choose another file" : "Choose a file, or drop it here")
    find(".has").hidden = !model.name_
    find(".has span").textContent = find(".has span").title = model.name_
    find(".words").textContent = model.words; find(".error").textContent = model.error
    find(".hint").textContent = model.name_ ? "" : model.hint
    const bar = find(".bar"); bar.hidden = model.fraction === null
    bar.firstElementChild.style.width = `${100 * (model.fraction ?? 0)}%`
  }
  model.on(["name_", "words", "error", "offer", "fraction", "hint"], show); show()
  root.querySelector(".drop").setAttribute("aria-label", model.label)
  return root
}
