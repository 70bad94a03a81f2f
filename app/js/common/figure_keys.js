// Keyboard control of figures: a figure is an image with a description; it is a stop of the Tab key only if something in it can be
// chosen, by arrow keys.
import {plotViews} from "./pictures.js"

const WAYS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}
const ASIDE = 3 // weight of the distance across the direction of the key

function choices(view) { // [source, index, x, y in pixels, key as text] of everything that a tap can choose
  const across = view.frame.x_scale, down = view.frame.y_scale, points = []
  for (const {data_source: source} of view.model.renderers) {
    const {key, left, right, low, high, x, y, xs, ys} = source?.data ?? {}
    for (let k = 0; k < (key?.length ?? 0); k++) {
      if (key[k] === null || key[k] === undefined) continue
      const [a, b] = left ? [(across.compute(left[k]) + across.compute(right[k])) / 2, (down.compute(low[k]) + down.compute(high[k])) / 2]
        : x ? [across.compute(x[k]), down.compute(y[k])] : [across.compute(xs[k].at(-1)), down.compute(ys[k].findLast(Number.isFinite))]
      if (Number.isFinite(a + b)) points.push([source, k, a, b, JSON.stringify(key[k])])
    }
  }
  return points
}

function ringed(view) { // position of the chosen box of a map, in pixels
  const ring = view.model.renderers.map(one => one.data_source?.data).find(data => data?.left && !data.key && data.left.length === 1)
  const middle = (scale, a, b) => (scale.compute(a[0]) + scale.compute(b[0])) / 2
  return ring ? [middle(view.frame.x_scale, ring.left, ring.right), middle(view.frame.y_scale, ring.low, ring.high)] : null
}

function choose(view, way, last) { // choose the nearest item in a direction from the chosen one, or from the item of the last key
  const all = choices(view), at = ringed(view) ?? all.find(one => one[4] === last)?.slice(2, 4)
  if (!all.length) return last
  const far = ([, , x, y]) => {
    const along = (x - at[0]) * way[0] + (y - at[1]) * way[1], off = Math.abs((x - at[0]) * way[1]) + Math.abs((y - at[1]) * way[0])
    return along > 1 ? along + ASIDE * off : Infinity
  }
  const next = at ? all.reduce((best, one) => far(one) < far(best) ? one : best) : all[0]
  if (at && far(next) === Infinity) return last // nothing in that direction
  next[0].selected.indices = [next[1]]
  return next[4]
}

/** Add keyboard control to the figures of a card; `views()` returns the views of its children. */
export function bindFigureKeys(model, root, views) {
  const lasts = new Map()
  const quiet = () => {
    for (const view of views().flatMap(plotViews)) {
      const events = view.canvas_view?.events_el
      if (events) events.tabIndex = -1
    }
  }
  for (const moment of ["after_render", "after_layout", "resize"]) model.on(moment, quiet)
  root.addEventListener("keydown", event => {
    const way = WAYS[event.key]
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return
    const path = event.composedPath(), view = views().flatMap(plotViews).find(one => path.includes(one.el))
    if (!view?.model.html_attributes?.tabindex) return
    event.preventDefault()
    lasts.set(view.model, choose(view, way, lasts.get(view.model) ?? null))
  })
}
