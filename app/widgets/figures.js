// A figure that is made while the page around it changes size is measured before its first layout (Bokeh 3.9), and the
// error would leave the rest of the page unmeasured. Until it has a layout there is nothing to measure.
for (const name of ["Figure", "Plot"]) {
  const view = globalThis.Bokeh?.Models?.get?.(name)?.prototype?.default_view?.prototype
  if (!view || Object.hasOwn(view, "__patient")) continue
  view.__patient = true
  for (const deed of ["_measure_layout", "_after_layout"]) {
    const act = view[deed]
    if (act) view[deed] = function () { if (this.layout) act.call(this) }
  }
}

