export function render({model}) {
  const tool = (name, sign, words, hint) => `<button class="btn tool" data-press="${name}" aria-label="${words}" title="${hint}">${icon(sign)}<span>${words}</span></button>`
  const ro = (key, label, more = "") => `<div class="ro ${more}"><span class="l">${label}</span><span class="v" data-ro="${key}">…</span></div>`
  const root = element(`<section class="card" aria-label="Chains on the ladder"><div class="bar" role="progressbar" aria-label="Progress"><i></i></div>
    <header><h2></h2><span class="sub"></span><span class="working"></span>
      <span class="seg zoom" role="radiogroup" aria-label="Window"><button role="radio" data-value="follow" title="The window shrinks with the target, more slowly">Follow</button><button role="radio" data-value="fixed" title="The window stays as wide as the hottest target">Fixed</button></span>
      <span class="export"><button class="csv" title="Save the rungs as CSV">CSV</button><button class="png" title="Save the picture as PNG">PNG</button></span></header>
    <div class="view"><div class="canvas"></div><p class="empty"></p></div>
    <div class="track"><div class="slot"><span class="marks"></span><input class="range" type="range" min="0" step="1" value="0" aria-label="frame"></div></div>
    <div class="transport" role="toolbar" aria-label="Transport"><button class="play" title="Play or pause"></button>
      ${tool("step", "epoch", "Rung", "Go to the end of the rung")}${tool("restart", "restart", "Restart", "From the cold start again")}
      <label class="speed"><span class="cap">speed <b></b></span><input class="range" type="range" min="0" step="1" aria-label="speed"></label>
      <div class="readouts" role="group" aria-label="Readouts">${ro("rung", "rung")}${ro("beta", "β")}${ro("step", "step")}${ro("cost", "gradients a chain")}${ro("full", "full gradient", "only-wide")}</div></div>
    <div class="spoken" role="status" aria-live="polite"></div></section>`)
  const find = s => root.querySelector(s)
  const play = find(".play"), track = find(".track .range"), speed = find(".speed .range"), view = find(".view")
  let frame = 0, held = false
  find(".canvas").append(model.get_child("canvas"))
  const narrow = new ResizeObserver(() => {
    root.classList.toggle("tight", root.clientWidth < textPixels(800))
    root.classList.toggle("narrow", root.clientWidth < textPixels(620))
  })
  narrow.observe(root)

  model.on("msg:custom", message => {
    if (message.csv !== undefined) { saveFile(`${model.filename}.csv`, new Blob([message.csv], {type: "text/csv"})); return }
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
    put(find(".marks"), model.betas.slice(0, -1).map((_, k) => { const at = (k + 1) / model.betas.length; return `<u style="left:calc(${(at * 100).toFixed(2)}% + ${((0.5 - at) * 13).toFixed(1)}px)"></u>` }).join(""))
  }
  const progress = () => {
    const bar = find(".bar"), on = model.progress !== null
    bar.style.visibility = on ? "visible" : "hidden"; bar.classList.toggle("endless", on && model.progress < 0)
    if (on) { bar.firstElementChild.style.width = `${model.progress < 0 ? 30 : model.progress * 100}%`; bar.setAttribute("aria-valuenow", Math.round(Math.max(0, model.progress) * 100)) }
    find(".working").textContent = model.working
  }
  const say = politely(find(".spoken")), speak = () => say(model.spoken)
  const zoom = segmented(find(".zoom"), value => model.send_msg({type: "zoom", value}))
  const choose = () => zoom(model.zoom)
  for (const [names, show] of [[["title", "subtitle", "empty"], heads], [["playing", "speed", "speeds"], transport], [["betas", "per_rung"], rungs], [["progress", "working"], progress], ["spoken", speak], ["zoom", choose]]) { model.on(names, show); show() }
  play.addEventListener("click", () => model.send_msg({type: "press", name: "play"}))
  for (const b of root.querySelectorAll("[data-press]")) b.addEventListener("click", () => model.send_msg({type: "press", name: b.dataset.press}))
  if (model.playing && matchMedia("(prefers-reduced-motion: reduce)").matches) setTimeout(() => play.click()) // a still picture
  speed.addEventListener("input", () => { fillRange(speed); find(".speed b").textContent = model.speeds[+speed.value]; model.send_msg({type: "speed", index: +speed.value}) })
  const seek = latest(message => model.send_msg(message))
  track.addEventListener("input", () => { held = true; fillRange(track); seek({type: "seek", frame: +track.value}) })
  track.addEventListener("change", () => { held = false })
  view.addEventListener("keydown", event => { // before the canvas takes the arrows for its chains
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key]
    if (event.key === " ") play.click()
    else if (by) model.send_msg({type: "seek", frame: frame + by})
    else return
    event.preventDefault(); event.stopPropagation()
  }, true)
  find(".csv").addEventListener("click", () => model.send_msg({type: "csv"}))
  find(".png").addEventListener("click", () => model.send_msg({type: "png"}))
  model.on("remove", () => narrow.disconnect())
  return root
}
