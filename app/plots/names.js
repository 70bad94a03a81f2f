// Each line's label goes where it covers least: at the line's end, beside the line, or on it. Pixels, y upwards.
const W = figure.inner_width, H = figure.inner_height
if (!(W > 60 && H > 60)) return
const NARROW = 520, LINE = 14, AWAY = 8, CELL = 6
const axis = (range, scale, size) => {
  const log = scale.type == "LogScale", f = log ? Math.log : v => v
  const low = f(range.start), unit = size / (f(range.end) - low)
  return {to: v => (f(v) - low) * unit, from: p => log ? Math.exp(low + p / unit) : low + p / unit}
}
const X = axis(figure.x_range, figure.x_scale, W), Y = axis(figure.y_range, figure.y_scale, H)

// where ink is: a coarse grid of how many pieces of line, and of dots, each cell holds
const columns = Math.ceil(W / CELL), rows = Math.ceil(H / CELL), drawn = new Uint16Array(columns * rows)
const cell = (p, count) => Math.min(count - 1, Math.max(0, Math.floor(p / CELL)))
const inside = ([x, y]) => x >= -1 && x <= W + 1 && y >= -1 && y <= H + 1
const walk = (xs, ys, joined) => {
  const path = []
  let before = null
  for (let k = 0; k < xs.length; k++) {
    const here = [X.to(xs[k]), Y.to(ys[k])]
    if (!here.every(isFinite)) { before = null; continue }
    const [x, y] = (joined && before) || here, n = Math.min(400, Math.ceil(Math.hypot(here[0] - x, here[1] - y) / CELL)) || 1
    for (let j = 1; j <= n; j++) path.push([x + (here[0] - x) * j / n, y + (here[1] - y) * j / n])
    before = here
  }
  return path.filter(inside)
}
const narrow = figure.outer_width < NARROW, pen = document.createElement("canvas").getContext("2d"), lines = []
for (const {visible, glyph, data_source: {data}} of figure.renderers) {
  if (!visible || glyph?.type != "MultiLine" || !data.label) continue
  for (let i = 0; i < data.label.length; i++) {
    const path = walk(data.xs[i], data.ys[i], data.alpha[i] > 0)
    for (const [x, y] of path) drawn[columns * cell(y, rows) + cell(x, columns)]++
    const text = (narrow && data.short[i]) || data.label[i]
    if (text && path.length) lines.push({path, text, role: data.role[i], bold: data.bold[i], where: data.where[i]})
  }
}
for (const line of lines) {
  const said = line.text.split("\n")
  pen.font = `${line.bold ? "bold " : ""}${size} ${font}`
  line.wide = Math.max(...said.map(words => pen.measureText(words).width)) + 4
  line.tall = LINE * said.length
}

// the right margin: as much as the widest label at an end needs, a third of the figure at most
const whole = W + figure.min_border_right, overhang = ({wide, path}) => {  // beyond the frame, once the frame has made room
  const need = wide + AWAY + 6, part = path[path.length - 1][0] / W
  return whole - (whole - need) / Math.max(part, 0.5)
}
const ends = lines.filter(line => line.where == "end").map(overhang)
const room = Math.round(Math.min((narrow ? 0.27 : 0.22) * figure.outer_width, Math.max(14, ...ends)))
if (figure.min_border_right != room) figure.setv({min_border_right: room}, {sync: false})

// what is written already: the texts of a map
const written = []
for (const {visible, glyph, name, data_source: {data}} of figure.renderers) {
  if (!visible || glyph?.type != "Text" || name == "names" || !data.text) continue
  const xs = data[glyph.x.field], ys = data[glyph.y.field]
  for (let i = 0; i < xs.length; i++) if (data.text[i]) written.push([X.to(xs[i]), Y.to(ys[i])])
}

const boxes = [], found = {x: [], y: [], text: [], role: [], align: [], style: [], back: [], cover: []}
const covers = ([left, low, end, top, endY], on) => {
  const outside = left > W - 24, slack = left > W ? 8 : -1  // in the margin there is more room
  if (left < 2 || end > W + room - 2 || low < -slack || top > H + slack) return Infinity
  if (outside && boxes.some(b => b[0] > W - 24 && (b[4] - endY) * (b[1] - low) < 0)) return Infinity  // in the order of the lines
  if (boxes.some(b => left < b[2] && b[0] < end && low < b[3] && b[1] < top)) return Infinity
  let sum = 0
  for (const [x, y] of written) if (x > left - 9 && x < end + 9 && y > low - 5 && y < top + 5) sum += 12
  if (on) return sum
  if (left < W) for (let r = cell(low, rows); r <= cell(top, rows); r++)
    for (let c = cell(left, columns); c <= cell(end, columns); c++) sum += drawn[columns * r + c]
  return sum
}
const before = names.size == `${W},${H}` ? names.before : {}
names.before = {}
names.size = `${W},${H}`
const rank = ({where, bold, path}) => 1e6 * (where != "end") - 1e5 * bold + path.length
for (const {path, text, role, bold, where, wide, tall} of lines.sort((a, b) => rank(a) - rank(b))) {
  const [endX, endY] = path[path.length - 1], on = where == "on", half = tall / 2
  let best = {cost: 60}
  const [lastX, lastY] = before[text] ?? [-1e9, 0]
  const look = (x, y, align, price) => {
    if (where != "end" && Math.hypot(x - lastX, y - lastY) < 15) price -= 1.5  // so that labels do not jump at each update
    if (price >= best.cost) return
    const left = x - {left: 0, center: wide / 2, right: wide}[align], box = [left, y - half, left + wide, y + half, endY]
    const cost = price + covers(box, on)
    if (cost < best.cost) best = {cost, x, y, align, box}
  }
  if (!on) for (let off = 0; off <= (where == "end" ? 90 : 0); off += 2)
    for (const y of [endY + off, endY - off]) look(endX + AWAY, y, "left", 0.12 * off + 2 * (where != "end"))
  for (let k = 0; k < path.length; k += Math.ceil(path.length / 60)) {
    const [x, y] = path[k]
    if (on) look(x, y, "center", Math.abs(k / path.length - 0.5))
    else for (const side of [1, -1]) for (const up of [1 - half, half - 2])
      look(x + side * AWAY, y + up, side > 0 ? "left" : "right", path.length == 1 ? 0 : 4 + 0.004 * Math.abs(y - H / 2))
  }
  if (!best.box) continue
  boxes.push(best.box)
  names.before[text] = [best.x, best.y]
  const row = {x: X.from(best.x), y: Y.from(best.y), text, role, align: best.align, style: bold ? "bold" : "normal",
               back: "card", cover: on ? 1 : 0.85}
  for (const key in found) found[key].push(row[key])
}
names.setv({data: found}, {sync: false})
