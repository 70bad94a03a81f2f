import {deepFind, element, icon, put, thousands, toggleKnobs} from "../common/dom.js"
import {TOP_BAR_CSS} from "../common/styles.js"

export const FollowBar = {css: /* css */ `${TOP_BAR_CSS}
.bar{gap:12px;flex:1}
.words{flex:0 1 auto;min-width:0;line-height:1.35}
.live{width:9px;height:9px;border-radius:5px;background:var(--lab-ink3);flex:none}
.plays .live{background:var(--lab-ok)}
.warns .live{background:var(--lab-hot)}
.warns .words{color:var(--lab-hot);font-weight:700}
.alone{flex:none}
.alone:disabled{color:var(--lab-ink3);cursor:default}
.ro{min-width:72px}
@media (max-width: 44.99875em){
.bar{gap:6px 8px}
.words{flex:1 1 calc(100% - 40px);font-size:.78125rem}
.alone{flex:1;justify-content:center;height:38px}
}
`, render({model}) {
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
  const epoch = () => { // frames of the chains are the most frequent updates
    if (!canvas?.isConnected) canvas = deepFind("canvas[data-frames]")
    if (canvas?.dataset.t) put(find("[data-ro=t]"), thousands(+canvas.dataset.t))
  }
  const clock = setInterval(epoch, 200)
  model.on("remove", () => clearInterval(clock))
  const run = () => {
    if (!model.readouts || !model.shown) return
    put(find("[data-ro=size]"), model.size)
    find("[data-ro=state]").textContent = model.plays ? "playing" : "paused"
    root.classList.toggle("plays", model.plays)
  }
  model.on(["size", "plays", "shown"], run); run()
  find(".alone").addEventListener("click", () => model.send_msg({type: "alone"}))
  find(".knobs").addEventListener("click", () => toggleKnobs(root, find(".knobs")))
  return root
}}
