const SAVES = {csv: "Save the numbers as CSV", png: "Save the picture as PNG", svg: "Save the picture as SVG"}

export function render({model, view}) {
  const tools = `${model.segments.map(([name, options]) => `<span class="seg choice" role="radiogroup" data-name="${escapeHtml(name)}" aria-label="${escapeHtml(name)}">${options.map(([v, w]) => `<button role="radio" data-value="${escapeHtml(v)}">${escapeHtml(w)}</button>`).join("")}</span>`).join("")}
    <span class="stepper"><button class="round back" aria-label="Previous ${model.stepped}" title="Previous ${model.stepped}">‹</button><b></b><button class="round next" aria-label="Next ${model.stepped}" title="Next ${model.stepped}">›</button></span>
    <span class="export">${Object.entries(SAVES).filter(([kind]) => model.exports.includes(kind)).map(([kind, words]) => `<button class="${kind}" title="${words}">${kind.toUpperCase()}</button>`).join("")}</span>`
  const head = (k, extra = "") => `<header><h2></h2><span class="sub"></span>${extra}</header>`
  const root = element(`<section class="card ${model.row ? "row" : ""}"><div class="bar" role="progressbar" aria-label="Progress"><i></i></div>
    ${model.row ? head(0, tools) : ""}<div class="stack">${model.figures.map((_, k) => `<div class="panel">${model.row ? `<h3></h3>` : head(k, k === 0 ? `<span class="working"></span>${tools}` : "")}<div class="figure"></div></div>`).join("")}</div>
    <div class="empty"><p></p><button class="btn"></button></div>
    <div class="warnings" role="status" aria-live="polite"></div><div class="proof"></div><div class="spoken" role="status" aria-live="polite"></div></section>`)
  root.setAttribute("aria-label", model.label)
  const find = s => root.querySelector(s)
  const figures = model.get_child("figures")
  root.querySelectorAll(".figure").forEach((node, k) => node.append(figures[k]))
  model.heights.forEach(([height, share], k) => {
    const panel = root.querySelectorAll(".panel")[k]
    panel.style.setProperty("--tall", `${height}px`); panel.style.setProperty("--share", share)
  })

  const showHeads = () => {
    const titles = model.row ? [find("header"), ...root.querySelectorAll(".panel h3")] : [...root.querySelectorAll("header")]
    titles.forEach((node, k) => {
      const [title, subtitle] = model.heads[k] ?? ["", ""]
      if (node.tagName === "H3") put(node, title)
      else { put(node.querySelector("h2"), title); put(node.querySelector(".sub"), subtitle) }
    })
  }
  const showStepper = () => {
    find(".stepper").style.display = model.stepper ? "" : "none"
    find(".stepper b").textContent = model.stepper
  }
  const showProgress = () => {
    const bar = find(".bar"), on = model.progress !== null
    bar.style.visibility = on ? "visible" : "hidden"
    bar.classList.toggle("endless", on && model.progress < 0)
    if (on) { bar.firstElementChild.style.width = `${model.progress < 0 ? 30 : model.progress * 100}%`; bar.setAttribute("aria-valuenow", Math.round(Math.max(0, model.progress) * 100)) }
    const working = find(".working")
    if (working) { working.textContent = working.title = model.working; root.classList.toggle("busy", model.working !== "") }
  }
  const showWords = () => {
    put(find(".warnings"), model.warnings.map(text => `<p>${icon("warn")}<span>${escapeHtml(text)}</span></p>`).join(""))
    put(find(".proof"), model.caption)
    root.classList.toggle("nothing", model.empty !== "")
    find(".empty p").textContent = model.empty
    const button = find(".empty .btn")
    button.textContent = model.button; button.style.display = model.button ? "" : "none"
  }
  for (const choice of root.querySelectorAll(".choice")) {
    const name = choice.dataset.name
    const select = segmented(choice, value => model.send_msg({type: "choose", name, value}))
    const show = () => select(model.chosen[name])
    model.on("chosen", show); show()
  }
  model.on("heads", showHeads); model.on("stepper", showStepper)
  model.on(["progress", "working"], showProgress)
  const say = politely(find(".spoken")), speak = () => say(model.spoken)
  model.on("spoken", speak); speak()
  model.on(["warnings", "caption", "empty", "button"], showWords)
  showHeads(); showStepper(); showProgress(); showWords()
  find(".back").addEventListener("click", () => model.send_msg({type: "step", by: -1}))
  find(".next").addEventListener("click", () => model.send_msg({type: "step", by: 1}))
  find(".empty .btn").addEventListener("click", () => model.send_msg({type: "press"}))

  find(".csv")?.addEventListener("click", () => model.send_msg({type: "csv"}))
  model.on("msg:custom", message => {
    if (message.csv !== undefined) saveFile(`${model.filename}.csv`, new Blob([message.csv], {type: "text/csv"}))
  })
  for (const format of ["png", "svg"]) {
    find(`.${format}`)?.addEventListener("click", () => {
      const views = model.figures.map(figure => view.get_child_view(figure)), [first, ...rest] = model.heads
      const across = Math.round(root.clientWidth / find(".panel").clientWidth)
      savePicture(root, views, {format, filename: model.filename, heads: model.row ? rest : model.heads,
        title: model.row ? first : null, columns: model.row ? across : 1})
    })
  }
  return root
}
