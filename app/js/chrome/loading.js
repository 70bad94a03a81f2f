import {applyTheme, opensDark, serverAnswers} from "../common/dom.js"

/** First script of a page: reports parts that fail to load, and reloads the page once the server answers.

`globalThis.exitTimeLabLoaded()` ends it: from then on the page reports its connection. */
const STYLE = /* css */ `
#loading{position:fixed;left:50%;top:40%;transform:translateX(-50%);z-index:10000;box-sizing:border-box;width:min(560px,calc(100% - 32px));display:flex;flex-direction:column;align-items:flex-start;gap:12px;background:var(--lab-ink);color:var(--lab-card);border-radius:8px;padding:14px 18px;font:400 .875rem/1.5 Roboto,Arial,sans-serif}
#loading:empty{display:none}
#loader{background:none!important}
:root:has(#loading.lost) #loader{display:none!important}
#loading button{font:inherit;color:inherit;background:none;border:1px solid;border-radius:6px;min-height:32px;padding:4px 12px;cursor:pointer}
html,body{height:100%;margin:0;overflow:hidden;font-family:Roboto,Arial,sans-serif}
#loader{position:fixed;inset:0;display:flex;align-items:center;justify-content:center;pointer-events:none}
#loader .spinner{width:44px;height:44px;border:4px solid var(--lab-track);border-top-color:var(--lab-primary);border-radius:50%;animation:lab-spin 1s linear infinite}
@keyframes lab-spin{to{transform:rotate(1turn)}}
@media (prefers-reduced-motion:reduce){#loader .spinner{animation:none}}
`

document.head.append(Object.assign(document.createElement("style"), {textContent: STYLE}))
applyTheme(opensDark()) // before the first paint
{
  const COUNT = "exit-time-lab-loads", SLOW = 20000, VERY_SLOW = 90000, CHECK_EVERY = 1000, AGAIN = [0, 2000, 5000, 15000, 60000] // ms
  const Socket = globalThis.WebSocket, began = performance.now(), box = document.createElement("div")
  let before = 0, lost = false, loaded = false, checking = false, due = 0
  try { before = +sessionStorage.getItem(COUNT) || 0 } catch { before = AGAIN.length } // storage may be forbidden: reload slowly
  const count = number => { try { if (number) sessionStorage.setItem(COUNT, number); else sessionStorage.removeItem(COUNT) } catch { /* as above */ } }
  const show = (text, button) => {
    if (box.firstChild?.textContent === text && !!box.querySelector("button") === !!button) return
    box.replaceChildren(Object.assign(document.createElement("span"), {textContent: text}))
    if (button) box.append(Object.assign(document.createElement("button"), {textContent: "Reload", onclick: () => location.reload()}))
  }
  const lose = () => {
    if (lost || loaded) return
    lost = true
    box.className = "lost"
    due = performance.now() + AGAIN[Math.min(before, AGAIN.length - 1)] * (1 + Math.random() / 2) // spread the requests of many visits
    check()
  }
  const words = () => !navigator.onLine ? "This computer has no network. The page is loaded as soon as there is one."
    : before < 3 ? "Part of this page did not arrive: the server cannot be reached, or the network is down. The page reloads automatically as soon as the server answers."
    : `This page failed to load ${before + 1} times in a row. It reloads automatically every minute. If this persists, its scripts or its web socket are blocked on the way to the server: report it to the operator of the server.`
  const check = async () => {
    const waited = performance.now() - began
    if (loaded || checking || (!lost && waited < SLOW)) return
    if (lost) show(words(), before >= 3)
    checking = true
    const there = await serverAnswers()
    checking = false
    if (loaded) return
    if (!lost) show(there ? "Still loading …" : "The server has not answered for a while. Waiting …", waited > VERY_SLOW)
    else if (there && performance.now() >= due) { clearInterval(timer); count(before + 1); location.reload() }
  }
  const failed = event => { if (event.target?.matches?.("script, link[rel=stylesheet]")) lose() }
  const whole = () => { if (!globalThis.Bokeh || !document.querySelector("[data-root-id]")) lose() }
  const woken = () => { if (lost) { due = 0; check() } }
  box.id = "loading"
  box.role = "alert"
  document.documentElement.append(box) // the body may be missing
  addEventListener("error", failed, true)
  addEventListener("unhandledrejection", lose)
  globalThis.WebSocket = class extends Socket { // refused or closed too early, as with an expired token of the page
    constructor(...parameters) { super(...parameters); this.addEventListener("close", lose) }
  }
  addEventListener("load", whole)
  addEventListener("online", woken)
  const timer = setInterval(check, CHECK_EVERY)
  globalThis.exitTimeLabLoaded = () => {
    loaded = true
    clearInterval(timer)
    count(0)
    box.remove()
    document.querySelector("#loader")?.remove()
    removeEventListener("error", failed, true)
    globalThis.WebSocket = Socket
    for (const [kind, listener] of Object.entries({unhandledrejection: lose, load: whole, online: woken})) removeEventListener(kind, listener)
  }
}
