import {opensDark, serverAnswers, wear} from "../common/dom.js"

/** Comes first of a page, before all that may be lost on its way: says so, and loads the page again once the server answers.

`globalThis.exitTimeLabLoaded()` ends it: from then on the page's own words tell of its connection. */
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
wear(opensDark()) // dark is dark from the first paint
{
  const COUNT = "exit-time-lab-loads", SLOW = 20000, VERY_SLOW = 90000, ASK = 1000, AGAIN = [0, 2000, 5000, 15000, 60000] // ms
  const Socket = globalThis.WebSocket, began = performance.now(), box = document.createElement("div")
  let before = 0, lost = false, loaded = false, asking = false, due = 0
  try { before = +sessionStorage.getItem(COUNT) || 0 } catch { before = AGAIN.length } // it may be forbidden: do not hurry
  const count = number => { try { if (number) sessionStorage.setItem(COUNT, number); else sessionStorage.removeItem(COUNT) } catch { /* as above */ } }
  const say = (text, button) => {
    if (box.firstChild?.textContent === text && !!box.querySelector("button") === !!button) return
    box.replaceChildren(Object.assign(document.createElement("span"), {textContent: text}))
    if (button) box.append(Object.assign(document.createElement("button"), {textContent: "Load it again", onclick: () => location.reload()}))
  }
  const lose = () => {
    if (lost || loaded) return
    lost = true
    box.className = "lost"
    due = performance.now() + AGAIN[Math.min(before, AGAIN.length - 1)] * (1 + Math.random() / 2) // not everybody at the same moment
    look()
  }
  const words = () => !navigator.onLine ? "This computer has no network. The page is loaded as soon as there is one."
    : before < 3 ? "Part of this page did not arrive: the server cannot be reached, or the network is gone. The page is loaded again by itself as soon as the server answers."
    : `This page did not arrive whole ${before + 1} times in a row. It is loaded again by itself every minute. If that goes on, something between here and the server stops its scripts or its web socket: tell whoever runs the server.`
  const look = async () => {
    const waited = performance.now() - began
    if (loaded || asking || (!lost && waited < SLOW)) return
    if (lost) say(words(), before >= 3)
    asking = true
    const there = await serverAnswers()
    asking = false
    if (loaded) return
    if (!lost) say(there ? "Still loading …" : "The server has not answered for a while. Waiting …", waited > VERY_SLOW) // it may come yet
    else if (there && performance.now() >= due) { clearInterval(timer); count(before + 1); location.reload() }
  }
  const failed = event => { if (event.target?.matches?.("script, link[rel=stylesheet]")) lose() }
  const whole = () => { if (!globalThis.Bokeh || !document.querySelector("[data-root-id]")) lose() }
  const woken = () => { if (lost) { due = 0; look() } }
  box.id = "loading"
  box.role = "alert"
  document.documentElement.append(box) // there is no body yet, and none may come
  addEventListener("error", failed, true)
  addEventListener("unhandledrejection", lose)
  globalThis.WebSocket = class extends Socket { // refused, or closed too early: the page's token may have run out
    constructor(...parameters) { super(...parameters); this.addEventListener("close", lose) }
  }
  addEventListener("load", whole)
  addEventListener("online", woken)
  const timer = setInterval(look, ASK)
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
