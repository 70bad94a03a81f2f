import {deepFind, element, icon, put, tellKnobs, thousands} from "../shared/dom.js"

export const FollowBar = {render: renderFollowBar, css: /* css */ `
.root{min-height:60px;display:flex;align-items:center;padding:0 20px;gap:8px;background:var(--lab-card);border-bottom:1px solid var(--lab-line)}
.bar{display:flex;align-items:center;gap:12px;flex:1;min-width:0}
.words{flex:0 1 auto;min-width:0;line-height:1.35}
.live{width:9px;height:9px;border-radius:5px;background:var(--lab-ink3);flex:none}
.plays .live{background:var(--lab-ok)}
.warns .live{background:var(--lab-hot)}
.warns .words{color:var(--lab-hot);font-weight:700}
.alone{flex:none}
.alone:disabled{color:var(--lab-ink3);cursor:default}
.rule{width:1px;height:32px;background:var(--lab-line);margin:0 10px;flex:none}
.readouts{display:flex;align-items:center;flex:none}
.readouts[hidden]{display:none!important}
.ro{display:flex;flex-direction:column;justify-content:center;min-width:72px}
.ro .l{font-size:.6875rem;color:var(--lab-ink2);line-height:1.27273;white-space:nowrap}
.ro .v{font-size:1.3125rem;line-height:1.14286;font-variant-numeric:tabular-nums;white-space:nowrap}
@media (max-width: 44.99875em){
.root{min-height:0;display:block;background:none;border:0;padding:0}
.readouts{justify-content:space-between;padding:10px 16px 0}
.ro{min-width:0}.ro .v{font-size:1.125rem}
.bar{position:fixed;left:0;right:0;bottom:0;min-height:calc(100px + env(safe-area-inset-bottom,0px));padding:4px 14px env(safe-area-inset-bottom,0px);flex-wrap:wrap;align-content:space-evenly;gap:6px 8px;background:var(--lab-card);border-top:1px solid var(--lab-line);box-shadow:0 -4px 16px rgba(20,32,48,.06);z-index:30}
.words{flex:1 1 calc(100% - 40px);font-size:.78125rem}
.alone{flex:1;justify-content:center;height:38px}
.knobs{height:38px}
}
`}

function renderFollowBar({model}) {
  const root = element(`<div class="root"><div class="bar" role="toolbar" aria-label="Class">
      <span class="live" aria-hidden="true"></span><span class="words" role="status" aria-live="polite"></span>
      <button class="btn alone">${icon("play")}<span>${model.readouts ? "Take your own run" : "Turn its knobs yourself"}</span></button>
      <button class="btn fill knobs only-phone" aria-expanded="false">${icon("tune")}Knobs</button></div>
    <div class="readouts" ${model.readouts ? "" : "hidden"} role="group" aria-label="Readouts"><i class="rule only-wide"></i>
      <div class="ro"><span class="l">epoch t</span><span class="v" data-ro="t">0</span></div><i class="rule only-wide"></i>
      <div class="ro"><span class="l">step size η<sub>t</sub></span><span class="v" data-ro="size">…</span></div><i class="rule only-wide"></i>
      <div class="ro"><span class="l">the run</span><span class="v" data-ro="state">…</span></div></div></div>`)
  const find = s => root.querySelector(s)
  const show = () => {
    find(".words").textContent = model.words
    root.classList.toggle("warns", model.warns)
    if (!model.readouts) root.classList.toggle("plays", model.shown && !model.warns)
    find(".alone").classList.toggle("fill", model.warns)
    find(".alone").disabled = !model.shown
  }
  model.on(["words", "warns", "shown"], show); show()
  let canvas = null
  const epoch = () => { // the chains' own frames come oftener than anything else
    if (!root.isConnected && canvas) { clearInterval(clock); return }
    if (!canvas?.isConnected) canvas = deepFind("canvas[data-frames]")
    if (canvas?.dataset.t) put(find("[data-ro=t]"), thousands(+canvas.dataset.t))
  }
  const clock = setInterval(epoch, 200)
  model.on("remove", () => clearInterval(clock))
  const run = () => {
    if (!model.readouts || !model.shown) return
    put(find("[data-ro=size]"), model.size)
    find("[data-ro=state]").textContent = model.plays ? "plays" : "stands"
    root.classList.toggle("plays", model.plays)
  }
  model.on(["size", "plays", "shown"], run); run()
  find(".alone").addEventListener("click", () => model.send_msg({type: "alone"}))
  find(".knobs").addEventListener("click", () => tellKnobs(root, find(".knobs")))
  return root
}
