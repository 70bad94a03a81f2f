// What stands on the card, as HTML: the server has made the texts safe.
const badge = (n, place) => `<button class="badge" data-n="${n}" aria-label="${n}: show ${escapeHtml(place?.words ?? "")}" title="${escapeHtml(place?.words ?? "")}">${n}</button>`
const withBadges = (text, places) => text.replace(/\[(\d)\]/g, (_, n) => badge(+n, places[n - 1]))

function readHtml(lesson, step) {
  const {heading, paragraphs, places} = lesson.steps[step], last = step === lesson.steps.length - 1
  const asks = `<div class="question"><p class="wait" role="status"></p><b id="lesson-ask">${lesson.ask}</b><div class="chips" role="group" aria-labelledby="lesson-ask">${lesson.options.map(([text], k) => `<button class="chip" data-k="${k}" aria-pressed="false">${text}</button>`).join("")}</div><div class="why" role="status" aria-live="polite"></div></div>`
  return `${heading ? `<h3>${heading}</h3>` : ""}<div class="text">${paragraphs.map(p => `<p>${withBadges(p, places)}</p>`).join("")}</div>${last ? asks : ""}`
}

function tryHtml(lesson) {
  let n = 0
  const hint = ({do: does, expect, button, sets, restart, places}, k) => `<li><span class="badges">${places.map(place => badge(++n, place)).join("")}</span>
    <div><b>${does}</b> ${expect}${sets ? ` <small>${sets}</small>` : ""}</div>${button ? `<button class="btn do" data-k="${k}">${restart ? "Start it so" : "Set it so"}</button>` : ""}</li>`
  return `<div class="text">${lesson.tryWords ? `<p>${lesson.tryWords}</p>` : ""}</div><ol class="hints">${lesson.hints.map(hint).join("")}</ol>`
}

function sentenceAt(lesson, step, mode, n) { // what is said of one place alone
  if (mode === "try") {
    let seen = 0
    return lesson.hints.filter(hint => { const first = seen; seen += hint.places.length; return n > first && n <= seen }).map(hint => `<b>${hint.do}</b> ${hint.expect}`)[0] ?? ""
  }
  for (const paragraph of lesson.steps[step].paragraphs) {
    const from = paragraph.indexOf(`[${n}]`)
    if (from < 0) continue
    const rest = paragraph.slice(from + 3), to = rest.search(/\[\d\]/)
    const said = to < 0 ? rest : rest.slice(0, to)
    return said.trim().length > 12 ? said : paragraph.replace(/\[\d\]/g, "")
  }
  return ""
}
