const heading = ([title, subtitle, short], [term, note]) => `<b class="only-wide">${termed(title, term, note)}</b><b class="only-phone">${termed(short, term, note)}</b><span>${escapeHtml(subtitle)}</span>`

const TOOLTIP = `:host{--tooltip-color:var(--lab-card)!important;--tooltip-text:var(--lab-ink)!important;--tooltip-border:var(--lab-line)!important;
  font:12px/1.5 Roboto,Arial,sans-serif!important;border-radius:8px;padding:7px 11px!important;box-shadow:var(--lab-shadow);pointer-events:none;opacity:.97}
  .bk-arrow,.bk-arrow-inner{display:none!important} table{border-collapse:collapse} td{padding:0;white-space:nowrap}
  td:first-child{color:var(--lab-ink2);padding-right:14px} td:last-child{text-align:right;font-variant-numeric:tabular-nums}`

function dressTooltips(figures) { // a tooltip has a shadow root of its own, out of reach of every other style sheet
  for (const figure of figures) {
    for (const tool of figure.toolbar.tools) {
      const tips = Bokeh.index.find_one_by_id(tool.id)?.ttmodels
      tips?.forEach(tip => { if (!tip.stylesheets.includes(TOOLTIP)) tip.stylesheets = [...tip.stylesheets, TOOLTIP] })
    }
  }
}

export function render({model, view}) {
  const titles = model.titles
  const root = element(`<section class="card" aria-label="Measurements against the epoch">
    <div class="chips only-phone" role="radiogroup" aria-label="Chart">${titles.map((t, k) => `<button role="radio" data-value="${k}">${escapeHtml(t[2])}</button>`).join("")}</div>
    <div class="export"><button class="csv" title="Save the series as CSV">CSV</button><button class="png" title="Save the charts as PNG">PNG</button><button class="svg" title="Save the charts as SVG">SVG</button></div>
    <div class="ghost" role="group" aria-label="This run beside the ghost"></div>
    <div class="stack">${titles.map((t, k) => `<div class="panel"><h3>${heading(t, model.terms[k])}</h3><div class="figure"></div></div>`).join("")}</div>
    <div class="empty">The series start at epoch 8.</div>
    <button class="btn plain keep" title="Keep this run's curves and the outline of its cloud beside what you try next"></button>
    <div class="seg window" role="radiogroup" aria-label="Epochs shown"></div></section>`)
  const panels = [...root.querySelectorAll(".panel")]
  const figures = model.get_child("charts")
  panels.forEach((panel, k) => panel.querySelector(".figure").append(figures[k]))
  const phone = matchMedia("(max-width:719.98px)")

  const choose = k => panels.forEach((panel, i) => panel.classList.toggle("chosen", i === +k))
  const selectChip = segmented(root.querySelector(".chips"), choose)
  choose(0); selectChip(0)
  const windows = root.querySelector(".window")
  let selectWindow = null
  const showWindows = () => {
    const choices = [["all", "All"], ["recent", "Last minute"], ...(model.fitted ? [["span", "Event"]] : [])]
    put(windows, choices.map(([value, words]) => `<button role="radio" data-value="${value}">${words}</button>`).join(""))
    selectWindow = segmented(windows, value => model.send_msg({type: "window", window: value}))
    selectWindow(model.window)
  }
  model.on("fitted", showWindows); showWindows()
  model.on("window", () => selectWindow(model.window))
  const retitle = () => model.titles.forEach((t, k) => put(panels[k].querySelector("h3"), heading(t, model.terms[k])))
  model.on("titles", retitle)
  const showEmpty = () => root.classList.toggle("nothing", model.empty)
  model.on("empty", showEmpty); showEmpty()

  root.addEventListener("pointerenter", () => dressTooltips(model.charts))
  const ghost = root.querySelector(".ghost"), keep = root.querySelector(".keep")
  const rows = list => list.map(([name, there, here]) => `<span class="row"><i>${escapeHtml(name)}</i> <u>${escapeHtml(there)}</u> → <b>${escapeHtml(here)}</b></span>`).join("")
  put(ghost, `<div class="name"><span class="dash" aria-hidden="true"></span><b>Ghost → this run</b><button class="round" aria-label="Let the ghost go" title="Let the ghost go">${icon("close")}</button></div>
    <div class="set"></div><div class="measured"></div>`) // the button stays while the numbers change, and so does its focus
  const close = ghost.querySelector("button")
  close.onclick = () => model.send_msg({type: "ghost", keep: false})
  const showGhost = () => {
    const [words, knobs, measured] = model.ghost
    const kept = words !== undefined, focused = [keep, close].includes(root.getRootNode().activeElement)
    const turned = ghost.hidden === kept
    ghost.hidden = !kept; keep.hidden = kept
    if (turned && focused) (kept ? close : keep).focus() // what was pressed has gone: its opposite has the focus
    put(ghost.querySelector(".set"), kept ? rows(knobs) || "<span class='row'>the same knobs</span>" : "")
    put(ghost.querySelector(".measured"), kept ? `<span class="row">${escapeHtml(words)}:</span>${rows(measured)}` : "")
    report()
  }
  put(keep, "Keep as ghost")
  keep.addEventListener("click", () => model.send_msg({type: "ghost", keep: true}))
  let last = ""
  const report = () => {
    const width = root.clientWidth, height = root.clientHeight - (phone.matches ? 0 : ghost.offsetHeight)
    const size = JSON.stringify([width, phone.matches ? 0 : height, phone.matches])
    if (!width || size === last) return
    last = size
    model.send_msg({type: "size", width, height, compact: phone.matches})
  }
  model.on("ghost", showGhost); showGhost()
  let timer = null
  const observer = new ResizeObserver(() => { clearTimeout(timer); timer = setTimeout(report, 60) })
  observer.observe(root)
  model.on("remove", () => { observer.disconnect(); clearTimeout(timer) })

  root.querySelector(".csv").addEventListener("click", () => model.send_msg({type: "csv"}))
  model.on("msg:custom", message => {
    if (message.csv !== undefined) saveFile("exit-time-lab.csv", new Blob([message.csv], {type: "text/csv"}))
  })
  const save = format => savePicture(root, model.charts.map(figure => view.get_child_view(figure)), {format, filename: "exit-time-lab-charts", heads: model.titles, band: 0})
  for (const format of ["png", "svg"]) root.querySelector(`.${format}`).addEventListener("click", () => save(format))
  return root
}
