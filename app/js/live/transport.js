import {element, escapeHtml, fillRange, icon, lifetime, onResize, put, takesText, termed, textPixels, thousands, thumbAt, toggleKnobs} from "../common/dom.js"
import {PHONE, STILL} from "../common/media.js"
import {PLAYER_CSS, TOP_BAR_CSS} from "../common/styles.js"

const RESOLUTION = 1000

export const Transport = {css: /* css */ `${TOP_BAR_CSS}${PLAYER_CSS}
.root{flex-wrap:wrap}
.bar{flex-wrap:wrap;gap:0 8px;flex:1 1 340px}
.play{margin-right:4px}
.play .icon{width:22px;height:22px}
.cap{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 8px}
.cap b{font-weight:700}
.speed{width:168px;margin:0 6px 0 14px;display:block;flex:none}
.rewind{flex:1;min-width:90px;display:block}
.slot{position:relative;display:block;height:18px}
.slot .range{position:absolute;inset:0}
.marks u{position:absolute;top:5px;height:9px;width:2px;margin-left:-1px;background:var(--lab-hot)}
.ro small{font-size:.8125rem;color:var(--lab-ink2)}
.tight .tool span{display:none}.tight .tool{padding:0 8px}
.tight .speed{width:140px;margin-left:6px}
.tight{padding:0 16px}.tight .rule{margin:0 8px}
.tighter .bar>.rule{display:none}.tighter .speed{flex:1;width:auto}
.tighter{padding-top:5px;padding-bottom:5px}.tighter .bar{row-gap:2px}.tighter .rewind{order:1;flex:1 0 100%}
@media (max-width: 44.99875em){
.tighter .rewind{order:-1}.rewind .slot{height:16px}
.tool{width:34px;height:34px;border-radius:17px;justify-content:center}
.speed{flex:1;width:auto;min-width:60px;margin:0 0 0 6px}.speed .cap{justify-content:center}.speed .cap b{font-weight:400;color:var(--lab-ink2)}
.knobs{margin-left:8px}
}
@media (max-width: 23.74875em){.bar{padding-left:10px;padding-right:10px;gap:6px}.speed{min-width:40px;margin:0;overflow:hidden}.knobs{margin:0;padding:0 9px}}
@media (max-width: 21.87375em){.bar{padding-left:6px;padding-right:6px;gap:3px}.play{margin-right:0}}
`, render({model}) {
  const labels = model.labels
  const button = (name, words, key) => `<button class="btn tool" data-press="${name}" aria-label="${words}" aria-keyshortcuts="${key}" title="${words} (${key})">${icon(name)}<span class="only-wide">${words}</span></button>`
  const root = element(`<div class="root">
    <div class="bar" role="toolbar" aria-label="Transport">
      <button class="play" data-press="play" aria-label="Pause" aria-keyshortcuts="Space" title="Play or pause (space)"></button>
      ${button("step", "Step", "S")}${button("epoch", "Epoch", "E")}${button("restart", "Restart", "R")}
      <label class="speed"><span class="cap"><span class="only-wide">speed</span><b class="speed-words"></b></span>
        <input class="range" type="range" min="0" max="${labels.length - 1}" step="1" aria-label="speed"></label>
      <i class="rule only-wide"></i>
      <label class="rewind"><span class="cap"><span>rewind: drag to replay any epoch exactly</span><b class="rewind-to"></b></span>
        <span class="slot"><span class="marks"></span><input class="range" type="range" min="0" max="${RESOLUTION}" step="1" value="${RESOLUTION}" aria-label="rewind to epoch"></span></label>
      <button class="btn fill knobs only-phone" aria-expanded="false">${icon("tune")}Knobs</button>
    </div>
    <div class="readouts" role="group" aria-label="Readouts">
      <i class="rule only-wide"></i><div class="ro" style="min-width:70px"><span class="l">${termed("epoch", "epoch")} t</span><span class="v" data-ro="t">0</span></div>
      <i class="rule only-wide"></i><div class="ro" style="min-width:74px"><span class="l">${termed("step", "step")} i of <lab-term key="run length">i<sub>t</sub></lab-term></span><span class="v"><span data-ro="i">0</span> <small>/ <span data-ro="n">0</span></small></span></div>
      <i class="rule only-wide"></i><div class="ro" style="min-width:112px"><span class="l step-words"></span><span class="v" data-ro="size">…</span></div>
    </div></div>`)
  const find = s => root.querySelector(s)
  const showStep = () => put(find(".step-words"), `${termed("step size", "step size")} ${model.step[0]}<span class="only-wide"> ${escapeHtml(model.step[1])}</span>`)
  model.on("step", showStep); showStep()
  const play = find(".play"), speed = find(".speed .range"), rewind = find(".rewind .range"), marks = find(".marks")
  const ro = Object.fromEntries([...root.querySelectorAll("[data-ro]")].map(n => [n.dataset.ro, n]))
  let playing = model.playing, confirmed = null, furthest = 0, t = 0, held = false, awaited = 0

  const showPlay = on => {
    put(play, icon(on ? "pause" : "play"))
    play.setAttribute("aria-label", on ? "Pause" : "Play")
    root.dataset.playing = on
  }
  const PATIENCE = 400 // ms in which a press takes precedence over the state of the run
  const settle = () => {
    if (confirmed !== null && confirmed !== playing && performance.now() - awaited > PATIENCE) { playing = confirmed; showPlay(playing) }
  }
  const pressed = on => {
    playing = on; confirmed = null; awaited = performance.now(); showPlay(on)
    setTimeout(settle, PATIENCE + 50)
  }
  const press = name => {
    if (name === "play") pressed(!playing)
    model.send_msg({type: "press", name: name === "play" ? (playing ? "play" : "pause") : name})
  }
  for (const b of root.querySelectorAll("[data-press]")) b.addEventListener("click", () => press(b.dataset.press))

  const shortSpeed = words => words.replace(" a second", "/s").replace("as fast as it goes", "fastest")
  const showSpeed = () => {
    const words = labels[speed.value]
    find(".speed-words").textContent = PHONE.matches ? shortSpeed(words) : words
    speed.setAttribute("aria-valuetext", words); fillRange(speed)
  }
  speed.value = model.speed
  speed.addEventListener("input", () => { showSpeed(); model.send_msg({type: "speed", index: +speed.value}) })
  model.on("speed", () => { speed.value = model.speed; showSpeed() })
  onResize(model, () => { // by its own width: in a notebook a cell is narrower than the window
    root.classList.toggle("tight", root.clientWidth < textPixels(1200))
    root.classList.toggle("tighter", root.clientWidth < textPixels(900))
    showSpeed()
  }, root)

  const epochAt = position => Math.round(furthest <= 1 ? furthest * position / RESOLUTION : furthest ** (position / RESOLUTION))
  const placeOf = epoch => furthest <= 1 ? RESOLUTION : RESOLUTION * Math.log(Math.max(1, epoch)) / Math.log(furthest)
  const showRewind = () => {
    if (!held) { rewind.value = t >= furthest ? RESOLUTION : placeOf(t) }
    const to = held ? epochAt(rewind.value) : t
    find(".rewind-to").textContent = held || t < furthest ? `epoch ${thousands(to)}` : ""
    rewind.setAttribute("aria-valuetext", `epoch ${thousands(to)} of ${thousands(furthest)}`)
    fillRange(rewind)
  }
  const showMarks = () => {
    const seen = model.marks.filter(e => e >= 1 && e <= furthest)
    put(marks, seen.map(e => `<u style="left:${thumbAt(placeOf(e) / RESOLUTION)}"></u>`).join(""))
  }
  rewind.addEventListener("input", () => { held = true; showRewind() })
  rewind.addEventListener("change", () => {
    model.send_msg({type: "rewind", t: epochAt(rewind.value)})
    pressed(false)
    held = false
  })
  model.on("marks", showMarks)

  model.on("msg:custom", ([epoch, step, length, size, far, on]) => {
    t = epoch
    put(ro.t, thousands(epoch)); put(ro.i, String(step)); put(ro.n, String(length)); put(ro.size, size)
    if (far !== furthest) { furthest = far; showMarks() }
    confirmed = on
    if (on === playing) awaited = 0
    settle()
    showRewind()
  })

  const keys = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || root.offsetParent === null) return
    const target = event.composedPath()[0]
    if (takesText(target) || target.matches?.("select, [role=dialog]:not(.lesson) *")) return
    if (event.key === " " && target.matches?.("button, [role=button], input[type=checkbox]")) return
    const name = {" ": "play", s: "step", e: "epoch", r: "restart"}[event.key.length > 1 ? event.key : event.key.toLowerCase()]
    if (name) { event.preventDefault(); press(name) }
  }
  addEventListener("keydown", keys, {signal: lifetime(model)})

  const knobs = find(".knobs")
  knobs.addEventListener("click", () => toggleKnobs(knobs, knobs))
  const still = STILL.matches // with reduced motion, start paused
  if (still) pressed(false)
  else showPlay(playing)
  showSpeed(); showRewind(); showMarks()
  setTimeout(() => model.send_msg({type: "ready", still}), 0)
  return root
}}
