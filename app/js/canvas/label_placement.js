// Placement of labels on the picture: each has candidate places and takes the best free one.

const MARGIN = 7; // pixels kept clear at the edges
const GAP = 3; // between two labels
const LOYALTY = 1.5; // required improvement of a new place, so that labels are steady
const HALO = 4;

const widths = new Map();

function textWidth(g, font, text) {
  const key = font + text;
  if (!widths.has(key)) {
    if (widths.size > 600) widths.clear(); // numbers in labels keep changing
    g.font = font;
    widths.set(key, g.measureText(text).width);
  }
  return widths.get(key);
}

/** Clear the cached widths, after a font has loaded. */
export function forgetWidths() {
  widths.clear();
}

const overlap = (a, b, gap = 0) =>
  a.x < b.x + b.w + gap && b.x < a.x + a.w + gap && a.y < b.y + b.h + gap && b.y < a.y + a.h + gap;

/** Return whether the outline of an ellipse crosses a box: some points on the box's edges are inside, some outside. */
function outlineCrosses({ x, y, rx, ry, angle }, box) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let [inside, outside] = [false, false];
  for (let i = 0; i < 8; i++) {
    for (const [u, v] of [[i / 8, 0], [1, i / 8], [1 - i / 8, 1], [0, 1 - i / 8]]) {
      const [dx, dy] = [box.x + u * box.w - x, box.y + v * box.h - y];
      const far = Math.hypot((cos * dx + sin * dy) / rx, (cos * dy - sin * dx) / ry) > 1;
      inside ||= !far;
      outside ||= far;
    }
  }
  return inside && outside;
}

/** Return the fraction of a segment inside a box, by sampling. */
function shareInside(s, box) {
  let inside = 0;
  for (let i = 0; i <= 16; i++) {
    const x = s.x0 + ((s.x1 - s.x0) * i) / 16;
    const y = s.y0 + ((s.y1 - s.y0) * i) / 16;
    if (x > box.x - GAP && x < box.x + box.w + GAP && y > box.y - GAP && y < box.y + box.h + GAP) inside += 1;
  }
  return inside / 17;
}

export class Labels {
  constructor() {
    this.lastPlace = new Map();
  }

  /** Start a frame without labels. */
  begin(g, width, height, halo) {
    Object.assign(this, { g, width, height, halo, boxes: [], outlines: [], segments: [] });
  }

  /** Exclude a box from the places of labels. */
  keepClear(x, y, w, h) {
    this.boxes.push({ x, y, w, h });
  }

  /** Add a cost `weight` to places across a circle. */
  avoidCircle(x, y, r, weight) {
    this.avoidEllipse({ x, y, rx: r, ry: r, angle: 0 }, weight);
  }

  avoidEllipse(outline, weight) {
    if (Number.isFinite(outline.x + outline.y + outline.rx + outline.ry)) this.outlines.push({ ...outline, weight });
  }

  avoidSegment(x0, y0, x1, y1) {
    this.segments.push({ x0, y0, x1, y1 });
  }

  /**
   * Draw a label at its best free place, or omit it. A line is {text, font, colour, height}; a place is
   * {x, y, ax, ay, cost}: the point of the block at fraction ax of its width and ay of its height is at (x, y). Earlier
   * places are preferred; the cost is optional.
   */
  place(key, lines, places, alpha = 1) {
    let best = null;
    places.forEach((place, index) => {
      const box = this.boxOf(lines, place);
      if (!this.isFree(box)) return;
      const loyalty = this.lastPlace.get(key) === index ? LOYALTY : 0;
      const cost = this.cost(box) + (place.cost ?? 0) + index * 0.25 - loyalty;
      if (!best || cost < best.cost) best = { box, place, index, cost };
    });
    if (!best) {
      this.lastPlace.delete(key);
      return null;
    }
    this.lastPlace.set(key, best.index);
    this.boxes.push(best.box);
    this.write(lines, best.box, best.place.ax, alpha);
    return best.box;
  }

  /**
   * Place a family of labels on one side, as a row: items are {key, lines, places} with places in the same order. The
   * side with the most fitting labels is chosen; those that do not fit are omitted.
   */
  placeTogether(key, items) {
    let best = null;
    for (let side = 0; side < items[0].places.length; side++) {
      const kept = this.boxes.length;
      const fit = items.filter((item) => {
        const box = this.boxOf(item.lines, item.places[side]);
        const free = this.isFree(box);
        if (free) this.boxes.push(box);
        return free;
      });
      this.boxes.length = kept;
      const score = fit.length - 0.1 * side + (this.lastPlace.get(key) === side ? LOYALTY : 0);
      if (fit.length && (!best || score > best.score)) best = { fit, side, score };
    }
    if (!best) return;
    this.lastPlace.set(key, best.side);
    for (const item of best.fit) this.place(item.key, item.lines, [item.places[best.side]]);
  }

  boxOf(lines, place) {
    const w = Math.max(...lines.map((line) => textWidth(this.g, line.font, line.text)));
    const h = lines.reduce((sum, line) => sum + line.height, 0);
    return { x: place.x - place.ax * w, y: place.y - place.ay * h, w, h };
  }

  isFree(box) {
    const insideX = box.x >= MARGIN && box.x + box.w <= this.width - MARGIN;
    const insideY = box.y >= MARGIN && box.y + box.h <= this.height - MARGIN;
    return insideX && insideY && !this.boxes.some((other) => overlap(box, other, GAP));
  }

  cost(box) {
    let cost = 0;
    for (const outline of this.outlines) if (outlineCrosses(outline, box)) cost += outline.weight;
    for (const segment of this.segments) cost += 40 * shareInside(segment, box);
    return cost;
  }

  write(lines, box, ax, alpha) {
    const { g } = this;
    if (this.outlines.some((outline) => outlineCrosses(outline, box))) { // hide outlines behind the text
      g.globalAlpha = 0.85 * alpha;
      g.fillStyle = this.halo;
      g.fillRect(box.x - 3, box.y - 1, box.w + 6, box.h + 2);
    }
    g.globalAlpha = alpha;
    g.textAlign = ax === 1 ? "right" : ax === 0.5 ? "center" : "left";
    g.textBaseline = "alphabetic";
    g.lineJoin = "round";
    g.strokeStyle = this.halo;
    g.lineWidth = HALO;
    let y = box.y;
    for (const line of lines) {
      const x = box.x + ax * box.w;
      g.font = line.font;
      g.fillStyle = line.colour;
      g.strokeText(line.text, x, y + 0.78 * line.height);
      g.fillText(line.text, x, y + 0.78 * line.height);
      y += line.height;
    }
    g.globalAlpha = 1;
  }
}

/** Return places at the corners of the picture, in the order of `names` ("tl", "tr", "bl", "br"); `lift` clears the scale bar. */
export function corners(width, height, names, lift = 0) {
  return names.map((name) => {
    const right = name[1] === "r";
    const bottom = name[0] === "b";
    const y = bottom ? height - 8 - (right ? 0 : lift) : 9;
    return { x: right ? width - 14 : 14, y, ax: right ? 1 : 0, ay: bottom ? 1 : 0 };
  });
}

/** Return places just outside a circle, at angles from the right, anticlockwise. */
export function around(x, y, r, angles, gap = 8) {
  return angles.map((angle) => {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const side = (v) => (v > 0.3 ? 0 : v < -0.3 ? 1 : 0.5);
    return { x: x + (r + gap) * cos, y: y - (r + gap) * sin, ax: side(cos), ay: 1 - side(sin) };
  });
}

/** Return places around a small mark: right, left, below, above and the diagonals. */
export function nextTo(x, y, gap) {
  return around(x, y, 0, [0, Math.PI, -0.7, -2.44, 0.7, 2.44, -Math.PI / 2, Math.PI / 2], gap);
}
