export const ICONS = {
  play: "M8 5v14l11-7z", pause: "M6 19h4V5H6v14zm8-14v14h4V5h-4z",
  step: "M6 18l8.5-6L6 6v12zM16 6v12h2V6h-2z", epoch: "M4 18l8.5-6L4 6v12zm9-12v12l8.5-6L13 6z",
  restart: "M12 5V1L7 6l5 5V7c3.31 0 6 2.69 6 6s-2.69 6-6 6-6-2.69-6-6H4c0 4.42 3.58 8 8 8s8-3.58 8-8-3.58-8-8-8z",
  share: "M18 16.08c-.76 0-1.44.3-1.96.77L8.91 12.7c.05-.23.09-.46.09-.7s-.04-.47-.09-.7l7.05-4.11c.54.5 1.25.81 2.04.81 1.66 0 3-1.34 3-3s-1.34-3-3-3-3 1.34-3 3c0 .24.04.47.09.7L8.04 9.81C7.5 9.31 6.79 9 6 9c-1.66 0-3 1.34-3 3s1.34 3 3 3c.79 0 1.5-.31 2.04-.81l7.12 4.16c-.05.21-.08.43-.08.65 0 1.61 1.31 2.92 2.92 2.92s2.92-1.31 2.92-2.92-1.31-2.92-2.92-2.92z",
  moon: "M12 3c-4.97 0-9 4.03-9 9s4.03 9 9 9 9-4.03 9-9c0-.46-.04-.92-.1-1.36-.98 1.37-2.58 2.26-4.4 2.26-2.98 0-5.4-2.42-5.4-5.4 0-1.81.89-3.42 2.26-4.4-.44-.06-.9-.1-1.36-.1z",
  sun: "M12 7c-2.76 0-5 2.24-5 5s2.24 5 5 5 5-2.24 5-5-2.24-5-5-5zM2 13h2v-2H2v2zm18 0h2v-2h-2v2zM11 2v2h2V2h-2zm0 18v2h2v-2h-2zM5.3 4l-1.3 1.3 1.4 1.4L6.7 5.4 5.3 4zm13.4 13.3l-1.4 1.4 1.3 1.3 1.4-1.4-1.3-1.3zM20 5.3L18.7 4l-1.4 1.4 1.4 1.3L20 5.3zM6.7 18.6l-1.3-1.3L4 18.7 5.3 20l1.4-1.4z",
  help: "M11 18h2v-2h-2v2zm1-16C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2zm0 18c-4.41 0-8-3.59-8-8s3.59-8 8-8 8 3.59 8 8-3.59 8-8 8zm0-14c-2.21 0-4 1.79-4 4h2c0-1.1.9-2 2-2s2 .9 2 2c0 2-3 1.75-3 5h2c0-2.25 3-2.5 3-5 0-2.21-1.79-4-4-4z",
  check: "M9 16.17L4.83 12l-1.42 1.41L9 19 21 7l-1.41-1.41z",
  close: "M19 6.41L17.59 5 12 10.59 6.41 5 5 6.41 10.59 12 5 17.59 6.41 19 12 13.41 17.59 19 19 17.59 13.41 12z",
  down: "M16.59 8.59L12 13.17 7.41 8.59 6 10l6 6 6-6z",
  save: "M19 9h-4V3H9v6H5l7 7 7-7zM5 18v2h14v-2H5z",
  tune: "M3 17v2h6v-2H3zM3 5v2h10V5H3zm10 16v-2h8v-2h-8v-2h-2v6h2zM7 9v2H3v2h4v2h2V9H7zm14 4v-2H11v2h10zm-6-4h2V7h4V5h-4V3h-2v6z",
  hot: "M13.5.67s.74 2.65.74 4.8c0 2.06-1.35 3.73-3.41 3.73-2.07 0-3.63-1.67-3.63-3.73l.03-.36C5.21 7.51 4 10.62 4 14c0 4.42 3.58 8 8 8s8-3.58 8-8C20 8.61 17.41 3.8 13.5.67zM11.71 19c-1.78 0-3.22-1.4-3.22-3.14 0-1.62 1.05-2.76 2.81-3.12 1.77-.36 3.6-1.21 4.62-2.58.39 1.29.59 2.65.59 4.04 0 2.65-2.15 4.8-4.8 4.8z",
  cold: "M22 11h-4.17l3.24-3.24-1.41-1.42L15 11h-2V9l4.66-4.66-1.42-1.41L13 6.17V2h-2v4.17L7.76 2.93 6.34 4.34 11 9v2H9L4.34 6.34 2.93 7.76 6.17 11H2v2h4.17l-3.24 3.24 1.41 1.42L9 13h2v2l-4.66 4.66 1.42 1.41L11 17.83V22h2v-4.17l3.24 3.24 1.42-1.41L13 15v-2h2l4.66 4.66 1.41-1.42L17.83 13H22z",
  noise: "M3 12h3l2-7 4 14 3-10 2 3h4v2h-5l-1-1-3 10-4-14-1 5H3z",
  wait: "M6 2v6l4 4-4 4v6h12v-6l-4-4 4-4V2H6zm10 14.5V20H8v-3.5l4-4 4 4zm-4-5l-4-4V4h8v3.5l-4 4z",
  warn: "M1 21h22L12 2 1 21zm12-3h-2v-2h2v2zm0-4h-2v-4h2v4z",
  info: "M11 7h2v2h-2zm0 4h2v6h-2zm1-9C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2zm0 18c-4.41 0-8-3.59-8-8s3.59-8 8-8 8 3.59 8 8-3.59 8-8 8z",
  back: "M20 11H7.83l5.59-5.59L12 4l-8 8 8 8 1.41-1.41L7.83 13H20v-2z",
  school: "M5 13.18v4L12 21l7-3.82v-4L12 17l-7-3.82zM12 3L1 9l11 6 9-4.91V17h2V9L12 3z",
  menu: "M3 18h18v-2H3v2zm0-5h18v-2H3v2zm0-7v2h18V6H3z",
}
export const icon = name => `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`
export const escapeHtml = text => String(text).replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c])
export const termed = (words, term, note = "") => term // text with a definition and a note on its use
  ? `<lab-term key="${escapeHtml(term)}"${note && ` note="${escapeHtml(escapeHtml(note))}"`}>${escapeHtml(words)}</lab-term>` : escapeHtml(words)
export const thousands = n => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",")

export function element(html) {
  const holder = document.createElement("template")
  holder.innerHTML = html.trim()
  return holder.content.firstElementChild
}

export function deepFind(css, text = "", node = document) { // first match, including shadow roots
  const fits = typeof text === "function" ? text : n => !text || wordsIn(n).includes(text)
  for (const n of node.querySelectorAll(css)) if (fits(n)) return n
  for (const n of node.querySelectorAll("*")) {
    const match = n.shadowRoot && deepFind(css, text, n.shadowRoot)
    if (match) return match
  }
  return null
}
const wordsIn = node => node.textContent + [...node.querySelectorAll("*"), node].map(n => n.shadowRoot ? wordsIn(n.shadowRoot) : "").join(" ")

export function put(node, html) { // write HTML only if it changed, so that selections and screen readers are not disturbed
  if (node && node.__html !== html) { node.__html = html; node.innerHTML = html }
}

export function putFolded(node, html) { // as `put`; an open fold stays open
  const open = node.querySelector("details")?.open
  put(node, html)
  if (open) for (const fold of node.querySelectorAll("details")) fold.open = true
}

const STOPS = "button, a[href], input, select, textarea, [tabindex]"
export function refill(box, nodes) { // replace the children and keep the focus, by key if possible, else by position
  const held = box.getRootNode().activeElement, place = held && box.contains(held) ? [...box.querySelectorAll(STOPS)].indexOf(held) : -1
  const key = held?.dataset.key ?? held?.closest("[data-key]")?.dataset.key
  box.replaceChildren(...nodes)
  if (place < 0) return
  const stops = [...box.querySelectorAll(STOPS)], same = key === undefined ? [] : stops.filter(n => n.closest("[data-key]")?.dataset.key === key)
  ;(same.length === 1 ? same[0] : stops[Math.min(place, stops.length - 1)])?.focus()
}

export function setEnabled(button, on) { // with aria-disabled, as a disabled button would lose the focus
  if (button.ariaDisabled === null) {
    button.addEventListener("click", event => { if (button.ariaDisabled === "true") event.stopImmediatePropagation() }, true)
  }
  button.ariaDisabled = String(!on)
}

/** Return a signal that removes listeners with their component: `addEventListener(kind, listener, {signal})`. */
export function lifetime(model) {
  const end = new AbortController()
  model.on("remove", () => end.abort())
  return end.signal
}

/** Call `act` when the size of a node changes, until the component is removed. */
export function onResize(model, act, ...nodes) {
  const observer = new ResizeObserver(act)
  for (const node of nodes) observer.observe(node)
  model.on("remove", () => observer.disconnect())
}

/** Make a scrolling part a stop of the Tab key, so that arrow keys scroll it, with an accessible name; or, with `on` false, not. */
export function setTabStop(node, on, words = "") {
  if (on) node.tabIndex = 0
  else node.removeAttribute("tabindex")
  node.role = on && words ? "group" : null
  node.ariaLabel = on && words ? words : null
}

/** Return whether text can be typed into a node. */
export const takesText = node => node.isContentEditable || node.matches?.("input:not([type=range]), textarea")

/** Return the focused element, including shadow roots. */
export function focused() {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
  return node
}

/** Copy a text and return whether it succeeded. Without the clipboard API (page neither local nor over HTTPS) use a selection. */
export async function copyText(text) {
  try { await navigator.clipboard.writeText(text); return true } catch { /* use the selection */ }
  const box = document.createElement("textarea"), held = focused()
  box.value = text; document.body.append(box); box.select()
  const done = document.execCommand("copy")
  box.remove(); held?.focus()
  return done
}

/** Call `act(key)` with the `data-key` of a pressed button in a box. */
export function onPress(box, act) {
  box.addEventListener("click", event => {
    const key = event.target.closest("[data-key]")?.dataset.key
    if (key !== undefined) act(key)
  })
}

export function textPixels(n) { // n pixels, scaled up with the browser's text size
  return n * Math.max(1, parseFloat(getComputedStyle(document.documentElement).fontSize) / 16)
}

/** Bind the keys of a text box: Enter or leaving it calls `commit()`, Escape `back()`. */
export function bindEntry(box, {commit, back}) {
  box.addEventListener("change", commit)
  box.addEventListener("focus", () => box.select())
  box.addEventListener("keydown", event => {
    if (event.key === "Enter") { commit(); event.preventDefault() }
    if (event.key === "Escape") { back(); box.blur() }
  })
}

/** Return the CSS position of the middle of a slider's thumb, 13 pixels wide, at a fraction of its range. */
export const thumbAt = share => `calc(${(share * 100).toFixed(2)}% + ${((0.5 - share) * 13).toFixed(2)}px)`

export function fillRange(input) {
  const low = +input.min, high = +input.max
  input.style.setProperty("--fill", thumbAt(high > low ? (input.value - low) / (high - low) : 0))
}

export function showProgress(bar, part) { // fraction in [0, 1]; negative: indeterminate; null: idle
  const on = part !== null
  bar.style.visibility = on ? "visible" : "hidden"
  bar.classList.toggle("endless", on && part < 0)
  if (!on) return
  bar.firstElementChild.style.width = `${part < 0 ? 30 : part * 100}%`
  bar.ariaValueNow = part < 0 ? null : Math.round(part * 100)
}

export function segmented(node, choose) { // radio group: arrow keys move, Enter and Space choose
  const buttons = [...node.querySelectorAll("button:not(:disabled)")]
  const select = button => {
    for (const b of buttons) { b.setAttribute("aria-checked", b === button); b.tabIndex = b === button ? 0 : -1 }
  }
  buttons.forEach((button, i) => {
    button.addEventListener("click", () => { select(button); choose(button.dataset.value) })
    button.addEventListener("keydown", event => {
      const move = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key]
      if (move) { const next = buttons[(i + move + buttons.length) % buttons.length]; next.focus(); next.click(); event.preventDefault() }
    })
  })
  return value => select(buttons.find(b => b.dataset.value === String(value)) ?? buttons[0])
}

export function announcer(node, quiet = 5000) { // write changes to a live region for screen readers, at most every `quiet` ms
  let lastAt = -quiet, timer = 0
  return words => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      lastAt = performance.now()
      if (node.textContent !== words) node.textContent = words
    }, Math.max(0, lastAt + quiet - performance.now()))
  }
}

export function batched(show) { // combine simultaneous calls into one
  let due = false
  return () => { if (!due) { due = true; queueMicrotask(() => { due = false; show() }) } }
}

export function oncePerFrame(send) { // send the first message immediately, then the latest one per frame
  let waiting = null, requested = false
  const again = () => {
    requested = waiting !== null
    if (requested) { const message = waiting; waiting = null; send(message); requestAnimationFrame(again) }
  }
  return message => {
    if (requested) { waiting = message; return }
    requested = true
    send(message)
    requestAnimationFrame(again)
  }
}

export function toggleKnobs(node, button = null) { // make the page around a node open its knobs for a button, or close them
  node.dispatchEvent(new CustomEvent("lab-knobs", {bubbles: true, composed: true, detail: button}))
}

// Legend mark of a chart: kind is line, dash, dashdot, dots, spots, ring or diamond; token is its colour.
export function mark(kind, token) {
  const c = `var(--lab-${token})`
  const shape = {
    line: `<path d="M0 6h14" stroke="${c}" stroke-width="3"/>`,
    dash: `<path d="M0 6h14" stroke="${c}" stroke-width="2.4" stroke-dasharray="5 3.5"/>`,
    dashdot: `<path d="M0 6h14" stroke="${c}" stroke-width="2.4" stroke-dasharray="6 2.5 2 2.5"/>`,
    dots: `<path d="M0 6h14" stroke="${c}" stroke-width="2.4" stroke-dasharray="2 3"/>`,
    spots: `<circle cx="7" cy="6" r="4" fill="${c}"/>`,
    ring: `<circle cx="7" cy="6" r="4.4" fill="none" stroke="${c}" stroke-width="1.5"/>`,
    diamond: `<path d="M7 1l5 5-5 5-5-5z" fill="none" stroke="${c}" stroke-width="1.5"/>`,
  }[kind]
  return shape ? `<svg class="mark" width="14" height="12" viewBox="0 0 14 12" aria-hidden="true">${shape}</svg>` : ""
}

/** Return whether two values are deeply equal. */
export function same(a, b) {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every(name => Object.hasOwn(b, name) && same(a[name], b[name]))
}

// Document around the components: theme, and availability of the server.

export const THEME_KEY = "exit-time-lab-theme"

/** Return whether a page opens with the dark theme: from its link, else the last choice, else the system's setting. */
export function opensDark() {
  const inLink = new URLSearchParams(location.search).get("theme")
  let stored = null
  try { stored = localStorage.getItem(THEME_KEY) } catch { /* storage may be forbidden */ }
  return inLink ? inLink === "dark" : stored ? stored === "dark" : matchMedia("(prefers-color-scheme: dark)").matches
}

/** Apply the variables of a theme to the document. */
export function applyTheme(dark) { document.documentElement.dataset.theme = dark ? "dark" : "light" }

/** Return whether the server answers a request for a static file, which does not create a visit. */
export async function serverAnswers() {
  const part = document.querySelector('[src*="static/"], link[href*="static/"]'), file = part?.src ?? part?.href
  try { return (await fetch(file, {method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(8000)})).ok } catch { return false }
}
