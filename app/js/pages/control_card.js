// The control of a coreset's figure.
import {element, put} from "../shared/dom.js"
import {CARD_CSS} from "../shared/styles.js"

export const ControlCard = {render: renderControlCard, css: /* css */ `${CARD_CSS}
.card{padding-bottom:10px}
.body{padding:4px 14px 10px;font-size:.78125rem;line-height:1.45;color:var(--lab-ink2)}
.body b{color:var(--lab-ink)}
.items{display:grid;gap:9px;padding:0 14px;grid-template-columns:minmax(0,1fr)}
.item>*{margin:0!important;width:100%!important}
@media (max-width: 74.99875em){.card{height:auto}}
`}

function renderControlCard({model}) {
  const root = element(`<section class="card"><header><h2></h2></header><div class="body"></div><div class="items"></div></section>`)
  const find = s => root.querySelector(s)
  for (const item of model.get_child("items")) { const cell = element(`<div class="item"></div>`); cell.append(item); find(".items").append(cell) }
  const show = () => { root.setAttribute("aria-label", model.title); put(find("h2"), model.title); put(find(".body"), model.body) }
  model.on(["title", "body"], show); show()
  return root
}
