export function render({model}) {
  const root = element(`<section class="card" aria-label="Chains">
    <header><h2></h2><span class="hint"></span><span class="axes"></span>
      <span class="seg" role="radiogroup" aria-label="View"><button role="radio" data-value="false">As is</button><button role="radio" data-value="true">Rescaled<span class="by"> by √(t + c)</span></button></span>
      <button class="round save" aria-label="Save the picture as PNG" title="Save the picture as PNG">${icon("save")}</button></header>
    <div class="canvas"></div></section>`)
  const title = root.querySelector("h2"), hint = root.querySelector(".hint"), axes = root.querySelector(".axes")
  const show = () => {
    title.textContent = model.title; hint.textContent = model.hint; hint.title = model.hint
    axes.style.display = model.has_axes ? "" : "none"
    root.classList.toggle("with-axes", model.has_axes)
  }
  const select = segmented(root.querySelector(".seg"), value => model.send_msg({type: "view", rescaled: value === "true"}))
  const view = () => select(model.rescaled)
  model.on(["title", "hint", "has_axes"], show)
  model.on("rescaled", view)
  root.querySelector(".canvas").append(model.get_child("canvas"))
  const choice = model.get_child("axes")
  if (choice) axes.append(choice)
  root.querySelector(".save").addEventListener("click", () => {
    const layers = canvasesIn(root.querySelector(".canvas"))
    if (!layers.length) return
    const picture = document.createElement("canvas"), pen = picture.getContext("2d")
    picture.width = layers[0].width; picture.height = layers[0].height
    pen.fillStyle = getComputedStyle(root).backgroundColor
    pen.fillRect(0, 0, picture.width, picture.height)
    for (const layer of layers) pen.drawImage(layer, 0, 0, picture.width, picture.height)
    picture.toBlob(blob => saveFile("exit-time-lab-chains.png", blob))
  })
  show(); view()
  return root
}

function canvasesIn(node) { // the canvas component lives in its own shadow root
  const found = []
  const visit = n => {
    if (n instanceof HTMLCanvasElement) found.push(n)
    for (const child of n.children ?? []) visit(child)
    if (n.shadowRoot) visit(n.shadowRoot)
  }
  visit(node)
  return found.filter(c => c.width > 0)
}
