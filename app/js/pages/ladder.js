// Card of the ladder on the Offline page.
import {announcer, element, fillRange, icon, onResize, oncePerFrame, put, segmented, showProgress, textPixels, thumbAt} from "../common/dom.js"
import {saveButton, savesAs} from "../common/menus.js"
import {savesTexts} from "../common/pictures.js"
import {CARD_CSS, PLAYER_CSS} from "../common/styles.js"

export const LadderCard = {css: /* css */ `${CARD_CSS}${PLAYER_CSS}
.card>header{flex-wrap:wrap;gap:0 10px;padding-bottom:4px}
.seg button{padding:3px 8px}
.view{flex:1 1 0;min-height:260px;position:relative}
.canvas{position:absolute;inset:0}
.canvas>*{position:absolute!important;inset:0;width:100%!important;height:100%!important;margin:0!important}
.empty{position:absolute;inset:0;background:var(--lab-card);display:flex;align-items:center;justify-content:center;padding:20px;color:var(--lab-ink2);text-align:center}
.empty:empty{display:none}
.track{flex:none;padding:0 16px;position:relative}
.track .slot{position:relative;height:18px;margin:3px 0}
.marks u{position:absolute;top:4px;height:10px;width:1px;background:var(--lab-axis)}
.transport{display:flex;flex-wrap:wrap;align-items:center;gap:8px;padding:6px 14px 12px;flex:none}
.play{width:36px;height:36px}
.tool{padding:0 10px 0 7px;height:32px}
.speed{width:118px;margin-left:6px;display:block;flex:none}
.cap{display:block}
.readouts{display:flex;flex-wrap:wrap;margin-left:auto}
.ro{display:flex;flex-direction:column;padding-left:12px;border-left:1px solid var(--lab-line);margin-left:12px}
.ro .l{font-size:.6875rem;color:var(--lab-ink2);line-height:1.27273;white-space:nowrap}
.ro .v{font-size:1.0625rem;line-height:1.2353;font-variant-numeric:tabular-nums;white-space:nowrap}
.ro small{font-size:.75rem;color:var(--lab-ink2)}
.tight .tool span{display:none}.tight .tool{padding:0 7px}.tight .ro{padding-left:9px;margin-left:9px}.tight .ro .v{font-size:.96875rem}.tight .speed{width:104px}
.narrow .transport{gap:6px 8px;padding-bottom:9px}
.narrow .readouts{width:100%;margin:0;justify-content:space-between}
.narrow .ro{margin:0;padding:0 0 0 8px}.narrow .ro:first-child{border:0;padding:0}.narrow .ro .v{font-size:.9375rem}
@media (max-width: 74.99875em){.card{height:auto}.view{flex:none;height:440px}}
@media (max-width: 44.99875em){
.card>header{gap:2px 8px;padding:8px 10px 4px 12px}
.sub{flex:1 1 100%;order:5}h2{flex:1;white-space:normal}
.view{height:330px}
.speed{flex:1}
.readouts{width:100%;margin:0;justify-content:space-between}
.ro:first-child{border:0;padding:0}.ro .l{font-size:.65625rem}
.tool{width:36px;height:36px;justify-content:center;border-radius:18px}
}
`, render({model}) {
  const tool = (name, sign, words, hint) => `<button class="btn tool" data-press="${name}" aria-label="${words}" title="${hint}">${icon(sign)}<span>${words}</span></button>`
  const ro = (key, label, more = "") => `<div class="ro ${more}"><span class="l">${label}</span><span class="v" data-ro="${key}">…</span></div>`
  const root = element(`<section class="card" aria-label="Chains on the ladder"><div class="bar" role="progressbar" aria-label="Progress"><i></i></div>
    <header><h2></h2><span class="sub"></span><span class="working"></span>
      <span class="seg zoom" role="radiogroup" aria-label="Window"><button role="radio" data-value="follow" title="The window shrinks with the target, but more slowly">Follow</button><button role="radio" data-value="fixed" title="The window keeps the width of the hottest target">Fixed</button></span>
      ${saveButton(["csv", "png"])}</header>
    <div class="view"><div class="canvas"></div><p class="empty"></p></div>
    <div class="track"><div class="slot"><span class="marks"></span><input class="range" type="range" min="0" step="1" value="0" aria-label="frame"></div></div>
    <div class="transport" role="toolbar" aria-label="Transport"><button class="play" title="Play or pause"></button>
      ${tool("step", "epoch", "Rung", "Go to the end of the rung")}${tool("restart", "restart", "Restart", "Play again from the cold start")}
      <label class="speed"><span class="cap">speed <b></b></span><input class="range" type="range" min="0" step="1" aria-label="speed"></label>
      <div class="readouts" role="group" aria-label="Readouts">${ro("rung", "rung")}${ro("beta", "β")}${ro("step", "step")}${ro("cost", "gradients per chain")}${ro("full", "full gradient", "only-wide")}</div></div>
    <div class="spoken" role="status" aria-live="polite"></div></section>`)
  const find = s => root.querySelector(s)
  const play = find(".play"), track = find(".track .range"), speed = find(".speed .range"), view = find(".view")
  let frame = 0, held = false
  find(".canvas").append(model.get_child("canvas"))
  onResize(model, () => {
    root.classList.toggle("tight", root.clientWidth < textPixels(800))
    root.classList.toggle("narrow", root.clientWidth < textPixels(620))
  }, root)

  savesTexts(model, () => model.filename)
  model.on("msg:custom", message => {
    if (!message.readouts) return
    frame = message.frame
    const [rung, beta, step, cost, full] = message.readouts
    for (const [key, html] of Object.entries({rung, beta, step, cost, full})) put(find(`[data-ro=${key}]`), html)
    if (!held) { track.value = frame; fillRange(track) }
    track.setAttribute("aria-valuetext", `frame ${frame}, rung ${message.rung}`)
  })

  const heads = () => { put(find("h2"), model.title); put(find(".sub"), model.subtitle); find(".empty").textContent = model.empty }
  const transport = () => {
    put(play, icon(model.playing ? "pause" : "play")); play.setAttribute("aria-label", model.playing ? "Pause" : "Play"); root.dataset.playing = model.playing
    speed.max = Math.max(1, model.speeds.length - 1); speed.value = model.speed; fillRange(speed)
    find(".speed b").textContent = model.speeds[model.speed] ?? ""; speed.setAttribute("aria-valuetext", model.speeds[model.speed] ?? "")
  }
  const rungs = () => {
    const end = Math.max(1, model.betas.length * model.per_rung)
    track.max = end; fillRange(track)
    put(find(".marks"), model.betas.slice(0, -1).map((_, k) => `<u style="left:${thumbAt((k + 1) / model.betas.length)}"></u>`).join(""))
  }
  const progress = () => {
    showProgress(find(".bar"), model.progress)
    find(".working").textContent = model.working
  }
  const announce = announcer(find(".spoken")), speak = () => announce(model.spoken)
  const zoom = segmented(find(".zoom"), value => model.send_msg({type: "zoom", value}))
  const choose = () => zoom(model.zoom)
  for (const [names, show] of [[["title", "subtitle", "empty"], heads], [["playing", "speed", "speeds"], transport], [["betas", "per_rung"], rungs], [["progress", "working"], progress], ["spoken", speak], ["zoom", choose]]) { model.on(names, show); show() }
  play.addEventListener("click", () => model.send_msg({type: "press", name: "play"}))
  for (const b of root.querySelectorAll("[data-press]")) b.addEventListener("click", () => model.send_msg({type: "press", name: b.dataset.press}))
  if (model.playing && matchMedia("(prefers-reduced-motion: reduce)").matches) setTimeout(() => play.click()) // start paused
  speed.addEventListener("input", () => { fillRange(speed); find(".speed b").textContent = model.speeds[+speed.value]; model.send_msg({type: "speed", index: +speed.value}) })
  const seek = oncePerFrame(message => model.send_msg(message))
  track.addEventListener("input", () => { held = true; fillRange(track); seek({type: "seek", frame: +track.value}) })
  track.addEventListener("change", () => { held = false })
  view.addEventListener("keydown", event => { // before the canvas handles the arrow keys
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key]
    if (event.key === " ") play.click()
    else if (by) model.send_msg({type: "seek", frame: frame + by})
    else return
    event.preventDefault(); event.stopPropagation()
  }, true)
  savesAs(root, kind => model.send_msg({type: kind}))
  return root
}}
