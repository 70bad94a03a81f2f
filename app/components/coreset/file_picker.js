const PART = 600000 // bytes a message

export function render({model}) {
  const root = element(`<div class="root"><label class="btn"><input type="file" aria-label="Data file"><span></span></label><p class="name"></p><p class="wants"></p><p class="error" role="alert"></p></div>`)
  const find = s => root.querySelector(s), input = find("input")
  const show = () => {
    input.accept = model.accept
    put(find(".btn span"), `${escapeHtml(model.busy ? "Reading…" : model.label)}`)
    find(".name").textContent = model.name_shown
    find(".wants").textContent = model.wants
    find(".error").textContent = model.error
  }
  model.on(["label", "accept", "name_shown", "wants", "error", "busy"], show); show()
  const text = bytes => { // base64 of a part
    let out = ""
    for (let i = 0; i < bytes.length; i += 30000) out += String.fromCharCode(...bytes.subarray(i, i + 30000))
    return btoa(out)
  }
  input.addEventListener("change", async () => {
    const file = input.files[0]
    input.value = "" // the same file may be chosen again
    if (!file) return
    if (file.size > model.largest) { find(".error").textContent = `${file.name} is larger than ${Math.round(model.largest / 1e6)} MB; take a part of it.`; return }
    for (let at = 0; at === 0 || at < file.size; at += PART) {
      const bytes = new Uint8Array(await file.slice(at, at + PART).arrayBuffer())
      model.send_msg({type: "part", name: file.name, at, last: at + PART >= file.size, data: text(bytes)})
    }
  })
  return root
}
