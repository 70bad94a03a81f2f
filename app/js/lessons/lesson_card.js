import {badge, contentsList, count, optionsOf, readHtml, remember, score, sentenceAt, showPoll, tryHtml} from "./lesson_parts.js"
import {LOOK_AGAIN, PlaceRing} from "./place_ring.js"
import {Cover, barHeight, bring, covered, lowered, releaseRoom, reserveRoom} from "./card_placement.js"
import {deepFind, element, escapeHtml, icon, lifetime, put, setEnabled, takesText, toggleKnobs} from "../common/dom.js"
import {NARROW, PHONE, STILL} from "../common/media.js"
import {LESSON_CSS} from "./lesson_style.js"

export const LessonCard = {css: LESSON_CSS, render({model}) {
  const root = element(`<div class="root"><div class="layer" aria-hidden="true"></div><div class="holder"></div><div class="listing"></div></div>`)
  const layer = root.querySelector(".layer"), holder = root.querySelector(".holder"), listing = root.querySelector(".listing")
  let card = null, pointers = [], covers = [], counted = false, mode = "read", step = 0, at = 0, over = null, lookedOver = 0, running = 0, bar = 0
  const lesson = () => model.lesson, isLast = () => lesson().number === lesson().last
  const lastStep = () => step === lesson().steps.length - 1
  const places = () => mode === "read" ? lesson().steps[step].places : lesson().hints.flatMap(hint => hint.places)
  const isLed = () => model.poll.leads === false // in a class the teacher turns the pages
  const turnTo = label => { if (!isLed()) dispatchEvent(new CustomEvent("lab-turn", {detail: {label, anew: !lesson().title}})) } // read by the header
  const go = where => {
    const to = lesson().number + {next: 1, back: -1}[where]
    turnTo(model.contents[to]?.[3])
    model.send_msg({type: "go", where})
    if (where === "close" || (where === "next" && isLast())) shut() // immediately: the user's page may take a moment to build
  }
  const shut = () => {
    card?.remove(); card = null
    clearTimeout(due)
    pointAt([])
    releaseRoom()
    cancelAnimationFrame(running); running = 0
    deepFind("button.lessons")?.focus()
  }

  // the contents ------------------------------------------------------------------------------------------------
  const closeContents = () => { listing.replaceChildren(); (card?.querySelector("h2") ?? deepFind("button.lessons"))?.focus({preventScroll: true}) }
  const openContents = () => {
    const open = key => { closeContents(); if (key === lesson().key) show(true); else { turnTo((model.contents.find(line => line[0] === key) ?? model.opening)[3]); model.send_msg({type: "open", key}) } }
    listing.replaceChildren(contentsList(model.contents, model.opening, lesson().key, {open, close: closeContents}))
    const line = listing.querySelector("[aria-current]") ?? listing.querySelector("[data-next]") ?? listing.querySelector(".line")
    line?.focus()
  }

  // rings and room ----------------------------------------------------------------------------------------------
  const pointAt = places => {
    for (const p of [...pointers, ...covers]) p.remove()
    covers = (card && lesson().covers || []).map(css => new Cover(css, layer))
    pointers = places.map((place, k) => new PlaceRing(place, k + 1, layer))
    at = 0
  }
  const arrive = () => { // after the page's layout: bring the places into view, all if possible, else the first
    if (!card) return
    clear()
    const shown = pointers.map(p => { p.search(performance.now() + LOOK_AGAIN); return p }).filter(p => p.node && !p.spot.opens && !(PHONE.matches && p.inDrawer))
    for (const p of NARROW.matches ? shown.slice(0, 1) : shown.reverse()) if (covered(p.node, card)) bring(p.node, card)
    if (PHONE.matches && !shown.length) openFirst()
  }
  const clear = () => reserveRoom(card, sideOf(), lesson().page === "live")
  const sideOf = () => mode === "try" ? lesson().trySide : lesson().steps[step].side
  const frame = () => {
    running = requestAnimationFrame(frame)
    if (!card) return
    const now = performance.now()
    if (!over?.isConnected || now - lookedOver > 1000) {
      lookedOver = now; bar = barHeight()
      over = (mode === "try" ? lesson().tryOver : lesson().steps[step].over).map(spot => deepFind(spot.css, spot.text)).find(node => node) ?? null
      clear()
    }
    place(over && !PHONE.matches ? over.getBoundingClientRect() : null, bar)
    const drawer = PHONE.matches && drawerOpen(now)
    root.classList.toggle("over-drawer", drawer)
    const cover = drawer ? null : card.getBoundingClientRect()
    for (const c of covers) c.follow(now, model.chosen < 0)
    for (const p of pointers) p.follow(now, cover, drawer || (!PHONE.matches && p.inDrawer))
  }
  let drawn = false, lookedDrawn = 0
  const drawerOpen = now => {
    if (now - lookedDrawn > LOOK_AGAIN / 2) { lookedDrawn = now; drawn = !!deepFind(".knobs-open") }
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

  // showing one place -------------------------------------------------------------------------------------------
  const reveal = n => {
    const p = pointers[n - 1]
    if (!p) return
    at = n
    card.querySelectorAll(".badge").forEach(node => node.toggleAttribute("aria-current", +node.dataset.n === n))
    if (NARROW.matches) point(n)
    let tries = 0
    const seek = () => { // search until the place is displayed: a drawer slides in, a chart is laid out
      if (!card || at !== n || !pointers.includes(p)) return
      p.search(performance.now() + LOOK_AGAIN)
      if (!p.node) { if (++tries < 40) setTimeout(seek, 50); return }
      if (p.spot.opens && tries++ < 40) { if (tries === 1 || tries % 12 === 0) p.node.click(); setTimeout(seek, 50); return }
      if (PHONE.matches && !p.inDrawer && deepFind(".knobs-open")) toggleKnobs(p.node)
      const cover = PHONE.matches && p.inDrawer ? null : card
      if (cover && covered(p.node, cover) && !card.classList.contains("point")) {
        bring(p.node, cover)
        if (covered(p.node, cover)) point(n) // no room for both: the card shows only this sentence
      }
      clear()
      const again = () => {
        if (!card || at !== n || !pointers.includes(p) || !p.node || !covered(p.node, cover)) return
        bring(p.node, cover)
        if (cover && card.classList.contains("point") && lowered(card, p.node)) bring(p.node, cover)
      }
      for (const wait of [0, 30, 150, 400, 900]) setTimeout(again, wait) // the page adapts its layout to the remaining room
      p.beat()
    }
    seek()
  }
  const point = n => { // shrink the card to the sentence about one place
    card.classList.add("point"); card.classList.remove("folded")
    showFold()
    card.querySelector(".said").style.maxHeight = ""
    put(card.querySelector(".said"), `<span>${badge(n, places()[n - 1])}</span><div>${sentenceAt(lesson(), step, mode, n)}</div>`)
    setEnabled(card.querySelector(".before"), n > 1)
    setEnabled(card.querySelector(".after"), n < places().length)
  }
  const unfold = () => { card.classList.remove("point", "folded"); showFold(); requestAnimationFrame(arrive) }
  const showFold = () => {
    const on = card.classList.contains("folded") || card.classList.contains("point"), button = card.querySelector(".fold")
    button.setAttribute("aria-expanded", !on)
    const line = [...button.querySelector(".line").childNodes].map(node => node.textContent.trim()).filter(Boolean).join(" ")
    button.setAttribute("aria-label", `${line}: ${on ? "Show the lesson" : "Fold the lesson to one line"}`)
  }

  const showQuestion = () => { // hidden, but in its place, until the run can answer it
    const box = card.querySelector(".question"), waits = model.chosen < 0 ? model.waiting : ""
    if (!box) return
    box.classList.toggle("waits", !!waits)
    put(box.querySelector(".wait"), waits && escapeHtml(waits))
  }
  const showAnswer = () => {
    const why = card.querySelector(".why"), {key} = lesson(), options = optionsOf(model)
    const chosen = options.some(([, right]) => right) ? model.chosen : -1 // in a class no option is right before it is revealed
    if (!why) return
    card.querySelectorAll(".chip").forEach((chip, k) => {
      chip.setAttribute("aria-pressed", k === chosen)
      chip.classList.toggle("right", k === chosen && options[k][1]); chip.classList.toggle("wrong", k === chosen && !options[k][1])
    })
    const option = options[chosen]
    if (option?.[1]) remember(key, "done")
    if (option && lesson().cases && !counted) { counted = true; count(+option[1]) }
    showScore()
    put(why, option ? `${icon(option[1] ? "check" : "close")}<span><b>${option[1] ? "Right." : "Not quite."}</b> ${option[2]}</span>` : "")
    why.className = option ? `why ${option[1] ? "good" : "bad"}` : "why"
    if (option) why.scrollIntoView({block: "nearest"})
  }
  const showScore = () => {
    const {right, of} = score()
    put(card.querySelector(".score"), of ? `${right} of ${of} right` : "")
  }
  const showMeasured = () => {
    const rows = model.measured.map(([label, text]) => `<span>${escapeHtml(label)} <b>${escapeHtml(text)}</b></span>`).join("")
    put(card.querySelector(".now"), model.arriving ? `<em>${escapeHtml(model.arriving)}</em>` : rows && !seconds() ? `<i>measured now</i>${rows}` : "")
  }

  const take = (to, focus = true) => { step = to; mode = "read"; show(focus); model.send_msg({type: "step", step: to}) }
  const next = () => mode === "read" && !lastStep() ? take(step + 1) : go("next")
  const back = () => step > 0 ? take(step - 1) : go("back")

  const named = (number, last) => number < 0 ? "Opening" : `Lesson ${number} of ${last}`
  const head = ({number, last, plain, steps, cases}) => `<header role="none">${steps.length > 1 ? `<span class="dashes" aria-hidden="true">${steps.map((_, k) => `<i class="${k <= step ? "done" : ""}"></i>`).join("")}</span>` : ""}
    <button class="fold"><span class="line">${named(number, last)}<b class="short">${escapeHtml(plain)}</b></span>${icon("down")}</button>
    <span class="count">${named(number, last)}</span>${steps.length > 1 && mode === "read" ? `<span class="part">step ${step + 1} of ${steps.length}</span>` : ""}${cases ? `<span class="part score" role="status"></span>` : ""}<span class="gap"></span>
    ${seconds() ? `<button class="round auto"></button>` : ""}<button class="round list" aria-label="Contents: all lessons" title="All lessons">${icon("menu")}</button><button class="round close" aria-label="Close the story" title="Close the story (Esc)">${icon("close")}</button></header>`
  const foot = ({number, cases}) => `<footer>${mode === "read"
    ? `<button class="btn plain back" ${number <= 0 && step === 0 ? "disabled" : ""}>${icon("back")}Back</button><span class="gap"></span>${cases ? `<button class="btn again">Another case</button>` : ""}${lastStep() ? `<button class="btn try">Let me try it</button>` : ""}`
    : `<button class="btn plain read">${icon("back")}To the lesson</button><span class="gap"></span><button class="btn again">${icon("restart")}Start again</button>`}
    <button class="btn fill next">${isLast() && (lastStep() || mode === "try") ? "Finish" : "Next"}<span class="turned">${icon("back")}</span></button></footer>`
  const show = focus => {
    const held = card?.getRootNode().activeElement, kept = card?.contains(held) ? "." + [...held.classList].join(".") : "" // selector of the focused button
    card?.remove(); card = null; placed = ""; over = null
    const open = lesson()
    if (!open.title) return
    remember(open.key, "seen")
    card = element(`<section class="lesson ${mode} ${sideOf()}" role="dialog" aria-modal="false" aria-labelledby="lesson-title" aria-keyshortcuts="Escape ArrowLeft ArrowRight">${head(open)}
      <div class="scroll"><h2 id="lesson-title" tabindex="-1">${mode === "read" ? "" : "<small>Try it</small> "}${open.title}</h2>${mode === "read" ? readHtml(open, step) : tryHtml(open)}</div><div class="now"></div>${foot(open)}
      <div class="pointing"><div class="said" role="status"></div><nav><button class="round before" aria-label="Previous place">${icon("back")}</button><button class="round after" aria-label="Next place"><span class="turned">${icon("back")}</span></button><button class="btn plain whole">Whole text</button></nav></div></section>`)
    if (PHONE.matches) card.querySelector(".text").after(card.querySelector(".now")) // the sheet is low: the measurements scroll with the text
    holder.append(card)
    const on = (selector, act) => card.querySelectorAll(selector).forEach(node => node.addEventListener("click", () => act(node)))
    on(".close", () => go("close")); on(".next", next); on(".back", back); on(".again", () => go("again")); on(".list", openContents)
    on(".try", () => { mode = "try"; show(true) }); on(".read", () => { mode = "read"; show(true) })
    on(".chip", chip => model.send_msg({type: "choose", option: +chip.dataset.k}))
    on(".do", button => model.send_msg({type: "do", hint: +button.dataset.k}))
    on(".scroll .badge", node => reveal(+node.dataset.n))
    on(".whole", unfold); on(".before", () => reveal(at - 1)); on(".after", () => reveal(at + 1))
    on(".auto", () => { auto = !auto; goOn() })
    on(".fold", () => { if (card.classList.contains("point") || card.classList.contains("folded")) unfold(); else { card.classList.add("folded"); showFold() } })
    pointAt(places())
    showFold()
    if (mode === "read") { showQuestion(); showAnswer() }
    showPoll(card, model)
    showMeasured()
    goOn()
    if (focus || kept) ((!focus && kept !== "." && card.querySelector(kept)) || card.querySelector("h2")).focus({preventScroll: true})
    if (!running) running = requestAnimationFrame(frame)
    for (const wait of [60, 400, 900]) setTimeout(arrive, wait) // the page is built in parts
  }

  let opened = null // card for which a chart was opened
  const openFirst = () => { // on a phone, open the chart behind a chip if no other place is visible
    if (!card || opened === card) return
    for (const p of pointers) p.search(performance.now() + LOOK_AGAIN)
    const p = pointers.find(p => p.node && p.spot.opens && !p.node.matches(".knobs"))
    if (p) { opened = card; p.node.click(); setTimeout(arrive, 300) }
  }

  // automatic steps -----------------------------------------------------------------------------------------------
  const seconds = () => mode === "read" ? lesson().steps[step].seconds : 0
  let auto = !STILL.matches, due = 0
  const goOn = () => { // start the timer of the current step, if it plays
    clearTimeout(due)
    const button = card?.querySelector(".auto"), on = auto && seconds() > 0 && !lastStep() && !model.arriving
    card?.classList.toggle("plays", on)
    card?.style.setProperty("--seconds", `${seconds()}s`)
    if (button) {
      button.hidden = lastStep()
      put(button, icon(auto ? "pause" : "play"))
      button.setAttribute("aria-label", auto ? "Pause the opening" : "Play the opening"); button.title = button.getAttribute("aria-label")
    }
    if (seconds() && PHONE.matches) setTimeout(openFirst, 300)
    if (on) due = setTimeout(() => { if (card && !document.hidden) take(step + 1, false); else goOn() }, 1000 * seconds())
  }

  const keys = event => {
    if (!root.isConnected || !card || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    const target = event.composedPath()[0]
    if (event.key === "Escape") {
      const elsewhere = takesText(target) || target.matches?.("select, [role=dialog]:not(.lesson) *")
      if (!elsewhere && !deepFind(".knobs-open")) { event.preventDefault(); go("close") }
      return
    }
    if (!event.composedPath().includes(card)) return
    const chip = target.closest?.(".chip")
    const move = {ArrowRight: 1, ArrowLeft: -1}[event.key]
    if (!move || (isLed() && !chip)) return
    event.preventDefault()
    if (chip) { // arrow keys move between answers, Enter and Space choose
      const chips = [...card.querySelectorAll(".chip")]
      chips[(chips.indexOf(chip) + move + chips.length) % chips.length].focus()
    } else if (move > 0) { if (!isLast() || !lastStep()) next() } else if (lesson().number > 0 || step > 0) back()
  }
  const signal = lifetime(model)
  addEventListener("keydown", keys, {signal})

  model.on("lesson", () => {
    mode = "read"; step = lesson().step ?? 0; counted = lesson().answered
    listing.replaceChildren()
    if (lesson().title) show(true)
    else if (card) shut()
  })
  model.on(["chosen", "waiting"], () => { if (card && mode === "read") { showQuestion(); showAnswer() } })
  model.on("poll", () => { if (card) { if (mode === "read") showAnswer(); showPoll(card, model) } })
  model.on(["measured", "arriving"], () => { if (card) showMeasured() })
  model.on("arriving", () => { if (card && seconds()) goOn() })
  model.on("msg:custom", message => { if (message.contents) openContents() })
  const relaid = () => { placed = ""; if (card) { card.classList.remove("point"); setTimeout(arrive, 150) } }
  for (const width of [PHONE, NARROW]) width.addEventListener("change", relaid, {signal})
  model.on("remove", () => { cancelAnimationFrame(running); running = 0; releaseRoom(); clearTimeout(due) })
  step = lesson().step ?? 0
  show(!!lesson().title)
  return root
}}
