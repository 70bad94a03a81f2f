import {element, escapeHtml, icon, mark, onPress, onResize, put, refill, setTabStop} from "../common/dom.js"
import {savesTexts} from "../common/pictures.js"
import {CARD_CSS} from "../common/styles.js"

export const TableCard = {css: /* css */ `${CARD_CSS}
.card{padding-bottom:8px}
.scroll{overflow:auto;flex:1 1 auto;min-height:0;padding:2px 16px 0;scrollbar-width:thin;scrollbar-color:var(--lab-track) transparent}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{font-weight:400;padding:4px 0 6px 14px;text-align:right;vertical-align:bottom;position:sticky;top:0;background:var(--lab-card);box-shadow:inset 0 -1px var(--lab-line)}
th:first-child,td:first-child{text-align:left;padding-left:0}
th button{font-size:.71875rem;line-height:1.3;color:var(--lab-ink2);text-align:inherit}
th button:hover{color:var(--lab-ink)}
th .about{font-size:.6875rem;margin-left:3px;color:var(--lab-ink2)}
@media (pointer:coarse),(max-width: 44.99875em){th .about{display:inline-flex;width:24px;height:24px;align-items:center;justify-content:center;margin:0}}
th i{font-style:normal;color:var(--lab-primary);margin-left:2px}
td{padding:0 0 0 14px;height:29px;border-bottom:1px solid var(--lab-grid);text-align:right;vertical-align:middle;white-space:nowrap}
.dense .words{white-space:normal;line-height:1.2}
.dense table{font-size:.71875rem}.dense th button{font-size:.6875rem}.dense th,.dense td{padding-left:7px}.dense .scroll{padding-left:12px;padding-right:10px}.dense .name{gap:6px}
.over .scroll{background:linear-gradient(to left,var(--lab-track),transparent 22px) right/22px 100% no-repeat scroll,linear-gradient(to left,var(--lab-card) 22px,transparent 44px) right/44px 100% no-repeat local;padding-top:0;padding-bottom:8px;padding-left:0;scrollbar-width:auto;scrollbar-color:var(--lab-axis) transparent}
.over th:first-child,.over td:first-child{padding-left:16px;position:sticky;left:0;background:var(--lab-card);z-index:1}
.name{display:inline-flex;align-items:center;gap:8px;vertical-align:middle}
.bold td{font-weight:700}
.clickable tr[data-key]{cursor:pointer}.clickable tbody tr:hover td{background:var(--lab-chip)}
tr[aria-selected=true] td{background:var(--lab-coldbg)}
.empty{padding:8px 16px;color:var(--lab-ink2)}.empty:empty{display:none}
.note{font-size:.75rem;line-height:1.45;color:var(--lab-ink2);padding:7px 16px 2px;flex:none}.note:empty{display:none}
@media (max-width: 44.99875em){.scroll{padding:2px 12px 0}td,th{padding-left:12px}.card>header{flex-wrap:wrap}}
`, render({model}) {
  const root = element(`<section class="card"><header><h2></h2><span class="sub"></span><span class="export"><button class="round save" aria-label="Save the numbers as CSV" title="Save the numbers as CSV">${icon("save")}</button></span></header>
    <div class="scroll"><table><thead><tr></tr></thead><tbody></tbody></table></div><p class="empty"></p><div class="note"></div></section>`)
  const find = s => root.querySelector(s), body = find("tbody")
  let by = null, down = false // column of the sorting, or null for the original order; descending
  const show = () => {
    root.setAttribute("aria-label", model.title || model.name_column)
    put(find("h2"), model.title); put(find(".sub"), model.subtitle)
    find("header").style.display = model.title || model.subtitle ? "" : "none"
    const heads = [["", model.name_column, ""], ...model.columns]
    refill(find("thead tr"), heads.map(([, words, hint, term], k) => {
      const sort = by === k ? (down ? "descending" : "ascending") : "none"
      const th = element(`<table><tr><th aria-sort="${sort}" title="${escapeHtml(term ? "" : hint ?? "")}"><button>${escapeHtml(words).replace(/\n/g, "<br>")}<i>${by === k ? (down ? "↓" : "↑") : ""}</i></button>${term ? `<lab-term class="about" key="${escapeHtml(term)}" note="${escapeHtml(escapeHtml(hint))}">?</lab-term>` : ""}</th></tr></table>`).querySelector("th")
      th.firstElementChild.addEventListener("click", () => {
        if (by === k && down) { by = null; down = false } else if (by === k) down = true
        else { by = k; down = false }
        show()
      })
      return th
    }))
    const value = row => by === 0 ? row[1] : row[5][by - 1]?.[1]
    const rows = [...model.rows]
    if (by !== null) rows.sort((a, b) => {
      const x = value(a), y = value(b)
      if (x === null || x === undefined) return 1
      if (y === null || y === undefined) return -1
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y))
      return down ? -order : order
    })
    const stop = model.clickable ? `tabindex="0"` : ""
    refill(body, rows.map(([key, name, kind, token, bold, cells]) => element(
      `<table><tr data-key="${escapeHtml(key)}" class="${bold ? "bold" : ""}" aria-selected="${key === model.chosen}" ${stop}><td><span class="name">${mark(kind, token)}${escapeHtml(name)}</span></td>${cells.map(([text, value]) => `<td${typeof value === "string" ? " class=words" : ""}>${escapeHtml(text)}</td>`).join("")}</tr></table>`).querySelector("tr")))
    root.classList.toggle("clickable", model.clickable)
    find(".scroll").style.display = model.rows.length ? "" : "none"
    find(".empty").textContent = model.rows.length ? "" : model.empty
    put(find(".note"), model.note)
  }
  onPress(body, key => { if (model.clickable) model.send_msg({type: "choose", key}) })
  body.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.target.click(); event.preventDefault() } })
  const scroll = find(".scroll"), table = find("table")
  onResize(model, () => { // reduce the text size before scrolling, and mark hidden columns
    const wide = () => scroll.scrollWidth > scroll.clientWidth + 1
    root.classList.remove("dense")
    if (wide()) root.classList.add("dense")
    const over = wide()
    if (over) root.classList.remove("dense")
    root.classList.toggle("over", over)
    setTabStop(scroll, over, "Table, scrolls sideways")
  }, scroll, table)
  model.on(["title", "subtitle", "columns", "name_column", "rows", "chosen", "clickable", "note", "empty"], show); show()
  find(".save").addEventListener("click", () => model.send_msg({type: "csv"}))
  savesTexts(model, () => model.filename)
  return root
}}
