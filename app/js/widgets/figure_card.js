import {announcer, element, escapeHtml, icon, put, putFolded, segmented, showProgress} from "../common/dom.js"
import {bindFigureKeys} from "../common/figure_keys.js"
import {saveButton, savesAs} from "../common/menus.js"
import {savePicture, savesTexts} from "../common/pictures.js"
import {CARD_CSS} from "../common/styles.js"

export const FigureCard = {css: /* css */ `${CARD_CSS}
header{display:flex;flex-wrap:wrap;align-items:center;gap:2px 10px;padding:8px 12px 0 14px;min-height:36px;flex:none}
h2{white-space:normal;min-width:0}
h3{font-size:.78125rem;font-weight:700;padding:0 0 2px 14px}
.sub{padding-bottom:2px;flex:1 1 4em;overflow-wrap:anywhere;text-wrap:balance}
.working{font-variant-numeric:tabular-nums}
.busy .sub{flex:1 1000 0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.stack{min-height:0;flex:1 1 0;overflow:hidden;display:flex;flex-direction:column}
.row .stack{display:grid;grid-template-columns:1fr 1fr;grid-auto-rows:minmax(0,1fr)}
.row .stack:has(>:nth-child(5)){grid-template-columns:repeat(3,minmax(0,1fr));align-content:start}
.panel{min-width:0;flex:var(--share,1) 1 0;min-height:0;display:flex;flex-direction:column}
.figure{flex:1 1 0;min-height:0;position:relative}
.figure>*{position:absolute!important;inset:0;width:100%!important;height:100%!important;margin:0!important}
.seg button{padding:3px 10.5px}
.stepper{display:inline-flex;align-items:center;gap:2px;font-size:.75rem;white-space:nowrap;font-variant-numeric:tabular-nums;flex:none}
.stepper b{font-weight:400}
.stepper .round{width:24px;height:24px;font-size:1.125rem;line-height:1;padding-bottom:3px;color:var(--lab-primary)}
.export{margin-left:auto}
.proof{overflow-wrap:break-word;font-size:.75rem;color:var(--lab-ink2);padding:4px 14px 10px;line-height:1.45;flex:none}
.proof b{color:var(--lab-ink)}.proof i{font-style:normal;font-weight:700;letter-spacing:-1px;margin-right:3px}
.proof .f{margin-top:3px;font-size:.75rem;color:var(--lab-ink)}
.warnings{flex:none;padding:0 14px}
.warnings p{display:flex;gap:8px;align-items:flex-start;color:var(--lab-hot);font-size:.75rem;line-height:1.45;padding:3px 0}
.warnings .icon{width:15px;height:15px;margin-top:1px}
.empty{display:none;padding:6px 14px 14px;color:var(--lab-ink2)}
.empty .btn{margin-top:10px}
.nothing .figure,.nothing .proof,.row.nothing .stack{display:none}.nothing .stack,.nothing .panel{flex:none}
.nothing .empty{display:flex;flex:1;flex-direction:column;align-items:center;justify-content:center;text-align:center;min-height:120px}
@media (max-width: 74.99875em){
.card{height:auto}.stack{flex:none}
.row .stack{grid-auto-rows:auto}
.panel{flex:none}
.figure{flex:none;height:min(var(--tall,300px),max(250px,86vw))}
}
@media (max-width: 44.99875em){
.row .stack.stack{grid-template-columns:minmax(0,1fr)}
header{padding:8px 10px 0 12px;flex-wrap:wrap;gap:2px 8px;min-height:30px}
.sub{flex:1 1 auto;line-height:1.4}
.busy .sub{flex:1 1 100%;order:2;white-space:normal}
.proof{padding:4px 12px 10px}
}
`, render({model, view}) {
  const tools = `${model.segments.map(([name, options]) => `<span class="seg choice" role="radiogroup" data-name="${escapeHtml(name)}" aria-label="${escapeHtml(name)}">${options.map(([v, w]) => `<button role="radio" data-value="${escapeHtml(v)}">${escapeHtml(w)}</button>`).join("")}</span>`).join("")}
    <span class="stepper"><button class="round back" aria-label="Previous ${model.stepped}" title="Previous ${model.stepped}">‹</button><b></b><button class="round next" aria-label="Next ${model.stepped}" title="Next ${model.stepped}">›</button></span>
    ${saveButton(model.exports)}`
  const head = (k, extra = "") => `<header><h2></h2><span class="sub"></span>${extra}</header>`
  const root = element(`<section class="card ${model.row ? "row" : ""}"><div class="bar" role="progressbar" aria-label="Progress"><i></i></div>
    ${model.row ? head(0, tools) : ""}<div class="stack">${model.figures.map((_, k) => `<div class="panel">${model.row ? `<h3></h3>` : head(k, k === 0 ? `<span class="working"></span>${tools}` : "")}<div class="figure"></div></div>`).join("")}</div>
    <div class="empty"><p></p><button class="btn"></button></div>
    <div class="warnings" role="status" aria-live="polite"></div><div class="proof"></div><div class="spoken" role="status" aria-live="polite"></div></section>`)
  root.setAttribute("aria-label", model.label)
  const find = s => root.querySelector(s)
  const figures = model.get_child("figures")
  root.querySelectorAll(".figure").forEach((node, k) => node.append(figures[k]))
  bindFigureKeys(model, root, () => model.figures.map(one => view.get_child_view(one)))
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
  const showWork = () => {
    showProgress(find(".bar"), model.progress)
    const working = find(".working")
    if (working) { working.textContent = working.title = model.working; root.classList.toggle("busy", model.working !== "") }
  }
  const showWords = () => {
    put(find(".warnings"), model.warnings.map(text => `<p>${icon("warn")}<span>${escapeHtml(text)}</span></p>`).join(""))
    putFolded(find(".proof"), model.caption)
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
  model.on(["progress", "working"], showWork)
  const announce = announcer(find(".spoken")), speak = () => announce(model.spoken)
  model.on("spoken", speak); speak()
  model.on(["warnings", "caption", "empty", "button"], showWords)
  showHeads(); showStepper(); showWork(); showWords()
  find(".back").addEventListener("click", () => model.send_msg({type: "step", by: -1}))
  find(".next").addEventListener("click", () => model.send_msg({type: "step", by: 1}))
  find(".empty .btn").addEventListener("click", () => model.send_msg({type: "press"}))

  savesTexts(model, () => model.filename)
  savesAs(root, format => {
    if (!["png", "svg"].includes(format)) { model.send_msg({type: format}); return }
    const views = model.figures.map(figure => view.get_child_view(figure)), [first, ...rest] = model.heads
    const across = Math.round(root.clientWidth / find(".panel").clientWidth)
    savePicture(root, views, {format, filename: model.filename, heads: model.row ? rest : model.heads,
      title: model.row ? first : null, columns: model.row ? across : 1})
  })
  return root
}}
