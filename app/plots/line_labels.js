// Placement of line labels. Labels of lines that reach the right edge are in the margin, in the order of the lines, with
// minimal shifts; each other label covers as little ink as possible. Units: pixels from the lower left corner, y upwards.
if (figure.properties.inner_width.is_unset || figure.properties.inner_height.is_unset) return // not laid out yet
const W = figure.inner_width, H = figure.inner_height
if (!(W > 60 && H > 60)) return
const NARROW = 520, LINE = 14, AWAY = 8, CELL = 6, DOT = 4, FARTHEST = 80
const axis = (range, scale, size) => {
  const log = scale.type == "LogScale", f = log ? Math.log : v => v
  const low = f(range.start), unit = size / (f(range.end) - low)
  return {to: v => (f(v) - low) * unit, from: p => log ? Math.exp(low + p / unit) : low + p / unit}
}
const X = axis(figure.x_range, figure.x_scale, W), Y = axis(figure.y_range, figure.y_scale, H)

// ink map: number of line pieces in each cell of a coarse grid; a separate dot counts as DOT pieces
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
const pen = document.createElement("canvas").getContext("2d"), lines = []
const narrow = figure.outer_width < NARROW, widest = (narrow ? 0.27 : 0.22) * figure.outer_width
const measured = (line, text) => {
  const rows = text.split("\n")
  pen.font = `${line.bold ? "bold " : ""}${size} ${font}`
  return {...line, text, wide: Math.max(...rows.map(row => pen.measureText(row).width)) + 4, tall: LINE + 17 * (rows.length - 1)}
}
for (const {visible, glyph, data_source: {data}} of figure.renderers) {
  if (!visible || glyph?.type != "MultiLine" || !data.label) continue
  for (let i = 0; i < data.label.length; i++) {
    const joined = data.alpha[i] > 0, path = walk(data.xs[i], data.ys[i], joined)
    for (const [x, y] of path) drawn[columns * cell(y, rows) + cell(x, columns)] += joined ? 1 : DOT
    if (!data.label[i] || !path.length) continue
    const line = {path, end: path[path.length - 1], role: data.role[i], bold: data.bold[i], where: data.where[i]}
    const full = measured(line, data.label[i]), tight = narrow || (line.where == "end" && full.wide + AWAY > widest)
    lines.push(tight && data.short[i] ? measured(line, data.short[i]) : full)
  }
}

// right margin: the width of the widest label at an end
const whole = W + figure.min_border_right, overhang = ({wide, end}) => {  // beyond the frame, after the frame has shrunk
  const need = wide + AWAY + 6, part = end[0] / W
  return whole - (whole - need) / Math.max(part, 0.5)
}
const outer = `${figure.outer_width},${figure.outer_height}`
if (names.outer != outer) Object.assign(names, {outer, tries: 0})
const widen = (one, border) => {  // limited tries: a frame of another width may show other line ends
  if (Math.abs(one.min_border_right - border) > 2 && names.tries++ < 6) one.setv({min_border_right: border}, {sync: false})
}
let room = Math.round(Math.min(widest, Math.max(14, ...lines.filter(line => line.where == "end").map(overhang))))
const group = figure.tags.find(tag => `${tag}`.startsWith("aligned ")) // figures in a column share the widest margin
if (group) {
  figure.room = room
  const peers = [...(figure.document?.all_models ?? [])].filter(one => one.tags?.includes(group))
  room = Math.max(...peers.map(one => one.room ?? 0))
  for (const one of peers) widen(one, room)
} else widen(figure, room)
room = figure.min_border_right

const boxes = [], labels = {x: [], y: [], text: [], role: [], align: [], style: [], back: [], cover: []}
const put = ({text, role, bold}, x, y, align, box, cover) => {
  boxes.push(box)
  const row = {x: X.from(x), y: Y.from(y), text, role, align, style: bold ? "bold" : "normal", back: "card", cover}
  for (const key in labels) labels[key].push(row[key])
}

// labels in the margin: groups of labels that would touch are centred at the mean of their preferred positions
const arrange = column => {
  const total = column.reduce((sum, {tall}) => sum + tall, 0), low = -8, high = Math.max(H + 8, low + total)
  let below = 0
  const groups = []
  for (const label of column) {
    label.base = below
    below += label.tall
    groups.push({sum: label.end[1] - label.tall / 2 - label.base, members: [label]})
    for (;;) {
      const [a, b] = groups.slice(-2)
      if (!b || a.sum / a.members.length <= b.sum / b.members.length) break
      groups.splice(-2, 2, {sum: a.sum + b.sum, members: [...a.members, ...b.members]})
    }
  }
  for (const {sum, members} of groups)
    for (const label of members) label.y = Math.min(Math.max(sum / members.length, low), high - total) + label.base + label.tall / 2
  return total <= H + 16
}
const edge = lines.filter(({where, end, wide}) => where == "end" && end[0] > W - 24 && end[0] + AWAY + wide <= W + room - 2)
edge.sort((a, b) => a.end[1] - b.end[1])
const moved = ({y, end}) => Math.abs(y - end[1])
while (edge.length && !(arrange(edge) && edge.every(label => moved(label) <= FARTHEST))) {
  const light = edge.some(({bold}) => !bold) ? edge.filter(({bold}) => !bold) : edge
  edge.splice(edge.indexOf(light.reduce((a, b) => moved(a) >= moved(b) ? a : b)), 1)
}
for (const label of edge) {
  const x = label.end[0] + AWAY
  put(label, x, label.y, "left", [x, label.y - label.tall / 2, x + label.wide, label.y + label.tall / 2], 0.85)
}

// all other labels avoid existing texts, such as those of a map
const written = []
for (const {visible, glyph, name, data_source: {data}} of figure.renderers) {
  if (!visible || glyph?.type != "Text" || name == "names" || !data.text) continue
  const xs = data[glyph.x.field], ys = data[glyph.y.field]
  for (let i = 0; i < xs.length; i++) if (data.text[i]) written.push([X.to(xs[i]), Y.to(ys[i])])
}
const covers = ([left, low, right, top], on, endY) => {
  const slack = left > W ? 8 : -1  // the margin has more space
  if (left < 2 || right > W + room - 2 || low < -slack || top > H + slack) return Infinity
  if (left > W - 24 && edge.some(b => (b.end[1] - endY) * (b.y - (low + top) / 2) < 0)) return Infinity  // in the order of the lines
  if (boxes.some(b => left < b[2] && b[0] < right && low < b[3] && b[1] < top)) return Infinity
  let sum = 0
  for (const [x, y] of written) if (x > left - 9 && x < right + 9 && y > low - 5 && y < top + 5) sum += 12
  if (on) return sum
  if (left < W) for (let r = cell(low, rows); r <= cell(top, rows); r++)
    for (let c = cell(left, columns); c <= cell(right, columns); c++) sum += drawn[columns * r + c]
  return sum
}
const before = names.size == `${W},${H}` ? names.before : {}, ended = []  // labels at ends in one column keep the order of the lines
names.before = {}
names.size = `${W},${H}`
const rank = ({where, bold, path}) => 1e6 * (where != "end") - 1e5 * bold + path.length
for (const line of lines.filter(line => !edge.includes(line)).sort((a, b) => rank(a) - rank(b))) {
  const {path, end: [endX, endY], text, where, wide, tall} = line, on = where == "on", half = tall / 2
  const [lastX, lastY] = before[text] ?? [-1e9, 0]
  let best = {cost: 60}
  const look = (x, y, align, price) => {
    if (Math.hypot(x - lastX, y - lastY) < 15) price -= 1.5  // so that labels do not jump at each update
    if (price >= best.cost) return
    const left = x - {left: 0, center: wide / 2, right: wide}[align], box = [left, y - half, left + wide, y + half]
    const cost = price + covers(box, on, endY)
    if (cost < best.cost) best = {cost, x, y, align, box}
  }
  const crosses = y => ended.some(one => Math.abs(one.endX - endX) < 2 && (one.endY - endY) * (one.y - y) < 0)
  if (!on) for (let off = 0; off <= (where == "end" ? 90 : 0); off += 2)
    for (const y of [endY + off, endY - off]) if (!crosses(y)) look(endX + AWAY, y, "left", 0.12 * off + 2 * (where != "end"))
  for (let k = 0; k < path.length; k += Math.ceil(path.length / 60)) {
    const [x, y] = path[k], lone = path.length == 1, price = lone ? 0 : 4 + 0.004 * Math.abs(y - H / 2)
    if (on) { look(x, y, "center", Math.abs(k / path.length - 0.5)); continue }
    for (const side of [1, -1]) for (const up of [1 - half, half - 2]) look(x + side * AWAY, y + up, side > 0 ? "left" : "right", price)
    for (const up of [half + 5, -half - 5]) {
      look(x, y + up, "center", price + 0.5 + lone)
      if (lone) for (const far of [1, 1.9]) look(Math.max(x - AWAY, 3), y + far * up, "left", 1.6 * far)  // at the left edge
    }
  }
  if (!best.box) continue
  if (best.x == endX + AWAY) ended.push({endX, endY, y: best.y})
  names.before[text] = [best.x, best.y]
  put(line, best.x, best.y, best.align, best.box, on ? 1 : 0.85)
}
names.setv({data: labels}, {sync: false})
