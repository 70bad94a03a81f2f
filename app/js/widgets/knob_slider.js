import {bindEntry, element, escapeHtml, fillRange, oncePerFrame, put, termed, thousands, thumbAt} from "../common/dom.js"
import {BOX_CSS} from "../common/styles.js"

const STEPS = 400
const SETTLED = 2000 // ms after the last turn, when the server's value takes precedence

function grouped(v, whole) { // 100,000 and 5 × 10⁻⁶
  if (whole || Math.abs(v) >= 1000) return thousands(v)
  if (v === 0 || Math.abs(v) >= 0.001) return String(+(+v).toPrecision(4))
  const [mantissa, exponent] = (+v).toExponential(2).split("e")
  return `${+mantissa} × 10${exponent.replace("+", "").replace(/[-\d]/g, c => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])}`
}

export const KnobSlider = {css: /* css */ `
.root{position:relative;margin-bottom:6px;--c:var(--lab-primary)}
.row{display:flex;flex-wrap:wrap;align-items:center;gap:0 7px;min-height:24px}
.symbol{font-size:.875rem;min-width:30px}
.words{flex:1;color:var(--lab-ink2);font-size:.75rem;line-height:1.15}
.ring{display:inline-block;width:9px;height:9px;border-radius:5px;border:2px solid var(--c);margin:0 5px 0 1px}
${BOX_CSS}.box{width:3.4375rem;font-size:.8125rem;padding:0 6px}
.grouped .box{width:4.625rem}.long .box{width:5rem}
.changed .box{border-color:var(--lab-hot);color:var(--lab-hot);font-weight:700}
.slide{position:relative;height:16px}
.range{position:absolute;inset:0;height:100%;margin:0;--c:inherit}
.tick{position:absolute;top:5px;width:1px;height:7px;background:var(--lab-ink3);pointer-events:none}
.error{margin-top:3px;font-size:.71875rem;line-height:1.35;color:var(--lab-hot)}
.error:empty{display:none}
.reason{display:none;height:18px;font-size:.71875rem;line-height:1.39131;color:var(--lab-ink2)}
.off .reason{display:block}.off .slide{display:none}.off .box{color:var(--lab-ink3);border-style:dotted;cursor:default}.off .symbol{color:var(--lab-ink3)}
@media (pointer:coarse),(max-width: 44.99875em){.root{margin-bottom:10px}.row{min-height:28px}.slide{height:26px}.tick{top:10px}.box{width:3.75rem;min-height:28px}}
`, render({model}) {
  const {low, high, scale, whole} = model
  let dragging = false, current = model.value, sent = null, settling = 0
  const toPosition = v => {
    const at = scale === "log1p" ? Math.log1p(v - low) / Math.log1p(high - low) : Math.log(v / low) / Math.log(high / low)
    return Math.round(Math.min(1, Math.max(0, at)) * STEPS)
  }
  const toValue = position => {
    if (dragging && Math.abs(position - toPosition(model.default)) <= 2) return model.default // snap to the default
    const at = position / STEPS
    const raw = scale === "log1p" ? low + Math.expm1(at * Math.log1p(high - low)) : low * (high / low) ** at
    const rounded = whole ? Math.round(model.grouped && raw >= 100 ? +raw.toPrecision(2) : raw) : +raw.toPrecision(2)
    return Math.min(high, Math.max(low, rounded))
  }
  const nudge = (v, direction) => { // one unit of the second digit, so that each key press is visible
    const size = Math.max(v, 1e-9) * (direction < 0 ? 0.999 : 1)
    const unit = v <= 0 ? 0.1 : 10 ** (Math.floor(Math.log10(size)) - 1)
    const next = v + direction * (whole ? Math.max(1, unit) : unit)
    return Math.min(high, Math.max(low, whole ? Math.round(next) : +next.toPrecision(3)))
  }
  const format = v => model.lowest && v <= low ? model.lowest : model.grouped ? grouped(v, whole) : whole ? String(Math.round(v)) : String(+(+v).toPrecision(6))
  const name = escapeHtml(`${model.words}${model.symbol ? ` (${model.symbol.replace(/<[^>]*>/g, "")})` : ""}`)
  const ring = model.token ? `<i class="ring"></i>` : ""
  const root = element(`<div class="root" data-aside>
    <label class="row"><span class="symbol">${model.symbol}</span><span class="words">${ring}<span class="what"></span></span>
      <input class="box" type="text" inputmode="decimal" autocomplete="off" spellcheck="false" aria-label="${name}"></label>
    <div class="slide"><i class="tick"></i><input class="range" type="range" min="0" max="${STEPS}" step="1" aria-label="${name}, slider"></div>
    <div class="reason"></div><div class="error" role="alert"></div></div>`)
  if (model.grouped) root.classList.add("grouped")
  if (model.token) root.style.setProperty("--c", `var(--lab-${model.token})`)
  const box = root.querySelector(".box"), range = root.querySelector(".range"), tick = root.querySelector(".tick")
  const error = root.querySelector(".error")
  if (scale === "none") root.querySelector(".slide").remove()

  const explain = () => { // show the name, the help and whether the knob is unused
    const apart = model.term ? root.querySelector(".slide") ?? box : root // the definition of the name includes the help
    apart.title = model.help
    put(root.querySelector(".what"), termed(model.words, model.term, model.help))
    root.querySelector(".reason").textContent = model.unused
    root.classList.toggle("off", model.unused !== "")
    for (const input of [box, range]) if (input) input.disabled = model.unused !== ""
  }
  const write = value => { // the number as it is, in a box that shows all of it
    box.value = format(value)
    root.classList.toggle("long", box.value.length > (model.grouped ? 8 : 6))
  }
  const show = value => {
    current = value
    if (model.error === "") write(value)
    root.classList.toggle("changed", format(value) !== format(model.default) && scale !== "none")
    root.dataset.value = format(value)
    if (scale === "none") return
    if (!dragging) range.value = toPosition(value)
    range.setAttribute("aria-valuetext", format(value))
    fillRange(range)
    tick.style.left = thumbAt(toPosition(model.default) / STEPS)
  }
  const complain = () => {
    if (model.error === "" && root.classList.contains("wrong")) write(model.value)
    error.textContent = model.error
    root.classList.toggle("wrong", model.error !== "")
    box.setAttribute("aria-invalid", model.error !== "")
  }
  const send = oncePerFrame(message => model.send_msg(message))
  range.addEventListener("pointerdown", () => { dragging = true })
  for (const end of ["pointerup", "pointercancel", "change"]) range.addEventListener(end, () => { dragging = false })
  const slide = value => {
    current = value
    write(value); fillRange(range)
    root.classList.toggle("changed", format(value) !== format(model.default))
    send({type: "slide", value})
    sent = value
    clearTimeout(settling)
    settling = setTimeout(() => { sent = null; show(model.value) }, SETTLED)
  }
  range.addEventListener("input", () => slide(toValue(+range.value)))
  range.addEventListener("keydown", event => {
    const direction = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 1, PageDown: -1}[event.key]
    if (!direction) return
    event.preventDefault()
    let value = current
    for (let k = event.key.startsWith("Page") ? 10 : 1; k > 0; k--) value = nudge(value, direction)
    range.value = toPosition(value)
    slide(value)
  })
  bindEntry(box, {
    commit: () => { if (box.value.trim() !== format(model.value) || model.error) model.send_msg({type: "typed", text: box.value}) },
    back: () => { write(model.value); if (model.error) model.send_msg({type: "escape"}) },
  })
  model.on("value", () => { // the answer to an earlier turn must not revert a later one
    if (sent !== null && model.value !== sent) return
    if (!dragging) write(model.value)
    show(model.value)
  })
  model.on("default", () => show(model.value))
  model.on("error", complain)
  model.on(["words", "help", "unused"], explain); explain()
  model.on("msg:custom", message => { if (model.error === "") write(message.value) })
  write(model.value)
  show(model.value); complain()
  return root
}}
