// Lies over what would give an answer away, until it is given.
class Cover {
  constructor(css, layer) {
    this.css = css; this.node = null; this.looked = -LOOK_AGAIN
    this.box = element(`<div class="cover"><span>covered until you have answered</span></div>`)
    layer.append(this.box)
  }
  follow(now, on) {
    if (!this.node?.isConnected && now - this.looked > LOOK_AGAIN) { this.looked = now; this.node = deepFind(this.css, "") }
    if (this.node) this.node.inert = on // nor does a keyboard or a screen reader reach it
    const frame = on && this.node?.isConnected ? frameOf(this.node) : null
    this.box.classList.toggle("shown", !!frame)
    if (frame) Object.assign(this.box.style, {left: `${frame.left}px`, top: `${frame.top}px`, width: `${frame.right - frame.left}px`, height: `${frame.bottom - frame.top}px`})
  }
  remove() {
    if (this.node) this.node.inert = false
    this.box.remove()
  }
}
