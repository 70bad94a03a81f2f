// After layout of a figure: remove it from the tab order, apply equal scales, fit the digits of a map to their boxes.
const events = globalThis.Bokeh?.index?.find_one?.(figure)?.canvas_view?.events_el
if (events) events.tabIndex = -1
const across = figure.x_range, up = figure.y_range, unit = (up.end - up.start) / figure.inner_height
if (figure.tags.includes("equal") && unit > 0) {
  const middle = (across.start + across.end) / 2, half = unit * figure.inner_width / 2
  if (Math.abs(across.end - middle - half) > 1e-6 * half) across.setv({start: middle - half, end: middle + half}, {sync: false})
}
const digits = figure.renderers.find(r => r.name == "digits"), boxes = figure.renderers.find(r => r.glyph?.type == "Quad")
const {left, right} = boxes?.data_source.data ?? {}
if (digits && left?.length) {
  const log = figure.x_scale.type == "LogScale" ? Math.log : v => v, {start, end} = figure.x_range
  const wide = figure.inner_width * Math.abs((log(right[0]) - log(left[0])) / (log(end) - log(start)))
  const size = `${Math.max(7, Math.min(12, Math.floor(0.55 * wide * 2) / 2))}px`
  if (digits.glyph.text_font_size?.value != size) digits.glyph.setv({text_font_size: {value: size}}, {sync: false})
}
