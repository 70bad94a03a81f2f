import {element, escapeHtml, icon, onResize, put, segmented, termed} from "../common/dom.js"
import {bindFigureKeys} from "../common/figure_keys.js"
import {PHONE} from "../common/media.js"
import {SAVE_CSS, saveButton, savesAs} from "../common/menus.js"
import {savePicture, savesTexts} from "../common/pictures.js"

const AIR = 5 // px: padding of the card, and half a pixel per panel for rounded heights, else it would scroll

const heading = ([title, subtitle, short], [term, note]) => `<b class="only-wide">${termed(title, term, note)}</b><b class="only-phone">${termed(short, term, note)}</b><span>${escapeHtml(subtitle)}</span>`

const TOOLTIP = `:host{--tooltip-color:var(--lab-card)!important;--tooltip-text:var(--lab-ink)!important;--tooltip-border:var(--lab-line)!important;
  font:12px/1.5 Roboto,Arial,sans-serif!important;border-radius:8px;padding:7px 11px!important;box-shadow:var(--lab-shadow);pointer-events:none;opacity:.97}
  .bk-arrow,.bk-arrow-inner{display:none!important} table{border-collapse:collapse} td{padding:0;white-space:nowrap}
  td:first-child{color:var(--lab-ink2);padding-right:14px} td:last-child{text-align:right;font-variant-numeric:tabular-nums}`

function styleTooltips(figures) { // other style sheets do not apply in a tooltip's shadow root
  for (const figure of figures) {
    for (const tool of figure.toolbar.tools) {
      const tips = Bokeh.index.find_one_by_id(tool.id)?.ttmodels
      tips?.forEach(tip => { if (!tip.stylesheets.includes(TOOLTIP)) tip.stylesheets = [...tip.stylesheets, TOOLTIP] })
    }
  }
}

export const ChartsCard = {css: /* css */ `${SAVE_CSS}
.card{overflow:hidden auto;scrollbar-width:thin;padding:3px 0 0;min-height:100%}
.panel{position:relative;padding-top:max(0px,2.25rem - 36px)}
.stack{padding:max(0px,0.875rem - 14px) 0 max(0px,2.125rem - 34px)}
h3{position:absolute;left:14px;top:1px;font-size:.8125rem;font-weight:700;line-height:1.3077;z-index:1;pointer-events:none;max-width:calc(100% - 28px)}
.panel:first-child h3{top:17px}
h3 span{font-size:.75rem;font-weight:400;color:var(--lab-ink2);margin-left:8px}
.figure>*{width:100%!important;margin:0!important}
.window{position:absolute;right:10px;bottom:6px;font-size:.71875rem}
.window button{padding:3px 8px}
.export{position:absolute;right:10px;top:4px;z-index:2}
.empty{display:none;position:absolute;left:54px;top:76px;color:var(--lab-ink2);font-size:.75rem}
.nothing .empty{display:block}
.undrawn .stack,.undrawn .empty,.undrawn .export{visibility:hidden}
.chips{gap:6px;padding:10px 10px 0}
.chips button{font-size:.78125rem;padding:5px 10px;border-radius:14px;background:var(--lab-chip);color:var(--lab-ink2)}
.chips button[aria-checked=true]{background:var(--lab-primary);color:var(--lab-on);font-weight:700}
.keep{position:absolute;left:8px;bottom:5px;font-size:.71875rem;height:26px;padding:0 8px;z-index:1}
.ghost{margin:0 0 4px;padding:3px 14px 6px;border-bottom:1px solid var(--lab-line);font-size:.75rem;line-height:1.41667;color:var(--lab-ink2)}
.ghost>div{display:flex;flex-wrap:wrap;align-items:center;column-gap:12px}
.ghost .name{margin-right:112px}
.ghost b{color:var(--lab-ink)}
.ghost .row{white-space:nowrap}.ghost .row i{font-style:normal}.ghost .row u{text-decoration:none}
.ghost .round{width:24px;height:24px;margin-left:-8px}.ghost .round .icon{width:15px;height:15px}
.dash{width:22px;border-top:2px dotted var(--lab-ink2)}
@media (max-width: 44.99875em){
.card{padding:0;height:auto}
.stack{padding:0}.keep,.window{position:static;margin:2px 6px 6px}
.chips{display:flex!important;flex-wrap:wrap;padding-bottom:6px}
.export{top:auto;right:10px;margin-top:6px}
.panel{display:none}.panel.chosen{display:block}
.panel:first-child h3,h3{left:12px;top:1px}h3 span{display:none}
.empty{left:44px;top:96px}
}
`, render({model, view}) {
  const titles = model.titles
  const root = element(`<section class="card" aria-label="Measurements against the epoch">
    <div class="chips only-phone" role="radiogroup" aria-label="Chart">${titles.map((t, k) => `<button role="radio" data-value="${k}">${escapeHtml(t[2])}</button>`).join("")}</div>
    ${saveButton(["csv", "png", "svg"])}
    <div class="ghost" role="group" aria-label="This run and the ghost"><div class="name"><span class="dash" aria-hidden="true"></span><b>Ghost → this run</b>
      <button class="round" aria-label="Remove the ghost" title="Remove the ghost">${icon("close")}</button></div><div class="set"></div><div class="measured"></div></div>
    <div class="stack">${titles.map(() => `<div class="panel"><h3></h3><div class="figure"></div></div>`).join("")}</div>
    <div class="empty">The series start at epoch 8.</div>
    <button class="btn plain keep" title="Keep this run's curves and the outline of its cloud for comparison with the next runs">Keep as ghost</button>
    <div class="seg window" role="radiogroup" aria-label="Epochs shown"></div></section>`)
  const panels = [...root.querySelectorAll(".panel")]
  const figures = model.get_child("charts")
  figures.forEach((figure, k) => panels[k].querySelector(".figure").append(figure))
  root.classList.toggle("undrawn", !figures.length) // the page is shown before its figures, and draws the card again with them
  bindFigureKeys(model, root, () => model.charts.map(one => view.get_child_view(one)))

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
  model.on("titles", retitle); retitle()
  const showEmpty = () => root.classList.toggle("nothing", model.empty)
  model.on("empty", showEmpty); showEmpty()

  root.addEventListener("pointerenter", () => styleTooltips(model.charts))
  const ghost = root.querySelector(".ghost"), keep = root.querySelector(".keep")
  const rows = list => list.map(([name, there, here]) => `<span class="row"><i>${escapeHtml(name)}</i> <u>${escapeHtml(there)}</u> → <b>${escapeHtml(here)}</b></span>`).join("")
  const close = ghost.querySelector("button")
  close.onclick = () => model.send_msg({type: "ghost", keep: false})
  const showGhost = () => {
    const [words, knobs, measured] = model.ghost
    const kept = words !== undefined, focused = [keep, close].includes(root.getRootNode().activeElement)
    const turned = ghost.hidden === kept
    ghost.hidden = !kept; keep.hidden = kept
    if (turned && focused) (kept ? close : keep).focus() // the pressed button is hidden: focus its opposite
    put(ghost.querySelector(".set"), kept ? rows(knobs) || "<span class='row'>the same knobs</span>" : "")
    put(ghost.querySelector(".measured"), kept ? `<span class="row">${escapeHtml(words)}:</span>${rows(measured)}` : "")
    report()
  }
  keep.addEventListener("click", () => model.send_msg({type: "ghost", keep: true}))
  let last = ""
  const report = () => {
    const width = root.clientWidth, height = root.clientHeight - AIR - (PHONE.matches ? 0 : ghost.offsetHeight)
    const size = JSON.stringify([width, PHONE.matches ? 0 : height, PHONE.matches])
    if (!width || size === last) return
    last = size
    model.send_msg({type: "size", width, height, compact: PHONE.matches})
  }
  model.on("ghost", showGhost); showGhost()
  let timer = null
  onResize(model, () => { clearTimeout(timer); timer = setTimeout(report, 60) }, root)

  savesTexts(model, () => "exit-time-lab")
  savesAs(root, format => format === "csv" ? model.send_msg({type: "csv"})
    : savePicture(root, model.charts.map(figure => view.get_child_view(figure)), {format, filename: "exit-time-lab-charts", heads: model.titles, band: 0}))
  return root
}}
