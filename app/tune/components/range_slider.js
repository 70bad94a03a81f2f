const STEPS = 300

export function render({model}) {
  const {low, high, whole} = model
  const name = escapeHtml(`${model.words} (${model.symbol.replace(/<[^>]*>/g, "")})`)
  const root = element(`<div class="root" data-aside ${model.term ? "" : `title="${escapeHtml(model.help)}"`}>
    <div class="row"><span class="symbol">${model.term ? `<lab-term key="${escapeHtml(model.term)}" note="${escapeHtml(escapeHtml(model.help))}">${model.symbol}</lab-term>` : model.symbol}</span>
      <input class="box first" inputmode="decimal" autocomplete="off" spellcheck="false" aria-label="Smallest ${name}"><span class="words to">to</span>
      <input class="box last" inputmode="decimal" autocomplete="off" spellcheck="false" aria-label="Largest ${name}"><span class="count"></span></div>
    <div class="slide"><i class="track"></i><i class="fill"></i>
      <input class="thumb first" type="range" min="0" max="${STEPS}" step="1" aria-label="Smallest ${name}, slider">
      <input class="thumb last" type="range" min="0" max="${STEPS}" step="1" aria-label="Largest ${name}, slider"></div>
    <div class="error" role="alert"></div></div>`)
  const find = s => root.querySelector(s)
  const boxes = [find(".box.first"), find(".box.last")], thumbs = [find(".thumb.first"), find(".thumb.last")]
  const say = v => whole ? String(Math.round(v)) : v < 0.001 ? (+v).toExponential(1).replace(".0e", "e") : String(+(+v).toPrecision(3))
  const toPosition = v => Math.round(Math.min(1, Math.max(0, Math.log(v / low) / Math.log(high / low))) * STEPS)
  const toValue = p => { const raw = low * (high / low) ** (p / STEPS); return whole ? Math.max(1, Math.round(raw)) : +raw.toPrecision(2) }
  const written = k => model.value.length ? say(model.value[k]) : ""
  let dragging = false
  const fill = () => {
    const [a, b] = thumbs.map(t => +t.value / STEPS)
    find(".fill").style.left = `calc(${a * 100}% + ${(0.5 - a) * 13}px)`
    find(".fill").style.right = `calc(${(1 - b) * 100}% + ${(b - 0.5) * 13}px)`
    thumbs[0].style.zIndex = a > 0.9 ? 3 : 2
  }
  const show = () => {
    if (dragging) return
    model.value.forEach((v, k) => { boxes[k].value = say(v); thumbs[k].value = toPosition(v); thumbs[k].setAttribute("aria-valuetext", say(v)) })
    root.dataset.low = written(0); root.dataset.high = written(1)
    fill()
  }
  const complain = () => {
    find(".error").textContent = model.error
    root.classList.toggle("wrong", model.error !== "")
    boxes.forEach(b => b.setAttribute("aria-invalid", model.error !== ""))
  }
  thumbs.forEach((thumb, k) => {
    thumb.addEventListener("pointerdown", () => { dragging = true })
    thumb.addEventListener("input", () => {
      const other = +thumbs[1 - k].value
      if (k === 0 && +thumb.value > other) thumb.value = other
      if (k === 1 && +thumb.value < other) thumb.value = other
      boxes[k].value = say(toValue(+thumb.value)); fill()
    })
    thumb.addEventListener("change", () => {
      dragging = false
      const ends = [...model.value]
      ends[k] = toValue(+thumb.value)
      if (ends[0] > ends[1]) ends[1 - k] = ends[k]
      model.send_msg({type: "range", low: ends[0], high: ends[1]})
    })
    thumb.addEventListener("pointerup", () => { dragging = false })
  })
  const commit = () => { if (boxes.some((b, k) => b.value.trim() !== written(k)) || model.error) model.send_msg({type: "range", low: boxes[0].value, high: boxes[1].value}) }
  boxes.forEach((box, k) => {
    box.addEventListener("change", commit)
    box.addEventListener("focus", () => box.select())
    box.addEventListener("keydown", event => {
      if (event.key === "Enter") { commit(); event.preventDefault() }
      if (event.key === "Escape") { box.value = written(k); box.blur(); if (model.error) model.send_msg({type: "escape"}) }
    })
  })
  const count = () => { find(".count").textContent = model.count }
  model.on("value", show); model.on("error", complain); model.on("count", count)
  model.on("msg:custom", () => { if (model.error === "") show() })
  show(); complain(); count()
  return root
}
