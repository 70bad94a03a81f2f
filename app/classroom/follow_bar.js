export function render({model}) {
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
    if (!canvas?.isConnected) canvas = canvasIn(document)
    if (canvas?.dataset.t) put(find("[data-ro=t]"), thousands(+canvas.dataset.t))
  }
  const clock = setInterval(epoch, 200)
  model.on("remove", () => clearInterval(clock))
  model.on("msg:custom", ([size, playing]) => {
    put(find("[data-ro=size]"), size)
    find("[data-ro=state]").textContent = playing ? "plays" : "stands"
    root.classList.toggle("plays", playing)
  })
  find(".alone").addEventListener("click", () => model.send_msg({type: "alone"}))
  find(".knobs").addEventListener("click", () => tellKnobs(root, find(".knobs")))
  model.send_msg({type: "ready"})
  return root
}

function canvasIn(node) {
  for (const n of node.querySelectorAll("*")) {
    const found = n.matches("canvas[data-frames]") ? n : n.shadowRoot && canvasIn(n.shadowRoot)
    if (found) return found
  }
  return null
}
