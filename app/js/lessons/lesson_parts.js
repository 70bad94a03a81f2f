// Parts of the lesson's card: text, list of lessons, poll of a class, and progress stored in this browser.
import {element, escapeHtml, icon} from "../common/dom.js"

// HTML of the card; the texts are escaped by the server.
export const badge = (n, place) => `<button class="badge" data-n="${n}" aria-label="${n}: show ${escapeHtml(place?.words ?? "")}" title="${escapeHtml(place?.words ?? "")}">${n}</button>`
const withBadges = (text, places) => text.replace(/\[(\d)\]/g, (_, n) => badge(+n, places[n - 1]))

export function readHtml(lesson, step) {
  const {heading, paragraphs, places} = lesson.steps[step], last = step === lesson.steps.length - 1
  const asks = `<div class="question"><p class="wait" role="status"></p><b id="lesson-ask">${lesson.ask}</b><div class="chips" role="group" aria-labelledby="lesson-ask">${lesson.options.map(([text], k) => `<button class="chip" data-k="${k}" aria-pressed="false">${text}</button>`).join("")}</div><div class="why" role="status" aria-live="polite"></div></div>`
  return `${heading ? `<h3>${heading}</h3>` : ""}<div class="text">${paragraphs.map(p => `<p>${withBadges(p, places)}</p>`).join("")}</div>${last ? asks : ""}`
}

export function tryHtml(lesson) {
  let n = 0
  const hint = ({do: does, expect, button, sets, restart, places}, k) => `<li><span class="badges">${places.map(place => badge(++n, place)).join("")}</span>
    <div><b>${does}</b> ${expect}${sets ? ` <small>${sets}</small>` : ""}</div>${button ? `<button class="btn do" data-k="${k}">${restart ? "Apply and restart" : "Apply"}</button>` : ""}</li>`
  return `<div class="text">${lesson.tryWords ? `<p>${lesson.tryWords}</p>` : ""}</div><ol class="hints">${lesson.hints.map(hint).join("")}</ol>`
}

export function sentenceAt(lesson, step, mode, n) { // sentence about one place
  if (mode === "try") {
    let seen = 0
    return lesson.hints.filter(hint => { const first = seen; seen += hint.places.length; return n > first && n <= seen }).map(hint => `<b>${hint.do}</b> ${hint.expect}`)[0] ?? ""
  }
  for (const paragraph of lesson.steps[step].paragraphs) {
    const from = paragraph.indexOf(`[${n}]`)
    if (from < 0) continue
    const rest = paragraph.slice(from + 3), to = rest.search(/\[\d\]/)
    const sentence = to < 0 ? rest : rest.slice(0, to)
    return sentence.trim().length > 12 ? sentence : paragraph.replace(/\[\d\]/g, "")
  }
  return ""
}

// Progress stored in this browser: lessons opened, lessons answered, and the score of the cases.
const PROGRESS = "exit-time-lab-lessons", SCORE = "exit-time-lab-cases"
const stored = key => { try { return JSON.parse(localStorage.getItem(key)) ?? {} } catch { return {} } }
const store = (key, value) => { try { localStorage.setItem(key, JSON.stringify(value)) } catch { /* storage may be forbidden */ } }

export function remember(key, state) { // "seen" does not replace "done"
  const progress = stored(PROGRESS)
  if (progress[key] !== "done") store(PROGRESS, {...progress, [key]: state})
}
export const score = () => ({right: 0, of: 0, ...stored(SCORE)})
export function count(right) { // the first answer to a case
  const before = score()
  store(SCORE, {right: before.right + right, of: before.of + 1})
}

// List of all lessons: number, title, minutes and progress.
const STATE = {done: ["check", "answered"], seen: ["info", "opened"]}

export function contentsList(lessons, opening, current, {open, close}) {
  const progress = stored(PROGRESS), unanswered = lessons.filter(([key]) => progress[key] !== "done")
  const done = lessons.length - unanswered.length, minutes = unanswered.reduce((sum, lesson) => sum + lesson[2], 0)
  const line = ([key, title, time, page], k) => {
    const [mark, words] = STATE[progress[key]] ?? ["", "new"]
    return `<li><button class="line ${progress[key] ?? ""}" data-key="${escapeHtml(key)}" ${key === current ? 'aria-current="true"' : ""} ${key === unanswered[0]?.[0] ? "data-next" : ""}>
      <i>${k}</i><span><b>${title}</b><small>${escapeHtml(page)} · ${time} min · ${words}</small></span>${mark ? icon(mark) : ""}</button></li>`
  }
  const panel = element(`<section class="contents" role="dialog" aria-modal="false" aria-labelledby="contents-title">
    <header role="none"><h2 id="contents-title" tabindex="-1">Lessons</h2><button class="round close" aria-label="Close the contents" title="Close (Esc)">${icon("close")}</button></header>
    <p>${done} of ${lessons.length} answered${minutes ? `, about ${minutes} minutes to go` : ""}. They cover the proof and the page in order; each can be read separately.</p>
    <div class="bar" aria-hidden="true"><i style="width:${100 * done / lessons.length}%"></i></div>
    ${opening.length ? `<button class="line opening" data-key="${escapeHtml(opening[0])}"><i>${icon("play")}</i><span><b>${opening[1]}</b><small>new here? it plays automatically</small></span></button>` : ""}
    <ol>${lessons.map(line).join("")}</ol></section>`)
  panel.querySelector(".close").addEventListener("click", close)
  panel.querySelectorAll(".line").forEach(button => button.addEventListener("click", () => open(button.dataset.key)))
  panel.addEventListener("keydown", event => {
    const lines = [...panel.querySelectorAll(".line")], at = lines.indexOf(event.composedPath()[0])
    const move = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (move) { event.preventDefault(); lines[Math.min(Math.max(at + move, 0), lines.length - 1)].focus() }
    if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); close() }
  })
  return panel
}

// Poll of a class: counts of the answers, for the teacher and, once the answer is shown, for all.
export const optionsOf = model => model.poll.options ?? model.lesson.options // students receive the right answer when the teacher shows it

export function showPoll(card, model) {
  const question = card.querySelector(".question"), {leads, mine, counts, of, revealed} = model.poll
  const held = question?.querySelector(".poll :focus")
  question?.querySelector(".poll")?.remove()
  card.querySelector(":scope > footer").hidden = leads === false // the teacher turns the pages
  if (!question || leads === undefined) return
  if (!leads && !revealed) card.querySelectorAll(".chip").forEach((chip, k) => chip.setAttribute("aria-pressed", k === mine))
  const answered = counts.reduce((sum, n) => sum + n, 0), most = Math.max(1, answered)
  const row = ([text, right], k) => `<li class="${revealed && right ? "right" : ""}"><span class="text">${text}${revealed && right ? icon("check") : ""}</span>
    <i class="track"><i style="width:${100 * counts[k] / most}%"></i></i><b>${counts[k]}</b></li>`
  const rows = leads || revealed ? `<ol aria-label="Answers of the class">${optionsOf(model).map(row).join("")}</ol>` : ""
  const words = leads ? `${answered} of ${of} ${of === 1 ? "student has" : "students have"} answered${revealed ? "; they see which is right" : ""}.`
    : revealed ? "" : mine >= 0 ? "Your answer is in. You can change it until your teacher shows which is right." : "Choose an answer; answers are anonymous."
  const poll = element(`<div class="poll">${rows}<div class="line-under"><span role="status">${words}</span>${leads && !revealed ? `<button class="btn reveal">Show which is right</button>` : ""}</div></div>`)
  question.append(poll)
  poll.querySelector(".reveal")?.addEventListener("click", () => model.send_msg({type: "reveal"}))
  if (held) (poll.querySelector(".reveal") ?? card.querySelector("h2")).focus({preventScroll: true}) // the focus survives each answer
}
