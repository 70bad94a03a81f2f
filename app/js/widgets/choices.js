// Controls operated by a press: segments, menus, switches, presets, and buttons that start and stop work.
import {element, escapeHtml, icon, mark, onPress, put, refill, segmented, setEnabled, showProgress, termed} from "../common/dom.js"

export const Segments = {css: /* css */ `
.root{display:flex;align-items:center;gap:8px;flex-wrap:wrap}
.label{font-size:.78125rem;color:var(--lab-ink2)}.label:empty{display:none}
.seg{display:flex;flex:1}.seg button{flex:1;padding:3px 4px;font-size:.71875rem}
.seg button:disabled{color:var(--lab-ink3);cursor:help}
.refusals{margin:0;flex-basis:100%;font-size:.75rem;line-height:1.4;color:var(--lab-ink2)}.refusals:empty{display:none}
@media (pointer:coarse){.seg button{padding:7px 4px}}
`, render({model}) {
  const root = element(`<div class="root"><span class="label"></span><span class="seg" role="radiogroup"></span><p class="refusals"></p></div>`)
  const seg = root.querySelector(".seg")
  let select = () => {}
  const offer = () => {
    root.querySelector(".label").textContent = model.label
    seg.setAttribute("aria-label", model.spoken || model.label)
    const refused = v => escapeHtml(model.refused[v] ?? "")
    seg.innerHTML = model.options.map(([v, w]) => `<button role="radio" aria-checked="false" data-value="${escapeHtml(v)}" title="${refused(v)}" ${refused(v) && "disabled"}>${escapeHtml(w)}</button>`).join("")
    root.querySelector(".refusals").textContent = [...new Set(Object.values(model.refused))].join(" ")
    select = segmented(seg, value => model.send_msg({type: "choose", value}))
    select(model.value)
  }
  model.on(["options", "label", "refused"], offer); offer()
  model.on("value", () => select(model.value))
  return root
}}

export const Menu = {css: /* css */ `
.menu:not(.small){margin-bottom:7px}
.menu{position:relative;display:block}
.menu span{position:absolute;left:9px;top:4px;font-size:.65625rem;line-height:1.25;color:var(--lab-ink2);pointer-events:none}
.menu:focus-within span{color:var(--lab-primary)}
select{appearance:none;display:block;width:100%;min-height:38px;margin:0;padding:1rem 26px 2px 8px;font-size:.8125rem;line-height:1.3;color:var(--lab-ink);background:var(--lab-card) var(--arrow) no-repeat right 6px center/18px;border:1px solid var(--lab-line);border-radius:6px;outline:0;text-overflow:ellipsis;cursor:pointer;--arrow:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='%23808b98'%3E%3Cpath d='M7 10l5 5 5-5z'/%3E%3C/svg%3E")}
select:hover{border-color:var(--lab-axis)}
select:focus{border-color:var(--lab-primary)}
select:focus-visible{outline:1px solid var(--lab-primary);outline-offset:0}
option{background:var(--lab-card);color:var(--lab-ink);font-weight:400}
option:checked{font-weight:700}
.small select{min-height:28px;padding:3px 22px 3px 8px;font-size:.75rem}
.small span{width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media (pointer:coarse),(max-width:44.99875em){select{min-height:44px}.small select{min-height:34px}}
`, render({model}) {
  const root = element(`<label class="menu ${model.small ? "small" : ""}"><span></span><select></select></label>`)
  const select = root.querySelector("select"), turn = () => { select.selectedIndex = model.chosen }
  const offer = () => {
    root.querySelector("span").textContent = model.label
    put(select, model.words.map(words => `<option>${escapeHtml(words)}</option>`).join(""))
    turn()
  }
  select.addEventListener("change", () => model.send_msg({type: "choose", index: select.selectedIndex}))
  model.on(["words", "label"], offer); offer()
  model.on("chosen", turn)
  return root
}}

export const SwitchList = {css: /* css */ `
.row{display:flex;align-items:center;gap:8px;min-height:26px;cursor:pointer;position:relative}
.name{flex:1;line-height:1.25}
.mark{flex:none}
.off{cursor:help}.off .name{color:var(--lab-ink3)}.off .mark{opacity:.35}
input{position:absolute;right:0;width:30px;height:16px;margin:0;opacity:0;cursor:inherit;z-index:1}
i{width:30px;height:16px;border-radius:8px;background:var(--lab-ink3);position:relative;flex:none;transition:background .12s}
i:after{content:"";position:absolute;left:2px;top:2px;width:12px;height:12px;border-radius:6px;background:var(--lab-card);transition:transform .12s}
input:checked+i{background:var(--lab-primary)}input:checked+i:after{transform:translateX(14px);background:var(--lab-on)}
input:disabled+i{background:var(--lab-track)}
input:focus-visible+i{outline:2px solid var(--lab-primary);outline-offset:2px}
.warns:has(input:not(:checked)) .name{color:var(--lab-hot);font-weight:700}
@media (forced-colors:active){i{forced-color-adjust:none;background:GrayText;outline:1px solid CanvasText}i:after{background:Canvas}input:checked+i{background:Highlight}input:checked+i:after{background:HighlightText}}
@media (pointer:coarse),(max-width: 44.99875em){.row{min-height:36px}}
`, render({model}) {
  const root = element(`<div class="root" role="group"></div>`)
  const turn = () => { // in place, so that a switch keeps its focus
    for (const input of root.querySelectorAll("input")) input.checked = !input.disabled && model.active.includes(input.closest(".row").dataset.key)
  }
  const show = () => {
    root.setAttribute("aria-label", model.label)
    refill(root, model.rows.map(([key, label, kind, token, reason, help = "", term = ""]) => element(`<label class="row ${reason ? "off" : ""} ${model.warns.includes(key) ? "warns" : ""}" title="${escapeHtml(reason || (term ? "" : help))}" data-key="${escapeHtml(key)}">${kind ? mark(kind, token) : ""}<span class="name">${termed(label, term, help)}</span>
        <input type="checkbox" role="switch" ${reason ? "disabled" : ""} aria-label="${escapeHtml(label)}${reason ? `: ${escapeHtml(reason)}` : ""}"><i></i></label>`)))
    turn()
  }
  root.addEventListener("change", ({target}) => model.send_msg({type: "turn", key: target.closest(".row").dataset.key, on: target.checked}))
  model.on(["rows", "label"], show); show()
  model.on("active", turn)
  return root
}}

export const PresetButtons = {css: /* css */ `
.presets{display:grid;gap:6px;grid-template-columns:minmax(0,1fr)}
.preset{font-weight:400;color:var(--lab-ink);min-height:30px;height:auto;white-space:normal;text-align:left}
.preset[aria-pressed=true]{font-weight:700;color:var(--lab-primary);border-color:var(--lab-primary)}
.says{font-size:.75rem;line-height:1.4;color:var(--lab-ink2);margin-top:7px}.says:empty{display:none}
@media (pointer:coarse),(max-width: 44.99875em){.preset{min-height:38px}}
`, render({model}) {
  const root = element(`<div class="root"><div class="presets"></div><p class="says"></p></div>`)
  const list = root.querySelector(".presets")
  put(list, model.presets.map(([key, label, hint]) => `<button class="btn preset" data-key="${escapeHtml(key)}" title="${escapeHtml(hint)}">${escapeHtml(label)}</button>`).join(""))
  onPress(list, key => model.send_msg({type: "choose", key}))
  const show = () => {
    for (const button of list.children) button.setAttribute("aria-pressed", button.dataset.key === model.chosen)
    root.querySelector(".says").textContent = model.says
  }
  model.on(["chosen", "says"], show); show()
  return root
}}

export const RunButtons = {css: /* css */ `
.btn{white-space:normal;height:auto;min-height:32px}
.row{display:flex;gap:8px}
.run{flex:1;justify-content:center;min-width:0}
.btn[aria-disabled=true]{opacity:.45;cursor:default}
.cancel{color:var(--lab-ink2)}
.others{display:grid;gap:7px;margin-top:7px;grid-template-columns:minmax(0,1fr)}.others:empty{display:none}
.other{justify-content:center;line-height:1.25;padding:4px 10px}
.other[aria-pressed=true]{border-color:var(--lab-primary);background:var(--lab-chip)}
.progress{margin-top:9px}
.line{display:flex;justify-content:space-between;font-size:.78125rem;font-variant-numeric:tabular-nums;margin-bottom:4px;gap:8px}
.left{color:var(--lab-ink2);white-space:nowrap}
.bar{border-radius:2px}
.words{font-size:.75rem;line-height:1.4;color:var(--lab-ink2);margin-top:6px}.words:empty{display:none}
.error{font-size:.75rem;line-height:1.4;color:var(--lab-hot);margin-top:6px}.error:empty{display:none}
@media (pointer:coarse),(max-width: 44.99875em){.btn{min-height:38px}}
`, render({model}) {
  const root = element(`<div class="root"><div class="row"><button class="btn fill run"></button><button class="btn cancel">Cancel</button></div>
    <div class="others"></div>
    <div class="progress"><div class="line"><span class="count"></span><span class="left"></span></div><div class="bar" role="progressbar" aria-label="Progress"><i></i></div></div>
    <p class="words" role="status"></p><p class="error" role="alert"></p></div>`)
  const find = s => root.querySelector(s)
  const show = () => {
    put(find(".run"), `${icon("play")}${escapeHtml(model.label)}`)
    setEnabled(find(".run"), !model.running)
    setEnabled(find(".cancel"), model.running)
    find(".progress").style.display = model.running || model.count ? "" : "none"
    showProgress(find(".bar"), model.fraction ?? (model.running ? -1 : 0))
    find(".count").textContent = model.count
    find(".left").textContent = model.left
    find(".words").textContent = model.words
    find(".error").textContent = model.error
  }
  const offer = () => refill(find(".others"), model.others.map(([key, label, hint]) => element(
    `<button class="btn other" data-key="${escapeHtml(key)}" title="${escapeHtml(hint)}" aria-pressed="${key === model.pressed}">${escapeHtml(label)}</button>`)))
  model.on(["label", "running", "fraction", "count", "left", "words", "error"], show); show()
  model.on(["others", "pressed"], offer); offer()
  onPress(find(".others"), key => model.send_msg({type: "other", key}))
  find(".run").addEventListener("click", () => model.send_msg({type: "run"}))
  find(".cancel").addEventListener("click", () => model.send_msg({type: "cancel"}))
  return root
}}
