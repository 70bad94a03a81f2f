import {announcer, batched, element, escapeHtml, icon, put, termed} from "../common/dom.js"

export const VerdictCard = {css: /* css */ `
.card{display:flex;flex-direction:column;justify-content:space-between;overflow:hidden}
.verdict{display:flex;gap:16px;padding:13px 16px 4px;min-height:0;overflow:auto}
.badge{flex:none;width:44px;height:44px;border-radius:22px;background:var(--vb);color:var(--vc);display:flex;align-items:center;justify-content:center;transition:background .2s,color .2s}
.badge .icon{width:26px;height:26px}
.text{flex:1;min-width:0}
.head{display:flex;align-items:baseline;gap:8px;flex-wrap:wrap}
h2{font-size:1.3125rem;font-weight:700;line-height:1.14286;color:var(--vc)}
.sub{font-size:.8125rem;color:var(--lab-ink2)}
p{margin-top:4px;line-height:1.45}
.sentence{font-variant-numeric:tabular-nums}
.try{color:var(--lab-ink2)}.try:empty{display:none}
.apply{flex:none;align-self:flex-start}
.meters{flex:none;display:grid;grid-template-columns:repeat(4,minmax(0,1fr));align-items:end;gap:16px;padding:4px 16px 13px}
.l{font-size:.71875rem;color:var(--lab-ink2);display:flex;justify-content:space-between;align-items:baseline;flex-wrap:wrap;gap:0 4px}
.l b{color:var(--lab-ink);font-size:.8125rem;font-weight:700;font-variant-numeric:tabular-nums}
.bar{height:4px;border-radius:2px;background:var(--lab-track);position:relative;margin-top:4px}
.bar i{position:absolute;inset:0;border-radius:2px;background:var(--lab-ok);transform-origin:left;transform:scaleX(0);transition:transform .25s}
.bar u{position:absolute;top:-3px;height:10px;width:1.5px;background:var(--lab-ink2)}
.bad .bar i{background:var(--lab-hot)}.bad .l b{color:var(--lab-hot)}
@media (max-width: 44.99875em){
.verdict{padding:10px 12px;gap:12px;flex-wrap:wrap}.badge{width:36px;height:36px}h2{font-size:1.125rem;line-height:1.11112}p{font-size:.78125rem;margin-top:2px}
.apply{margin-left:48px}.text{flex-basis:calc(100% - 60px)}
.meters{grid-template-columns:repeat(2,minmax(0,1fr));gap:8px 16px;padding:4px 12px 12px}
}
`, render({model}) {
  const root = element(`<section class="card" aria-label="Verdict">
    <div class="verdict"><div class="badge"></div>
      <div class="text"><div class="head"><h2></h2><span class="sub"></span></div><p class="sentence"></p><p class="try"></p></div>
      <button class="btn apply"></button></div>
    <div class="meters"></div><div class="spoken" aria-live="polite" role="status"></div></section>`)
  const find = s => root.querySelector(s)
  const badge = find(".badge"), apply = find(".apply"), meters = find(".meters")
  const announce = announcer(find(".spoken"))
  let verdict = ""

  const speak = () => { // the verdict when it changes; the numbers in its sentence change all the time and are read there
    const now = `${model.title}, ${model.subtitle}`
    if (now === verdict) return
    verdict = now
    announce(`${now}. ${find(".sentence").textContent}`)
  }
  const show = () => {
    const [name, colour, behind] = model.look
    root.style.setProperty("--vc", `var(--lab-${colour})`)
    root.style.setProperty("--vb", `var(--lab-${behind})`)
    root.dataset.title = model.title
    put(badge, icon(name))
    find("h2").textContent = model.title
    find(".sub").textContent = model.subtitle
    put(find(".sentence"), model.sentence)
    find(".try").textContent = model.suggestion
    apply.textContent = model.button
    apply.style.display = model.button ? "" : "none"
    speak()
  }
  const measure = () => {
    if (meters.childElementCount !== model.meters.length) {
      meters.replaceChildren(...model.meters.map(([label, , , , , term]) => element(
        `<div class="meter"><div class="l"><span>${termed(label, term)}</span><b></b></div><div class="bar" role="meter" aria-label="${escapeHtml(label)}" aria-valuemin="0" aria-valuemax="1"><i></i><u></u></div></div>`)))
    }
    model.meters.forEach(([, text, fill, tick, bad], k) => {
      const node = meters.children[k], bar = node.querySelector(".bar")
      node.classList.toggle("bad", bad)
      node.querySelector("b").textContent = text
      bar.setAttribute("aria-valuenow", fill); bar.setAttribute("aria-valuetext", `${text}${bad ? ", beyond its limit" : ""}`)
      node.querySelector("i").style.transform = `scaleX(${Math.min(1, Math.max(0, fill))})`
      node.querySelector("u").style.left = `${tick * 100}%`
    })
  }
  apply.addEventListener("click", () => model.send_msg({type: "apply"}))
  model.on(["title", "subtitle", "sentence", "suggestion", "button", "look"], batched(show))
  model.on("meters", measure)
  show(); measure()
  return root
}}
