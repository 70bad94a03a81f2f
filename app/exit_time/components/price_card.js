const REACH = 22 // orders of magnitude from the middle of a strip to its end

export function render({model}) {
  const root = element(`<section class="card" aria-label="The price of theory"><header><h2>The price of theory</h2><span class="sub">Theorem 6.7 beside what a person turns by hand</span>
    <span class="seg" role="radiogroup" aria-label="Numbers put in"><button role="radio" data-value="paper">The paper’s size</button><button role="radio" data-value="live">Live, measured</button></span></header>
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
    put(find(".source"), model.source ? `Put in: ${escapeHtml(model.source)}. LMV-a eq. 63 to 66, the <lab-term key="theorem's constants">constants</lab-term> of Theorem 6.7.` : "")
  }
  model.on(["rows", "source", "verdict", "why", "choice", "has_live"], show); show()
  return root
}
