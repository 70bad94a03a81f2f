// A figure that is made while the page around it changes size is measured before its first layout (Bokeh 3.9), and the
// error would leave the rest of the page unmeasured: until it has a layout there is nothing to measure. And a figure is a
// picture with words, no stop of the Tab key.
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
    }
  }
}

