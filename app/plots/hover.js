// Text of a tooltip: that of the point, else its line's name with x and y; with `across` the values of all lines at x.
const {index, segment_index, snap_x, snap_y, glyph_view} = special_vars
const view = glyph_view.renderer, data = view.model.data_source.data, figure = view.parent.model
const own = Array.isArray(value) ? value[segment_index] : value
if (own && !across) return own

const digits = v => {
  if (!Number.isFinite(v)) return "–"
  const size = Math.abs(v)
  if (size >= 1e15 || (size > 0 && size < 1e-4)) {
    const [mantissa, power] = v.toExponential(1).split("e")
    return `${mantissa} × 10${String(Number(power)).replace(/./g, c => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻")}`
  }
  return v.toLocaleString("en", {maximumFractionDigits: size >= 100 ? 0 : size >= 10 ? 1 : 4})
}
const named = k => (k ? figure.left : figure.below).find(m => m.axis_label)?.axis_label ?? "xy"[k]
if (!across) return `${data.name[index]}\n${named(0)} ${digits(snap_x)}\n${named(1)} ${digits(snap_y)}`

const rows = [`${named(0)} ${digits(snap_x)}`]
for (let i = 0; i < data.xs.length; i++) {
  const xs = data.xs[i], ys = data.ys[i]
  if (data.silent[i] || !xs.length) continue
  let best = 0
  for (let j = 1; j < xs.length; j++) if (Math.abs(xs[j] - snap_x) < Math.abs(xs[best] - snap_x)) best = j
  const gap = Math.abs(xs[Math.min(best + 1, xs.length - 1)] - xs[Math.max(best - 1, 0)])
  if (Math.abs(xs[best] - snap_x) <= gap && Number.isFinite(ys[best])) rows.push(`${data.name[i]}  ${data.tooltip[i]?.[best] || digits(ys[best])}`)
}
return rows.join("\n")
