const NARROW = matchMedia("(max-width:1199.98px)") // one column: the card lies over what it may point at
const PHONE = matchMedia("(max-width:719.98px)")
const BARS = ["[role=toolbar][aria-label=Transport]", ".foot.only-phone"] // fixed at the bottom of a phone's page
const LOOK_AGAIN = 300 // ms between two searches for a place that is not on the page

function deepFind(css, text, node = document) { // through every shadow root, as a person sees one page
  for (const n of node.querySelectorAll(css)) if (!text || wordsIn(n).includes(text)) return n
  for (const n of node.querySelectorAll("*")) {
    const found = n.shadowRoot && deepFind(css, text, n.shadowRoot)
    if (found) return found
  }
  return null
}
const wordsIn = node => node.textContent + [...node.querySelectorAll("*"), node].map(n => n.shadowRoot ? wordsIn(n.shadowRoot) : "").join(" ")
const within = (node, css) => { for (let n = node; n; n = above(n)) if (n.matches(css)) return true; return false }
const above = node => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null

const standing = node => node.isConnected && node.getBoundingClientRect().width > 0 && getComputedStyle(node).visibility !== "hidden"

function frameOf(node) { // what can be seen of it: its box, cut by whatever scrolls around it
  const style = getComputedStyle(node)
  if (style.visibility === "hidden" || style.display === "none") return null
  const box = node.getBoundingClientRect()
  let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom]
  for (let n = above(node); n && n !== document.body; n = above(n)) {
    if (getComputedStyle(n).overflow !== "visible") {
      const b = n.getBoundingClientRect()
      if (b.width && b.height) { left = Math.max(left, b.left - 8); right = Math.min(right, b.right + 8); top = Math.max(top, b.top); bottom = Math.min(bottom, b.bottom) }
    }
  }
  left = Math.max(left, 0); top = Math.max(top, 0); right = Math.min(right, innerWidth); bottom = Math.min(bottom, innerHeight)
  return right - left > 6 && bottom - top > 6 ? {left, top, right, bottom} : null
}

class Pointer { // one ring with its number, kept on its place
  constructor(place, number, layer) {
    this.spots = place.spots; this.ring = place.ring; this.pad = place.pad; this.number = number
    this.box = element(`<div class="ring" data-place="${number}" ${place.ring ? "" : "data-bare"}><span class="badge">${number}</span></div>`)
    layer.append(this.box)
    this.node = null; this.spot = null; this.inDrawer = false; this.looked = -LOOK_AGAIN; this.last = ""
  }
  find(now) {
    if (now - this.looked < LOOK_AGAIN || (this.spot === this.spots[0] && standing(this.node))) return
    this.looked = now
    for (const spot of this.spots) {
      const node = deepFind(spot.css, spot.text)
      if (node && standing(node)) {
        if (node !== this.node) this.inDrawer = within(node, "[data-slot=sidebar]")
        this.node = node; this.spot = spot
        return
      }
    }
    if (!this.node?.isConnected) this.node = this.spot = null
  }
  follow(now, cover, drawer) {
    this.find(now)
    const frame = this.node && drawer === this.inDrawer && frameOf(this.node)
    let state = "gone"
    if (frame) {
      const pad = this.ring ? this.pad : 0
      let {left, top, right, bottom} = frame
      left = Math.max(3, left - pad); top = Math.max(3, top - Math.max(pad - 2, 0)); right = Math.min(innerWidth - 3, right + pad); bottom = Math.min(innerHeight - 3, bottom + Math.max(pad - 2, 0))
      const middle = (left + right) / 2
      if (cover && middle > cover.left && middle < cover.right) bottom = Math.min(bottom, cover.top - 4) // the card lies over it
      if (bottom - top > 10) state = [left, top, right - left, bottom - top].map(v => Math.round(v)).join(" ")
    }
    if (state === this.last) return
    this.last = state
    this.box.classList.toggle("shown", state !== "gone")
    if (state === "gone") return
    const [left, top, width, height] = state.split(" ").map(Number)
    Object.assign(this.box.style, {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`})
    this.box.classList.toggle("by-right", left < 60 && !PHONE.matches)
  }
  reveal() {
    if (this.spot?.opens) { // the place itself comes into view: go on to it
      this.node.click()
      setTimeout(() => { this.find(performance.now() + LOOK_AGAIN); this.node?.scrollIntoView({block: "center", behavior: "smooth"}) }, 400)
    } else this.node?.scrollIntoView({block: PHONE.matches ? "center" : NARROW.matches ? "start" : "nearest", behavior: "smooth"})
    this.box.classList.remove("beat"); void this.box.offsetWidth; this.box.classList.add("beat")
  }
  remove() { this.box.remove() }
}

const marked = text => escapeHtml(text).replace(/&lt;(\/?)(sub|sup|b|i)&gt;/g, "<$1$2>")
const withBadges = (text, places) => marked(text).replace(/\[(\d)\]/g, (_, n) =>
  `<button class="badge" data-n="${n}" aria-label="Show ${escapeHtml(places[n - 1]?.words ?? "")}" title="${escapeHtml(places[n - 1]?.words ?? "")}">${n}</button>`)

export function render({model}) {
  const root = element(`<div class="root"><div class="layer" aria-hidden="true"></div><div class="holder"></div></div>`)
  const layer = root.querySelector(".layer"), holder = root.querySelector(".holder")
  let card = null, pointers = [], mode = "read", over = null, bar = null, lookedOver = 0, running = 0, folded = false
  const go = where => {
    model.send_msg({type: "go", where})
    if (where === "close" || (where === "next" && model.lesson.number === model.lesson.total)) shut() // at once: her page may take a moment to build
  }
  const shut = () => {
    card?.remove(); card = null
    pointAt([])
    cancelAnimationFrame(running); running = 0
    deepFind("button.lessons", "")?.focus()
  }

  const pointAt = places => {
    for (const p of pointers) p.remove()
    pointers = places.map((place, k) => new Pointer(place, k + 1, layer))
    if (!NARROW.matches) setTimeout(() => pointers.forEach(p => { p.find(performance.now() + LOOK_AGAIN); if (p.ring && p.node && !p.spot.opens && hidden(p.node)) p.node.scrollIntoView({block: "nearest"}) }), 250)
  }
  const hidden = node => { const f = frameOf(node), b = node.getBoundingClientRect(); return !f || f.bottom - f.top < b.height - 8 }

  const frame = () => {
    running = requestAnimationFrame(frame)
    if (!card) return
    const now = performance.now()
    if (!PHONE.matches && (!over?.isConnected || now - lookedOver > 1000)) {
      lookedOver = now
      over = model.lesson.over?.map(spot => deepFind(spot.css, spot.text)).find(node => node) ?? null
    }
    if (PHONE.matches && (!bar?.isConnected || now - lookedOver > 1000)) { lookedOver = now; bar = BARS.map(css => deepFind(css, "")).find(node => node) ?? null }
    place(over && !PHONE.matches ? over.getBoundingClientRect() : null, bar && getComputedStyle(bar).position === "fixed" ? bar.offsetHeight : 0)
    const drawer = PHONE.matches && drawerOpen(now)
    root.classList.toggle("over-drawer", drawer)
    const cover = drawer ? null : card.getBoundingClientRect()
    for (const p of pointers) p.follow(now, cover, drawer || (!PHONE.matches && p.inDrawer))
  }
  let drawn = false, lookedDrawn = 0
  const drawerOpen = now => {
    if (now - lookedDrawn > LOOK_AGAIN / 2) { lookedDrawn = now; drawn = !!deepFind(".knobs-open", "") }
    return drawn
  }
  let placed = ""
  const place = (box, under) => {
    const state = box ? `${Math.round(box.left)} ${Math.round(box.width)}` : `phone ${under}`
    if (state === placed) return
    placed = state
    if (box) Object.assign(card.style, {left: `${Math.max(8, box.left)}px`, width: `${Math.min(box.width, 660)}px`, bottom: "14px"})
    else Object.assign(card.style, {left: "", width: "", bottom: PHONE.matches ? `${under}px` : "14px"})
  }

  const answer = () => {
    const {options} = model.lesson
    const said = card.querySelector(".why"), chosen = model.chosen
    card.querySelectorAll(".chip").forEach((chip, k) => {
      chip.setAttribute("aria-pressed", k === chosen)
      chip.classList.toggle("right", k === chosen && options[k][1]); chip.classList.toggle("wrong", k === chosen && !options[k][1])
    })
    const option = options[chosen]
    put(said, option ? `${icon(option[1] ? "check" : "close")}<span><b>${option[1] ? "Right." : "Not so."}</b> ${marked(option[2])}</span>` : "")
    said.className = option ? `why ${option[1] ? "good" : "bad"}` : "why"
  }
  const tell = () => {
    const now = card.querySelector(".now")
    put(now, model.measured.length ? `<i>measured now</i>${model.measured.map(([label, text]) => `<span>${escapeHtml(label)} <b>${escapeHtml(text)}</b></span>`).join("")}` : "")
  }

  const body = lesson => mode === "read"
    ? `<div class="text">${lesson.paragraphs.map(p => `<p>${withBadges(p, lesson.places)}</p>`).join("")}</div>
      <div class="now"></div>
      <div class="question"><b id="lesson-ask">${marked(lesson.ask)}</b><div class="chips" role="group" aria-labelledby="lesson-ask">${lesson.options.map(([text], k) => `<button class="chip" data-k="${k}" aria-pressed="false">${marked(text)}</button>`).join("")}</div><div class="why" role="status" aria-live="polite"></div></div>`
    : `<div class="text">${lesson.tryWords ? `<p>${marked(lesson.tryWords)}</p>` : ""}</div><div class="now"></div>
      <ol class="hints">${lesson.hints.map((hint, k) => `<li>${badgesOf(lesson, k)}<div><b>${marked(hint.do)}</b> ${marked(hint.expect)}</div>${hint.button ? `<button class="btn do" data-k="${k}">${hint.restart ? "Start it so" : "Set it so"}</button>` : ""}</li>`).join("")}</ol>`
  const badgesOf = (lesson, k) => {
    const before = lesson.hints.slice(0, k).reduce((sum, hint) => sum + hint.places.length, 0)
    return `<span class="badges">${lesson.hints[k].places.map((place, i) => `<button class="badge" data-n="${before + i + 1}" aria-label="Show ${escapeHtml(place.words)}" title="${escapeHtml(place.words)}">${before + i + 1}</button>`).join("")}</span>`
  }

  const fold = on => {
    folded = on
    card.classList.toggle("folded", on)
    const button = card.querySelector(".fold")
    button.setAttribute("aria-expanded", !on)
    button.setAttribute("aria-label", on ? "Show the lesson" : "Fold the lesson to one line")
  }

  const show = focus => {
    const lesson = model.lesson
    card?.remove(); card = null; placed = ""; over = bar = null
    if (!lesson.title) return
    const last = lesson.number === lesson.total
    card = element(`<section class="lesson" role="dialog" aria-modal="false" aria-labelledby="lesson-title" aria-keyshortcuts="Escape ArrowLeft ArrowRight">
      <header><span class="dashes" aria-hidden="true">${Array.from({length: lesson.total}, (_, k) => `<i class="${k < lesson.number ? "done" : ""}"></i>`).join("")}</span>
        <button class="fold only-phone"><span class="line">Lesson ${lesson.number} of ${lesson.total}<b class="short">${escapeHtml(lesson.title)}</b></span>${icon("down")}</button>
        <span class="count only-wide">Lesson ${lesson.number} of ${lesson.total}</span><button class="round close" aria-label="Close the story" title="Close the story (Esc)">${icon("close")}</button></header>
      <div class="scroll"><h2 id="lesson-title" tabindex="-1">${mode === "read" ? "" : "<small>Try it</small> "}${marked(lesson.title)}</h2>${body(lesson)}</div>
      <footer>${mode === "read"
        ? `<button class="btn plain back" ${lesson.number === 1 ? "disabled" : ""}>${icon("back")}Back</button><span class="gap"></span><button class="btn try">Let me try it</button>`
        : `<button class="btn plain read">${icon("back")}To the lesson</button><span class="gap"></span><button class="btn again">${icon("restart")}Start it again</button>`}
        <button class="btn fill next">${last ? "Finish" : "Next"}<span class="turned">${icon("back")}</span></button></footer></section>`)
    holder.append(card)
    const on = (selector, deed) => card.querySelectorAll(selector).forEach(node => node.addEventListener("click", () => deed(node)))
    on(".close", () => go("close")); on(".next", () => go("next")); on(".back", () => go("back")); on(".again", () => go("again"))
    on(".try", () => { mode = "try"; show(true) }); on(".read", () => { mode = "read"; show(true) })
    on(".chip", chip => model.send_msg({type: "choose", option: +chip.dataset.k}))
    on(".do", button => model.send_msg({type: "do", hint: +button.dataset.k}))
    on(".badge", badge => { if (PHONE.matches) fold(true); pointers[badge.dataset.n - 1]?.reveal() })
    on(".fold", () => fold(!folded))
    pointAt(mode === "read" ? lesson.places : lesson.hints.flatMap(hint => hint.places))
    fold(false)
    if (mode === "read") answer()
    tell()
    if (focus) card.querySelector("h2").focus({preventScroll: true})
    if (!running) running = requestAnimationFrame(frame)
  }

  const keys = event => {
    if (!root.isConnected) { removeEventListener("keydown", keys); return }
    if (!card || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    const target = event.composedPath()[0]
    if (event.key === "Escape") {
      const elsewhere = target.matches?.("input:not([type=range]), textarea, select, [role=dialog]:not(.lesson) *, [role=listbox] *, [role=option]")
      if (!elsewhere && !deepFind(".knobs-open") && !deepFind(".MuiDialog-root")) { event.preventDefault(); go("close") }
      return
    }
    if (!event.composedPath().includes(card)) return
    const chip = target.closest?.(".chip")
    const move = {ArrowRight: 1, ArrowLeft: -1}[event.key]
    if (!move) return
    event.preventDefault()
    if (chip) { // among the answers arrows move, Enter and Space choose
      const chips = [...card.querySelectorAll(".chip")]
      chips[(chips.indexOf(chip) + move + chips.length) % chips.length].focus()
    } else if (move > 0) { if (model.lesson.number < model.lesson.total) go("next") } else if (model.lesson.number > 1) go("back")
  }
  addEventListener("keydown", keys)

  model.on("lesson", () => {
    mode = "read"
    if (model.lesson.title) show(true)
    else if (card) shut()
  })
  model.on("chosen", () => { if (card && mode === "read") answer() })
  model.on("measured", () => { if (card) tell() })
  const phone = () => { placed = "" }
  PHONE.addEventListener("change", phone)
  model.on("remove", () => { removeEventListener("keydown", keys); PHONE.removeEventListener("change", phone); cancelAnimationFrame(running); running = 0 })
  show(!!model.lesson.title)
  return root
}
