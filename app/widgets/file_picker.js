export function render({model}) {
  const root = element(`<div class="root"><div class="drop"><button class="btn pick"></button><input type="file" aria-label="File" accept="${escapeHtml(model.accept)}">
    <div class="has"><span></span><button class="round away" aria-label="Take the file away" title="Take the file away">${icon("close")}</button></div>
    <div class="bar" role="progressbar" aria-label="Upload"><i></i></div><p class="words" role="status"></p><p class="hint"></p><p class="error" role="alert"></p></div></div>`)
  const find = s => root.querySelector(s), input = find("input")
  const {begin, forget} = uploader(model)
  find(".pick").addEventListener("click", () => input.click())
  input.addEventListener("change", () => { begin(input.files[0]); input.value = "" })
  root.addEventListener("dragover", event => { event.preventDefault(); root.classList.add("over") })
  root.addEventListener("dragleave", () => root.classList.remove("over"))
  root.addEventListener("drop", event => { event.preventDefault(); root.classList.remove("over"); begin(event.dataTransfer.files[0]) })
  find(".away").addEventListener("click", () => { forget(); model.send_msg({type: "away"}) })
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
