export function render({model}) {
  const root = element(`<div class="root"><div class="row"><button class="btn fill run"></button><button class="btn cancel">Cancel</button></div>
    <div class="others"></div>
    <div class="progress"><div class="line"><span class="count"></span><span class="left"></span></div><div class="bar" role="progressbar" aria-label="Progress"><i></i></div></div>
    <p class="words" role="status"></p><p class="error" role="alert"></p></div>`)
  const find = s => root.querySelector(s)
  const show = () => {
    put(find(".run"), `${icon("play")}${escapeHtml(model.label)}`)
    allow(find(".run"), !model.running)
    allow(find(".cancel"), model.running)
    root.dataset.running = model.running
    const {fraction} = model, bar = find(".bar")
    find(".progress").style.display = model.running || model.count ? "" : "none"
    bar.classList.toggle("endless", model.running && fraction === null)
    bar.firstElementChild.style.width = `${fraction === null ? (model.running ? 30 : 0) : fraction * 100}%`
    if (fraction === null) bar.removeAttribute("aria-valuenow"); else bar.setAttribute("aria-valuenow", Math.round(fraction * 100))
    find(".count").textContent = model.count
    find(".left").textContent = model.left
    find(".words").textContent = model.words
    find(".error").textContent = model.error
  }
  const offer = () => {
    refill(find(".others"), model.others.map(([key, label, says]) => {
      const button = element(`<button class="btn other" data-key="${escapeHtml(key)}" title="${escapeHtml(says ?? "")}">${escapeHtml(label)}</button>`)
      button.setAttribute("aria-pressed", key === model.pressed)
      button.addEventListener("click", () => model.send_msg({type: "other", key}))
      return button
    }))
  }
  model.on(["label", "running", "fraction", "count", "left", "words", "error"], show); show()
  model.on(["others", "pressed"], offer); offer()
  find(".run").addEventListener("click", () => model.send_msg({type: "run"}))
  find(".cancel").addEventListener("click", () => model.send_msg({type: "cancel"}))
  return root
}
