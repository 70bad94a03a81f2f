// Range and batch sizes of a sweep on the Tune page.
import {bindEntry, element, escapeHtml, onPress, refill, thumbAt} from "../common/dom.js"
import {BOX_CSS} from "../common/styles.js"

const STEPS = 300

export const RangeSlider = {css: /* css */ `
.root{margin-bottom:3px}
.row{display:flex;align-items:center;gap:0 6px;min-height:24px}
.symbol{font-size:.875rem;min-width:28px}
.words{color:var(--lab-ink2);font-size:.75rem}
${BOX_CSS}.box{flex:0 1 3.625rem;width:0;font-size:.78125rem;padding:0 5px}
.count{flex:1 0 auto;text-align:right;color:var(--lab-ink2);font-size:.71875rem;white-space:nowrap}
.slide{position:relative;height:16px}
.track,.fill{position:absolute;top:7px;height:3px;border-radius:2px;left:0;right:0;background:var(--lab-track)}
.fill{background:var(--lab-primary)}
.thumb{position:absolute;left:0;width:100%;top:0;height:16px;margin:0;background:none;-webkit-appearance:none;appearance:none;pointer-events:none}
.thumb::-webkit-slider-thumb{-webkit-appearance:none;width:13px;height:13px;border-radius:7px;background:var(--lab-primary);pointer-events:auto;cursor:pointer}
.thumb::-moz-range-thumb{width:13px;height:13px;border:0;border-radius:7px;background:var(--lab-primary);pointer-events:auto;cursor:pointer}
.thumb:focus-visible{outline:none}
.thumb:focus-visible::-webkit-slider-thumb{outline:2px solid var(--lab-primary);outline-offset:2px}
.error{font-size:.71875rem;line-height:1.35;color:var(--lab-hot);margin-top:2px}.error:empty{display:none}
@media (pointer:coarse),(max-width: 44.99875em){.row{min-height:30px}.box{min-height:28px}.slide{height:26px}.thumb{height:26px}.track,.fill{top:12px}}
`, render({model}) {
  const {low, high, whole} = model
  const name = escapeHtml(`${model.words} (${model.symbol.replace(/<[^>]*>/g, "")})`)
  const root = element(`<div class="root" data-aside ${model.term ? "" : `title="${escapeHtml(model.help)}"`}>
    <div class="row"><span class="symbol">${model.term ? `<lab-term key="${escapeHtml(model.term)}" note="${escapeHtml(escapeHtml(model.help))}">${model.symbol}</lab-term>` : model.symbol}</span>
      <input class="box first" inputmode="decimal" autocomplete="off" spellcheck="false" aria-label="Smallest ${name}"><span class="words">to</span>
      <input class="box last" inputmode="decimal" autocomplete="off" spellcheck="false" aria-label="Largest ${name}"><span class="count"></span></div>
    <div class="slide"><i class="track"></i><i class="fill"></i>
      <input class="thumb first" type="range" min="0" max="${STEPS}" step="1" aria-label="Smallest ${name}, slider">
      <input class="thumb last" type="range" min="0" max="${STEPS}" step="1" aria-label="Largest ${name}, slider"></div>
    <div class="error" role="alert"></div></div>`)
  const find = s => root.querySelector(s)
  const boxes = [find(".box.first"), find(".box.last")], thumbs = [find(".thumb.first"), find(".thumb.last")]
  const format = v => whole ? String(Math.round(v)) : v < 0.001 ? (+v).toExponential(1).replace(".0e", "e") : String(+(+v).toPrecision(3))
  const toPosition = v => Math.round(Math.min(1, Math.max(0, Math.log(v / low) / Math.log(high / low))) * STEPS)
  const toValue = p => { const raw = low * (high / low) ** (p / STEPS); return whole ? Math.max(1, Math.round(raw)) : +raw.toPrecision(2) }
  const written = k => model.value.length ? format(model.value[k]) : ""
  let dragging = false
  const fill = () => {
    const [a, b] = thumbs.map(t => +t.value / STEPS)
    Object.assign(find(".fill").style, {left: thumbAt(a), right: thumbAt(1 - b)})
    thumbs[0].style.zIndex = a > 0.9 ? 3 : 2
  }
  const show = () => {
    if (dragging) return
    boxes.forEach((box, k) => { box.value = written(k) })
    thumbs.forEach((thumb, k) => {
      thumb.value = model.value.length ? toPosition(model.value[k]) : k * STEPS
      thumb.setAttribute("aria-valuetext", written(k) || "not set yet")
    })
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
      boxes[k].value = format(toValue(+thumb.value)); fill()
    })
    thumb.addEventListener("change", () => {
      dragging = false
      const ends = model.value.length ? [...model.value] : thumbs.map(t => toValue(+t.value)) // before there is advice
      ends[k] = toValue(+thumb.value)
      if (ends[0] > ends[1]) ends[1 - k] = ends[k]
      model.send_msg({type: "range", low: ends[0], high: ends[1]})
    })
    for (const end of ["pointerup", "pointercancel"]) thumb.addEventListener(end, () => { dragging = false })
  })
  const commit = () => { if (boxes.some((b, k) => b.value.trim() !== written(k)) || model.error) model.send_msg({type: "range", low: boxes[0].value, high: boxes[1].value}) }
  boxes.forEach((box, k) => bindEntry(box, {commit, back: () => { box.value = written(k); if (model.error) model.send_msg({type: "escape"}) }}))
  const count = () => { find(".count").textContent = model.count }
  model.on("value", show); model.on("error", complain); model.on("count", count)
  model.on("msg:custom", () => { if (model.error === "") show() })
  show(); complain(); count()
  return root
}}

export const Batches = {css: /* css */ `
.root{display:flex;border:1px solid var(--lab-line);border-radius:6px;overflow:hidden;font-size:.75rem;background:var(--lab-card)}
.chip{flex:1;display:flex;align-items:center;justify-content:center;border-right:1px solid var(--lab-line);color:var(--lab-ink2)}
.chip:last-child{border-right:0}
.chip.on{background:var(--lab-chip);color:var(--lab-ink);font-weight:700}
.name{flex:1;padding:4px;white-space:nowrap}
.off{padding:4px 5px 4px 0;color:var(--lab-ink3)}
.chip button:hover{color:var(--lab-ink)}
.chip button:focus-visible{outline-offset:-2px}
@media (pointer:coarse){.name{padding:8px 4px}.off{padding:8px 6px 8px 0}}
`, render({model}) {
  const root = element(`<div class="root" role="group" aria-label="Batches to sweep"></div>`)
  const show = () => {
    const many = model.swept.length > 1
    const out = b => `<button class="off" data-key="remove ${b}" aria-label="Remove b = ${b}" title="Remove b = ${b}">×</button>`
    const swept = model.swept.map(b => `<span class="chip ${b === model.shown ? "on" : ""}"><button class="name" data-key="show ${b}" aria-pressed="${b === model.shown}" title="Show the cells of b = ${b}">${b}</button>${many ? out(b) : ""}</span>`)
    const offered = model.offered.map(b => `<span class="chip"><button class="name" data-key="add ${b}" title="Sweep b = ${b} too">+ ${b}</button></span>`)
    refill(root, [...swept, ...offered].map(element))
  }
  onPress(root, key => {
    const [type, batch] = key.split(" ")
    model.send_msg({type, batch: +batch})
  })
  model.on(["swept", "offered", "shown"], show); show()
  return root
}}
