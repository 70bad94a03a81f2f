const HEAD = 16, LOOP = 64, TRAIL = 12
const EASE = 5 // camera: share of the way a second, in e-folds

function unpack(data) { // what Stage.message packs
  const buffer = data instanceof ArrayBuffer ? data : data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
  const all = new Float32Array(buffer)
  const [frame, rung, count, x, y, half, cut, tempered, target, started] = all
  let from = HEAD
  const take = n => all.subarray(from, from += n)
  const points = take(2 * count), start = take(2)
  const loops = n => Array.from({length: n}, () => take(2 * LOOP))
  return {frame, rung, points, start: started ? start : null, window: {x, y, half}, cut: cut > 0, tempered: loops(tempered), target: loops(target)}
}

function round(size) { // a round number near a size, for the scale bar
  const unit = 10 ** Math.floor(Math.log10(size))
  return (size / unit >= 5 ? 5 : size / unit >= 2 ? 2 : 1) * unit
}

export function render({model}) {
  const tool = (name, sign, words, hint) => `<button class="btn tool" data-press="${name}" aria-label="${words}" title="${hint}">${icon(sign)}<span>${words}</span></button>`
  const ro = (key, label, more = "") => `<div class="ro ${more}"><span class="l">${label}</span><span class="v" data-ro="${key}">…</span></div>`
  const root = element(`<section class="card" aria-label="Chains on the ladder"><div class="bar" role="progressbar" aria-label="Progress"><i></i></div>
    <header><h2></h2><span class="sub"></span><span class="working" role="status"></span>
      <span class="seg zoom" role="radiogroup" aria-label="Window"><button role="radio" data-value="follow" title="The window shrinks with the target, more slowly">Follow</button><button role="radio" data-value="fixed" title="The window stays as wide as the hottest target">Fixed</button></span>
      <span class="export only-wide"><button class="csv" title="Save the rungs as CSV">CSV</button><button class="png" title="Save the picture as PNG">PNG</button></span></header>
    <div class="stage"><canvas role="img" tabindex="0" data-frames="0"></canvas><p class="empty"></p></div>
    <div class="track"><div class="slot"><span class="marks"></span><input class="range" type="range" min="0" step="1" value="0" aria-label="frame"></div></div>
    <div class="transport" role="toolbar" aria-label="Transport"><button class="play" title="Play or pause"></button>
      ${tool("step", "epoch", "Rung", "Go to the end of the rung")}${tool("restart", "restart", "Restart", "From the cold start again")}
      <label class="speed"><span class="cap">speed <b></b></span><input class="range" type="range" min="0" step="1" aria-label="speed"></label>
      <div class="readouts" role="group" aria-label="Readouts">${ro("rung", "rung")}${ro("beta", "β")}${ro("step", "step")}${ro("cost", "gradients a chain")}${ro("full", "full gradient", "only-wide")}</div></div>
    <div class="spoken" role="status" aria-live="polite"></div></section>`)
  const find = s => root.querySelector(s)
  const canvas = find("canvas"), g = canvas.getContext("2d"), stage = find(".stage")
  const play = find(".play"), track = find(".track .range"), speed = find(".speed .range")
  let now = null, before = null, born = 0, span = 40, arrived = 0, camera = null, last = 0, asked = 0, trail = [], size = [0, 0, 1], owed = 0, held = false
  const calm = matchMedia("(prefers-reduced-motion:reduce)")

  const resize = () => {
    const density = Math.min(2, devicePixelRatio || 1)
    size = [stage.clientWidth, stage.clientHeight, density]
    canvas.width = Math.round(size[0] * density); canvas.height = Math.round(size[1] * density)
    root.classList.toggle("tight", root.clientWidth < 800)
    root.classList.toggle("narrow", root.clientWidth < 620)
    paint(performance.now())
  }
  const schedule = () => { if (!asked) asked = requestAnimationFrame(time => { asked = 0; tick(time) }) }
  const tick = time => {
    const moving = move(time)
    paint(time)
    if (owed) { model.send_msg({type: "painted", seq: owed}); owed = 0 }
    if (moving) schedule()
  }
  const move = time => { // the camera glides after the window; returns whether anything still moves
    if (!now) return false
    const gap = Math.min(0.1, (time - last) / 1000); last = time
    const to = now.window
    if (!camera || now.cut || calm.matches) camera = {...to}
    const part = 1 - Math.exp(-EASE * gap), far = Math.abs(Math.log(camera.half / to.half)) + Math.hypot(camera.x - to.x, camera.y - to.y) / to.half
    if (far < 0.002) camera = {...to}
    else { camera.half *= (to.half / camera.half) ** part; camera.x += (to.x - camera.x) * part; camera.y += (to.y - camera.y) * part }
    return far >= 0.002 || (before && time - born < span)
  }
  const shown = time => { // positions between the last two frames
    const part = before ? Math.min(1, (time - born) / span) : 1
    return part >= 1 || !before ? now.points : now.points.map((v, i) => before[i] + (v - before[i]) * part)
  }

  const paint = time => {
    const [width, height, density] = size
    if (!width || !height) return
    const style = getComputedStyle(root), ink = name => style.getPropertyValue(`--lab-${name}`).trim()
    g.setTransform(density, 0, 0, density, 0, 0)
    g.clearRect(0, 0, width, height)
    if (!now || !camera) return
    const scale = Math.min(width, height) / 2 / camera.half
    const X = x => width / 2 + (x - camera.x) * scale, Y = y => height / 2 - (y - camera.y) * scale
    const path = loop => { g.beginPath(); for (let i = 0; i < LOOP; i++) g[i ? "lineTo" : "moveTo"](X(loop[2 * i]), Y(loop[2 * i + 1])); g.closePath() }
    const hot = now.rung < model.betas.length - 1
    if (hot) {
      for (const loop of now.tempered) { path(loop); g.globalAlpha = 0.06; g.fillStyle = ink("esc"); g.fill(); g.globalAlpha = 0.75; g.strokeStyle = ink("esc"); g.lineWidth = 1.3; g.stroke() }
    }
    for (const loop of now.target) { path(loop); g.globalAlpha = hot ? 0 : 0.05; g.fillStyle = ink("mode"); g.fill(); g.globalAlpha = 0.9; g.strokeStyle = ink("mode"); g.lineWidth = 1.2; g.setLineDash([4, 3]); g.stroke(); g.setLineDash([]) }
    const points = shown(time)
    g.strokeStyle = ink("chain"); g.lineWidth = 1
    for (let k = 1; k < trail.length; k++) {
      g.globalAlpha = 0.16 * k / trail.length
      g.beginPath()
      for (let i = 0; i < points.length; i += 2) { g.moveTo(X(trail[k - 1][i]), Y(trail[k - 1][i + 1])); g.lineTo(X(trail[k][i]), Y(trail[k][i + 1])) }
      g.stroke()
    }
    g.globalAlpha = points.length > 800 ? 0.55 : 0.8; g.fillStyle = ink("chain")
    g.beginPath()
    for (let i = 0; i < points.length; i += 2) { const x = X(points[i]), y = Y(points[i + 1]); g.moveTo(x + 2.3, y); g.arc(x, y, 2.3, 0, 7) }
    g.fill(); g.globalAlpha = 1
    if (now.start) { const x = X(now.start[0]), y = Y(now.start[1]); g.strokeStyle = ink("hot"); g.lineWidth = 2; g.beginPath(); g.moveTo(x - 5, y - 5); g.lineTo(x + 5, y + 5); g.moveTo(x + 5, y - 5); g.lineTo(x - 5, y + 5); g.stroke() }
    caption(width, height, scale, X, Y, ink, hot)
    canvas.dataset.rung = now.rung + 1
  }

  const caption = (width, height, scale, X, Y, ink, hot) => {
    const taken = []
    const say = (words, x, y, token, bold) => { // on a halo of the card's colour, inside the canvas, on no other label
      g.font = `${bold ? 700 : 400} 12px Roboto, Arial, sans-serif`; g.textBaseline = "middle"
      const wide = g.measureText(words).width
      x = Math.max(10, Math.min(width - wide - 10, x)); y = Math.max(14, Math.min(height - 30, y))
      for (const [a, b, c] of taken) if (Math.abs(y - b) < 16 && x < a + c + 8 && a < x + wide + 8) y = b + (y < b ? -16 : 16)
      taken.push([x, y, wide])
      g.lineJoin = "round"; g.strokeStyle = ink("card"); g.lineWidth = 4; g.strokeText(words, x, y); g.fillStyle = ink(token); g.fillText(words, x, y)
    }
    const edge = (loop, side) => { let best = 0; for (let i = 1; i < LOOP; i++) if (side * loop[2 * i + 1] > side * loop[2 * best + 1]) best = i; return [X(loop[2 * best]), Y(loop[2 * best + 1])] }
    if (hot && now.tempered.length) { const [x, y] = edge(now.tempered.at(-1), 1); say(`target at β = ${model.betas[now.rung]}`, x - 50, y - 12, "esctx", true) }
    if (now.target.length) { const [x, y] = edge(now.target.at(-1), -1); say(hot ? "posterior: 50, 90, 99 %" : "posterior, β = 1: 50, 90, 99 %", x - 50, y + 14, "mode", !hot) }
    if (now.start) {
      const x = X(now.start[0]), y = Y(now.start[1])
      if (x > 0 && x < width && y > 0 && y < height) say("cold start", x + 9, y, "hot")
    }
    const length = round(90 / scale), right = width - 16, low = height - 14
    g.strokeStyle = ink("ink2"); g.lineWidth = 1.4; g.beginPath(); g.moveTo(right - length * scale, low); g.lineTo(right, low)
    for (const x of [right - length * scale, right]) { g.moveTo(x, low - 3); g.lineTo(x, low + 3) }
    g.stroke()
    g.font = "400 11.5px Roboto, Arial, sans-serif"; g.fillStyle = ink("ink2"); g.textAlign = "right"
    g.fillText(`${+length.toPrecision(2)} in each coordinate`, right - length * scale - 8, low); g.textAlign = "left"
    g.fillText(`${model.names[0]} →   ${model.names[1]} ↑`, 14, low)
  }

  const receive = message => {
    if (message.csv !== undefined) { saveFile(`${model.filename}.csv`, new Blob([message.csv], {type: "text/csv"})); return }
    if (!message.frame) return
    const time = performance.now(), next = unpack(message.frame)
    const fresh = next.cut || !now || now.points.length !== next.points.length
    if (fresh) { before = null; trail = [next.points] }
    else {
      before = shown(time).slice(); born = time
      span = Math.max(25, Math.min(130, time - arrived))
      trail.push(next.points); if (trail.length > TRAIL) trail.shift()
    }
    arrived = time; now = next; owed = message.seq
    const [rung, beta, step, cost, full] = message.readouts
    for (const [key, html] of Object.entries({rung, beta, step, cost, full})) put(find(`[data-ro=${key}]`), html)
    if (!held) { track.value = next.frame; fillRange(track) }
    track.setAttribute("aria-valuetext", `frame ${next.frame}, rung ${next.rung + 1}`)
    canvas.dataset.frames = +canvas.dataset.frames + 1; canvas.dataset.frame = next.frame
    schedule()
    if (document.hidden && owed) { model.send_msg({type: "painted", seq: owed}); owed = 0 }
  }
  model.on("msg:custom", receive)

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
  const speak = () => { find(".spoken").textContent = model.spoken; canvas.setAttribute("aria-label", model.spoken || "The chains and their targets. No frame yet.") }
  const zoom = segmented(find(".zoom"), value => model.send_msg({type: "zoom", value}))
  const choose = () => zoom(model.zoom)
  for (const [names, show] of [[["title", "subtitle", "empty"], heads], [["playing", "speed", "speeds"], transport], [["betas", "per_rung"], rungs], [["progress", "working"], progress], ["spoken", speak], ["zoom", choose], ["names", schedule]]) { model.on(names, show); show() }
  play.addEventListener("click", () => model.send_msg({type: "press", name: "play"}))
  for (const b of root.querySelectorAll("[data-press]")) b.addEventListener("click", () => model.send_msg({type: "press", name: b.dataset.press}))
  speed.addEventListener("input", () => { fillRange(speed); find(".speed b").textContent = model.speeds[+speed.value]; model.send_msg({type: "speed", index: +speed.value}) })
  const seek = latest(message => model.send_msg(message))
  track.addEventListener("input", () => { held = true; fillRange(track); seek({type: "seek", frame: +track.value}) })
  track.addEventListener("change", () => { held = false })
  canvas.addEventListener("keydown", event => {
    if (event.key === " ") { event.preventDefault(); play.click() }
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") { event.preventDefault(); model.send_msg({type: "seek", frame: (now?.frame ?? 0) + (event.key === "ArrowRight" ? 1 : -1)}) }
  })
  find(".csv").addEventListener("click", () => model.send_msg({type: "csv"}))
  find(".png").addEventListener("click", () => { // on the card's background
    const copy = document.createElement("canvas"); copy.width = canvas.width; copy.height = canvas.height
    const pen = copy.getContext("2d"); pen.fillStyle = getComputedStyle(root).backgroundColor; pen.fillRect(0, 0, copy.width, copy.height); pen.drawImage(canvas, 0, 0)
    copy.toBlob(blob => saveFile(`${model.filename}.png`, blob))
  })
  const observer = new ResizeObserver(resize)
  observer.observe(stage)
  const themes = new MutationObserver(() => requestAnimationFrame(schedule))
  themes.observe(document.documentElement, {attributes: true}); themes.observe(document.body, {attributes: true})
  model.on("remove", () => { observer.disconnect(); themes.disconnect(); cancelAnimationFrame(asked) })
  document.fonts?.ready.then(schedule)
  setTimeout(() => model.send_msg({type: "ready"}), 0)
  return root
}
