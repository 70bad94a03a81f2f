// Rows of Live's sidebar: measured assumptions, and promise of the theorem.
import {element, escapeHtml, icon, put, termed} from "../common/dom.js"

export const Assumptions = {css: /* css */ `
.as{display:flex;height:22px;align-items:center;font-size:.75rem;color:var(--lab-ink2)}
.as span{flex:1}
.as b{color:var(--lab-ink);font-weight:400;font-variant-numeric:tabular-nums}
.as i{margin-left:8px;width:14px;height:14px;color:var(--lab-ok)}
.as .icon{width:14px;height:14px}
.bad i,.bad b{color:var(--lab-hot)!important}.bad b{font-weight:700}
.unknown i{color:var(--lab-ink3)}
`, render({model}) {
  const root = element(`<div class="root" data-aside></div>`)
  const show = () => { // update numbers in place: a definition of a row may be open
    put(root, model.rows.map(([number, name, , , help]) => `<div class="as"><span>${number} ${termed(name, name, help)}</span><b></b><i role="img"></i></div>`).join(""))
    model.rows.forEach(([, , text, ok], k) => {
      const state = ok === null ? "unknown" : ok ? "good" : "bad", row = root.children[k], sign = row.querySelector("i")
      row.className = `as ${state}`
      put(row.querySelector("b"), escapeHtml(text))
      put(sign, icon({unknown: "wait", good: "check", bad: "warn"}[state]))
      sign.setAttribute("aria-label", {unknown: "not measured yet", good: "holds", bad: "strained"}[state])
    })
  }
  model.on("rows", show); show()
  return root
}}

export const PromiseRows = {css: /* css */ `
dl{margin:0}
dl div{display:flex;min-height:22px;align-items:center;font-size:.75rem;color:var(--lab-ink2)}
dt{flex:1}
dd{margin:0;color:var(--lab-ink);font-variant-numeric:tabular-nums;white-space:nowrap}
p{margin:4px 0 0;font-size:.75rem;line-height:1.4;color:var(--lab-ink2)}
`, render({model}) {
  const root = element(`<div class="root" data-aside><dl></dl><p></p></div>`), list = root.querySelector("dl")
  const show = () => { // update numbers in place: a definition of a row may be open
    put(list, model.rows.map(([name]) => `<div><dt>${termed(name, "promise", " ")}</dt><dd></dd></div>`).join(""))
    model.rows.forEach(([, value, help], k) => {
      put(list.children[k].querySelector("dd"), escapeHtml(value))
      list.children[k].querySelector("lab-term").setAttribute("note", escapeHtml(help))
    })
    root.querySelector("p").textContent = model.note
  }
  model.on(["rows", "note"], show); show()
  return root
}}
