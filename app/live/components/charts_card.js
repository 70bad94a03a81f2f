const heading = ([title, subtitle, short]) => `<b class="only-wide">${escapeHtml(title)}</b><b class="only-phone">${escapeHtml(short)}</b><span>${escapeHtml(subtitle)}</span>`

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
    <div class="export only-wide"><button class="csv" title="Save the series as CSV">CSV</button><button class="png" title="Save the charts as PNG">PNG</button></div>
    <div class="stack">${titles.map(t => `<div class="panel"><h3>${heading(t)}</h3><div class="figure"></div></div>`).join("")}</div>
    <div class="empty">The series start at epoch 8.</div>
    <div class="seg window only-wide" role="radiogroup" aria-label="Epochs shown"><button role="radio" data-value="all">All</button><button role="radio" data-value="recent">Last minute</button></div></section>`)
  const panels = [...root.querySelectorAll(".panel")]
  const figures = model.get_child("charts")
  panels.forEach((panel, k) => panel.querySelector(".figure").append(figures[k]))
  const phone = matchMedia("(max-width:719.98px)")

  const choose = k => panels.forEach((panel, i) => panel.classList.toggle("chosen", i === +k))
  const selectChip = segmented(root.querySelector(".chips"), choose)
  choose(0); selectChip(0)
  const selectWindow = segmented(root.querySelector(".window"), value => model.send_msg({type: "window", window: value}))
  model.on("window", () => selectWindow(model.window))
  selectWindow(model.window)
  const retitle = () => model.titles.forEach((t, k) => put(panels[k].querySelector("h3"), heading(t)))
  model.on("titles", retitle)
  const showEmpty = () => root.classList.toggle("nothing", model.empty)
  model.on("empty", showEmpty); showEmpty()

  root.addEventListener("pointerenter", () => dressTooltips(model.charts))
  let last = ""
  const report = () => {
    const width = root.clientWidth, height = root.clientHeight
    const size = JSON.stringify([width, phone.matches ? 0 : height, phone.matches])
    if (!width || size === last) return
    last = size
    model.send_msg({type: "size", width, height, compact: phone.matches})
  }
  let timer = null
  const observer = new ResizeObserver(() => { clearTimeout(timer); timer = setTimeout(report, 60) })
  observer.observe(root)
  model.on("remove", () => { observer.disconnect(); clearTimeout(timer) })

  root.querySelector(".csv").addEventListener("click", () => model.send_msg({type: "csv"}))
  model.on("msg:custom", message => {
    if (message.csv !== undefined) saveFile("exit-time-lab.csv", new Blob([message.csv], {type: "text/csv"}))
  })
  root.querySelector(".png").addEventListener("click", () => {
    const views = model.charts.map(figure => view.get_child_view(figure)).filter(v => v)
    const sheets = views.map(v => v.export("png", true).canvas)
    const density = sheets[0].width / views[0].el.clientWidth
    const picture = document.createElement("canvas"), pen = picture.getContext("2d")
    picture.width = sheets[0].width
    picture.height = sheets.reduce((sum, sheet) => sum + sheet.height, 0) + 16 * density
    const style = getComputedStyle(root)
    pen.fillStyle = style.backgroundColor
    pen.fillRect(0, 0, picture.width, picture.height)
    let y = 8 * density
    sheets.forEach((sheet, k) => {
      pen.drawImage(sheet, 0, y)
      pen.textBaseline = "middle"
      const [title, subtitle] = model.titles[k]
      pen.fillStyle = style.color; pen.font = `700 ${13 * density}px Roboto`
      pen.fillText(title, 14 * density, y + 12 * density)
      const indent = pen.measureText(title).width
      pen.fillStyle = style.getPropertyValue("--lab-ink2"); pen.font = `400 ${12 * density}px Roboto`
      pen.fillText(subtitle, 22 * density + indent, y + 12 * density)
      y += sheet.height
    })
    picture.toBlob(blob => saveFile("exit-time-lab-charts.png", blob))
  })
  return root
}
