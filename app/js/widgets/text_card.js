// Card of text with buttons below; and card of text above the controls of another card.
import {announcer, copyText, element, escapeHtml, icon, onPress, onResize, put, putFolded, refill, setTabStop} from "../common/dom.js"
import {held} from "../common/panel_stand_in.js"
import {saveFile} from "../common/pictures.js"
import {CARD_CSS} from "../common/styles.js"

export const TextCard = {css: /* css */ `${CARD_CSS}
.card>header{min-height:32px}
.text{padding:4px 16px 10px;flex:1;min-height:0;overflow:auto;scrollbar-width:thin;scrollbar-color:var(--lab-track) transparent;
  background:linear-gradient(var(--lab-card) 8px,transparent) top/100% 24px no-repeat local,linear-gradient(transparent,var(--lab-card) 16px) bottom/100% 24px no-repeat local,
  linear-gradient(var(--lab-line),transparent) top/100% 10px no-repeat,linear-gradient(transparent,var(--lab-line)) bottom/100% 10px no-repeat} /* shadow at hidden text */
.head{display:flex;gap:12px;align-items:center;margin-bottom:8px}
h3{font-size:1rem;font-weight:700;line-height:1.3;min-width:0;overflow-wrap:anywhere}
.badge{flex:none;width:40px;height:40px;border-radius:20px;display:flex;align-items:center;justify-content:center}
.badge .icon{width:24px;height:24px}
.body{line-height:1.5;font-variant-numeric:tabular-nums;overflow-wrap:break-word}
.body p+p,.body p+ul,.body table+p,.body p+table{margin-top:8px}
.body details{margin-top:8px}.body summary+p{margin-top:6px}
.body ul{margin:0;padding-left:18px}.body li+li{margin-top:3px}
.body .soft{color:var(--lab-ink2);font-size:.75rem}
.body table{border-collapse:collapse;width:100%}
.body th{font-weight:400;font-size:.71875rem;color:var(--lab-ink2);text-align:right;padding:2px 0 3px 10px}
.body td{text-align:right;padding:3px 0 3px 10px}
.body th:first-child,.body td:first-child{text-align:left;padding-left:0}
.body pre{background:var(--lab-chip);border-radius:6px;padding:9px 11px;margin:6px 0;overflow:auto;font:.75rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.buttons .btn{white-space:normal;height:auto;min-height:32px;text-align:left}
.buttons{display:flex;gap:8px;flex-wrap:wrap;padding:10px 14px 12px;flex:none}
a.btn{text-decoration:none}
.said{position:absolute;right:14px;bottom:50px;font-size:.75rem;color:var(--lab-ink2)}
`, render({model}) {
  const root = element(`<section class="card"><header><h2></h2></header><div class="text"><div class="head"><span class="badge"></span><h3></h3></div><div class="body"></div></div>
    <div class="buttons"></div><span class="said" role="status" aria-live="polite"></span><div class="unseen" role="status" aria-live="polite"></div></section>`)
  const find = s => root.querySelector(s)
  const announce = announcer(find(".unseen"))
  const show = () => {
    root.setAttribute("aria-label", model.title)
    const before = find("h3").textContent
    put(find("h2"), model.title); put(find("h3"), model.heading); putFolded(find(".body"), model.body)
    if (model.announces && before && find("h3").textContent !== before) announce(`${model.title}: ${find("h3").textContent}`)
    for (const code of find(".body").querySelectorAll("pre")) setTabStop(code, true, "Code")
    find("header").style.display = model.title ? "" : "none"
    find(".head").style.display = model.heading ? "" : "none"
    const badge = find(".badge"), [name, ink, behind] = model.look
    badge.style.display = name ? "" : "none"
    if (name) { put(badge, icon(name)); badge.style.color = `var(--lab-${ink})`; badge.style.background = `var(--lab-${behind})`; find("h3").style.color = `var(--lab-${ink})` }
    else find("h3").style.color = ""
  }
  const offer = () => {
    refill(find(".buttons"), model.buttons.map(([key, words, name, filled]) => {
      const inside = `${name ? icon(name) : ""}${escapeHtml(words)}`
      const address = model.links[key]
      return element(address ? `<a class="btn ${filled ? "fill" : ""}" href="${escapeHtml(address)}">${inside}</a>` : `<button class="btn ${filled ? "fill" : ""}" data-key="${escapeHtml(key)}">${inside}</button>`)
    }))
    find(".buttons").style.display = model.buttons.length ? "" : "none"
  }
  model.on(["title", "heading", "look", "body"], show); show()
  const text = find(".text")
  onResize(model, () => setTabStop(text, text.scrollHeight > text.clientHeight + 1), text, find(".body"), find(".head"))
  model.on(["buttons", "links"], offer); offer()
  onPress(find(".buttons"), key => model.send_msg({type: "press", key}))
  const showStatus = text => { const node = find(".said"); node.textContent = text; setTimeout(() => { if (node.textContent === text) node.textContent = "" }, 2500) }
  model.on("msg:custom", async message => {
    if (message.save !== undefined) saveFile(message.name, new Blob([message.save], {type: "text/plain"}))
    if (message.copy === undefined) return
    showStatus(await copyText(message.copy) ? "Copied" : "The browser does not allow copying; select the text instead.")
  })
  return root
}}

export const ControlCard = {css: /* css */ `${CARD_CSS}
.card{padding-bottom:10px}
.body{padding:4px 14px 10px;font-size:.78125rem;line-height:1.45;color:var(--lab-ink2)}
.body b{color:var(--lab-ink)}
.items{display:grid;gap:9px;padding:0 14px;grid-template-columns:minmax(0,1fr)}
.item>*{margin:0!important;width:100%!important}
@media (max-width: 74.99875em){.card{height:auto}}
`, render({model}) {
  const root = element(`<section class="card"><header><h2></h2></header><div class="body"></div><div class="items"></div></section>`)
  const find = s => root.querySelector(s)
  for (const item of held.by(model)) { const cell = element(`<div class="item"></div>`); cell.append(item); find(".items").append(cell) }
  const show = () => { root.setAttribute("aria-label", model.title); put(find("h2"), model.title); put(find(".body"), model.body) }
  model.on(["title", "body"], show); show()
  return root
}}
