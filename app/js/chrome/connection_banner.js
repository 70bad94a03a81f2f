import {deepFind, element, escapeHtml, focused, icon, lifetime, put, serverAnswers} from "../common/dom.js"

const PING_EVERY = 20000, SILENT = 12000, DEAD = 25000, AGAIN = [500, 1000, 2000, 3000, 5000] // ms
const ENTRIES = ["pointerdown", "mousedown", "click", "dblclick", "keydown", "beforeinput", "drop"]
const HARMLESS = ["Tab", "Escape", "F5", "PageUp", "PageDown"]
const TYPED = "exit-time-lab-typed"

const labelOf = box => box.ariaLabel ?? box.labels?.[0]?.textContent ?? box.placeholder

function keepTyped() { // store the unsent text of the focused box
  const box = focused()
  if (!box?.matches?.("input:not([type=range], [type=file], [type=password]), textarea") || !labelOf(box)) return
  try { sessionStorage.setItem(TYPED, JSON.stringify([labelOf(box), box.value])) } catch { /* storage may be forbidden */ }
}

function restoreTyped(tries = 40) { // once the box exists
  let typed = null
  try { typed = JSON.parse(sessionStorage.getItem(TYPED)) } catch { /* as above */ }
  if (!typed) return
  const box = deepFind("input, textarea", one => labelOf(one) === typed[0])
  if (!box && tries) { setTimeout(restoreTyped, 250, tries - 1); return }
  sessionStorage.removeItem(TYPED)
  if (box && box.value !== typed[1]) { box.focus(); box.value = typed[1]; box.dispatchEvent(new Event("input", {bubbles: true, composed: true})) }
}

export const ConnectionBanner = {css: /* css */ `
:host{position:absolute;width:0;height:0}
.root{position:fixed;left:0;right:0;bottom:0;z-index:2000;display:flex;justify-content:center;padding:0 12px 14px;pointer-events:none}
.words{display:flex;gap:10px;align-items:flex-start;max-width:720px;background:var(--lab-ink);color:var(--lab-card);border-radius:8px;padding:10px 14px;font-size:.84375rem;line-height:1.45;box-shadow:var(--lab-shadow)}
.words:empty{display:none}
`, render({model}) {
  const root = element(`<div class="root"><div class="words" role="alert" aria-live="assertive"></div></div>`)
  const words = root.querySelector(".words")
  const show = (text, look = "warn") => put(words, text && `${icon(look)}<span>${escapeHtml(text)}</span>`)
  let lost = false, tries = 0, timer = null, number = 0, pingedAt = 0, answeredAt = performance.now()

  const stop = event => { // block input, which would be lost; reading and scrolling remain possible
    if (!lost || HARMLESS.includes(event.key) || event.ctrlKey || event.metaKey) return
    event.preventDefault(); event.stopImmediatePropagation()
  }
  const signal = lifetime(model)
  for (const kind of ENTRIES) addEventListener(kind, stop, {signal, capture: true})

  const comeBack = () => {
    const here = new URLSearchParams(model.link || location.search), epoch = deepFind("[data-ro=t]")?.textContent.replace(/\D/g, "")
    if (here.has("t") && +epoch > parseInt(here.get("t"))) here.set("t", epoch) // the link may be two seconds old
    keepTyped()
    if (!here.has("back")) here.set("back", "0")
    location.replace(`${location.pathname}?${here}${location.hash}`)
  }
  const tryAgain = async () => {
    clearTimeout(timer)
    if (await serverAnswers()) { show("The server answers again. Reloading …", "wait"); comeBack(); return }
    const wait = AGAIN[Math.min(tries++, AGAIN.length - 1)]
    timer = setTimeout(tryAgain, wait * (1 + Math.random() / 2)) // spread the requests of many visits
  }
  const lose = () => {
    if (lost) return
    lost = true
    show(navigator.onLine ? "The server cannot be reached: it was stopped or restarted, or the network is down. This page reconnects automatically in its current state; until then nothing can be changed."
      : "This computer has no network. The page reconnects automatically in its current state; until then nothing can be changed.")
    tryAgain()
  }
  const bokeh = globalThis.Bokeh?.documents?.at(-1)
  bokeh?.on_event("connection_lost", lose)
  const ping = () => { if (!lost && pingedAt === 0) { pingedAt = performance.now(); model.send_msg({type: "here", number: ++number}) } }
  const check = async () => { // a socket may be silent long before its loss is reported, as after a laptop's sleep
    const silent = pingedAt ? performance.now() - pingedAt : 0
    if (lost) return
    if (silent > SILENT) show(navigator.onLine ? "The server has not answered for a while. Waiting …" : "This computer has no network. Waiting …", "wait")
    if (silent > DEAD && await serverAnswers() && pingedAt && !lost) lose()
    if (pingedAt === 0 && performance.now() - answeredAt > PING_EVERY) ping()
  }
  const beat = setInterval(check, 4000)
  const wake = () => { if (lost) { tries = 0; tryAgain() } else ping() }
  addEventListener("online", wake, {signal})
  document.addEventListener("visibilitychange", () => { if (!document.hidden) wake() }, {signal})
  model.on("msg:custom", message => {
    if (message.here === undefined || lost) return
    if (words.querySelector("span") && !words.dataset.arrived) show("")
    pingedAt = 0; answeredAt = performance.now()
  })
  let fade = null
  const arrive = text => { // after the live region is in the document: else it is not announced
    root.dataset.came = ""; words.dataset.arrived = "1"
    show(text, "info")
    fade = setTimeout(() => { delete words.dataset.arrived; if (!lost) show("") }, 12000)
  }
  const begin = setTimeout(() => {
    globalThis.exitTimeLabLoaded?.()
    if (model.words) arrive(model.words)
    ping(); restoreTyped()
  }, 0)
  model.on("remove", () => { clearInterval(beat); for (const t of [timer, fade, begin]) clearTimeout(t) })
  return root
}}
