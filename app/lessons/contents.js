// The list of all lessons: number, title, minutes, what has been seen and answered.
const STATE = {done: ["check", "answered"], seen: ["info", "opened"]}

function contentsList(lessons, opening, current, {open, close}) {
  const known = progress(), done = lessons.filter(([key]) => known[key] === "done").length
  const minutes = lessons.filter(([key]) => known[key] !== "done").reduce((sum, lesson) => sum + lesson[2], 0)
  const next = lessons.find(([key]) => known[key] !== "done")?.[0]
  const line = ([key, title, time, page], k) => {
    const [mark, words] = STATE[known[key]] ?? ["", "new"]
    return `<li><button class="line ${known[key] ?? ""}" data-key="${escapeHtml(key)}" ${key === current ? 'aria-current="true"' : ""} ${key === next ? "data-next" : ""}>
      <i>${k}</i><span><b>${title}</b><small>${escapeHtml(page)} · ${time} min · ${words}</small></span>${mark ? icon(mark) : ""}</button></li>`
  }
  const panel = element(`<section class="contents" role="dialog" aria-modal="false" aria-labelledby="contents-title">
    <header><h2 id="contents-title" tabindex="-1">Lessons</h2><button class="round close" aria-label="Close the contents" title="Close (Esc)">${icon("close")}</button></header>
    <p>${done} of ${lessons.length} answered${minutes ? `, about ${minutes} minutes to go` : ""}. They lead through the proof and the page in order; each stands alone.</p>
    <div class="bar" aria-hidden="true"><i style="width:${100 * done / lessons.length}%"></i></div>
    ${opening.length ? `<button class="line opening" data-key="${escapeHtml(opening[0])}"><i>${icon("play")}</i><span><b>${opening[1]}</b><small>new here? it plays by itself</small></span></button>` : ""}
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
