// A figure that is made while the page around it changes size is measured before its first layout (Bokeh 3.9), and the
// error would leave the rest of the page unmeasured: until it has a layout there is nothing to measure. And a figure is a
// picture with words, no stop of the Tab key, unless something in it can be chosen: then arrow keys choose it.
const WAYS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}
const ASIDE = 3 // a neighbour off the way counts as so much farther

function choices(view) { // [source, index, x, y in pixels, key as text] of all that a tap would choose
  const across = view.frame.x_scale, down = view.frame.y_scale, found = []
  for (const {data_source: source, glyph} of view.model.renderers) {
    const {key, left, right, low, high, x, y, xs, ys} = source?.data ?? {}
    for (let k = 0; k < (key?.length ?? 0); k++) {
      if (key[k] === null || key[k] === undefined) continue
      const [a, b] = left ? [(across.compute(left[k]) + across.compute(right[k])) / 2, (down.compute(low[k]) + down.compute(high[k])) / 2]
        : x ? [across.compute(x[k]), down.compute(y[k])] : [across.compute(xs[k].at(-1)), down.compute(ys[k].findLast(Number.isFinite))]
      if (Number.isFinite(a + b)) found.push([source, k, a, b, JSON.stringify(key[k])])
    }
  }
  return found
}

function ringed(view) { // where the chosen box of a map is, in pixels
  const ring = view.model.renderers.map(one => one.data_source?.data).find(data => data?.left && !data.key && data.left.length === 1)
  const middle = (scale, a, b) => (scale.compute(a[0]) + scale.compute(b[0])) / 2
  return ring ? [middle(view.frame.x_scale, ring.left, ring.right), middle(view.frame.y_scale, ring.low, ring.high)] : null
}

function chooseByKeys(view) {
  let last = null // key of what was chosen here
  view.el.addEventListener("keydown", event => {
    const way = WAYS[event.key]
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const all = choices(view), at = ringed(view) ?? all.find(one => one[4] === last)?.slice(2, 4)
    if (!all.length) return
    const far = ([, , x, y]) => {
      const along = (x - at[0]) * way[0] + (y - at[1]) * way[1], off = Math.abs((x - at[0]) * way[1]) + Math.abs((y - at[1]) * way[0])
      return along > 1 ? along + ASIDE * off : Infinity
    }
    const next = at ? all.reduce((best, one) => far(one) < far(best) ? one : best) : all[0]
    if (at && far(next) === Infinity) return // nothing lies that way
    last = next[4]
    next[0].selected.indices = [next[1]]
  })
}

for (const name of ["Figure", "Plot"]) {
  const view = globalThis.Bokeh?.Models?.get?.(name)?.prototype?.default_view?.prototype
  if (!view || Object.hasOwn(view, "__patient")) continue
  view.__patient = true
  for (const deed of ["_measure_layout", "_after_layout"]) {
    const act = view[deed]
    if (!act) continue
    view[deed] = function () {
      if (this.layout) act.call(this)
      const events = this.canvas_view?.events_el
      if (events) events.tabIndex = -1
      if (this.model.html_attributes?.tabindex && !this.__chosen) { this.__chosen = true; chooseByKeys(this) }
    }
  }
}
