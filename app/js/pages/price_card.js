// Card of the price of theory on the Exit time page.
import {element, escapeHtml, put, segmented} from "../common/dom.js"
import {CARD_CSS} from "../common/styles.js"

const REACH = 22 // orders of magnitude from the middle of a strip to its end

export const PriceCard = {css: /* css */ `${CARD_CSS}
.card{padding-bottom:12px}
.card>header{flex-wrap:wrap;row-gap:2px}.sub{flex:1 1 auto;order:3}
.rows{padding:10px 14px 0;flex:1}
.row{display:grid;grid-template-columns:minmax(64px,112px) 74px minmax(92px,1fr) minmax(44px,auto);gap:10px;align-items:center;height:41px;border-bottom:1px solid var(--lab-grid);font-variant-numeric:tabular-nums}
.row.names{height:24px;font-size:.71875rem;color:var(--lab-ink2)}
.row>:nth-child(2){text-align:right}
.name{color:var(--lab-ink2);font-size:.75rem}.name b{font-size:.875rem;font-weight:400;color:var(--lab-ink);margin-right:6px}
.theory{color:var(--lab-bound);font-weight:700}.tuned{color:var(--lab-chain);font-weight:700}
.strip{position:relative;height:30px}
.strip:before{content:"";position:absolute;left:0;right:0;top:11px;height:1px;background:var(--lab-line)}
.names .strip:before{display:none}
.strip i{position:absolute;top:10px;height:3px;border-radius:2px;background:color-mix(in srgb,var(--lab-bound) 35%,transparent)}
.strip u{position:absolute;top:6px;width:11px;height:11px;margin-left:-5px;border-radius:6px;background:var(--lab-bound)}
.strip u.hand{background:var(--lab-chain)}
.strip em{position:absolute;left:0;right:0;top:18px;font-style:normal;font-size:.6875rem;line-height:1.18182;color:var(--lab-ink2);text-align:center;white-space:nowrap}
.verdict,.why{padding:8px 14px 0;line-height:1.45}
.source{padding:4px 14px 0;font-size:.75rem;color:var(--lab-ink2);line-height:1.45}
@media (max-width: 44.99875em){
.row{grid-template-columns:38px 76px minmax(84px,1fr) minmax(44px,auto);gap:8px}.name span{display:none}.rows{padding:6px 12px 0}
}
`, render({model}) {
  const root = element(`<section class="card" aria-label="The price of theory"><header><h2>The price of theory</h2><span class="sub">Theorem 6.7 and values tuned by hand</span>
    <span class="seg" role="radiogroup" aria-label="Input"><button role="radio" data-value="paper">The paper’s size</button><button role="radio" data-value="live">Live, measured</button></span></header>
    <div class="rows"></div><p class="verdict"></p><p class="why"></p><p class="source"></p></section>`)
  const find = s => root.querySelector(s)
  const select = segmented(find(".seg"), value => model.send_msg({type: "choose", value}))
  const show = () => {
    select(model.choice)
    find(".seg").style.display = model.has_live ? "" : "none"
    const place = orders => 50 + 50 * Math.max(-1, Math.min(1, orders / REACH))
    put(find(".rows"), `<div class="row names"><span></span><span>theory</span><span class="strip"></span><span>by hand</span></div>` + model.rows.map(([symbol, words, theory, tuned, orders]) => {
      const at = place(orders), low = Math.min(at, 50), factor = Math.abs(orders) < 0.05 ? "the same" : Math.abs(orders) < 2 ? `${+(10 ** Math.abs(orders)).toPrecision(2)} times ${orders < 0 ? "less" : "more"}` : `${Math.round(Math.abs(orders))} orders ${orders < 0 ? "less" : "more"}`
      return `<div class="row"><span class="name"><b>${symbol}</b><span>${escapeHtml(words)}</span></span><span class="theory">${escapeHtml(theory)}</span>
        <span class="strip" title="${escapeHtml(factor)}"><i style="left:${low}%;width:${Math.abs(at - 50)}%"></i><u style="left:${at}%"></u><u class="hand" style="left:50%"></u><em>${escapeHtml(factor)}</em></span><span class="tuned">${escapeHtml(tuned)}</span></div>`
    }).join(""))
    find(".rows").style.display = model.rows.length ? "" : "none"
    find(".verdict").textContent = model.verdict
    put(find(".why"), model.why)
    put(find(".source"), model.source ? `Input: ${escapeHtml(model.source)}. LMV-a eq. 63 to 66, the <lab-term key="theorem's constants">constants</lab-term> of Theorem 6.7.` : "")
  }
  model.on(["rows", "source", "verdict", "why", "choice", "has_live"], show); show()
  return root
}}
