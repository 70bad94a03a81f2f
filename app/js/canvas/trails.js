// Trails of the chains: ordinary trails accumulate on a separate canvas, the followed one is redrawn.
const REMEMBERED = 110; // number of stored frames: the length of the followed chain's trail
const VISIBLE = 48; // frames after which an ordinary trail has faded
// One strong fade every four frames: weak fades in each frame would stop at alpha 10/255 by rounding.
const FADE_EVERY = 4;
const FADE = 0.21;

/** Return the opacity of a new segment, which decreases with the number of chains. */
const freshInk = (chains) => Math.min(0.62, Math.max(0.11, 0.27 * Math.sqrt(64 / chains)));

/** Add the segments from frame a to frame b to the path. A jump or a non-finite value breaks the trail. */
function traceSegments(g, a, b, map) {
  const p = a.positions;
  const q = b.positions;
  for (let k = 0; k < b.chains; k++) {
    const i = 2 * k;
    if (!Number.isFinite(p[i] + p[i + 1] + q[i] + q[i + 1]) || b.jumped[k]) continue;
    g.moveTo(map.ox + p[i] * map.s, map.oy - p[i + 1] * map.s);
    g.lineTo(map.ox + q[i] * map.s, map.oy - q[i + 1] * map.s);
  }
}

export class Trails {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.g = this.canvas.getContext("2d");
    this.frames = [];
    this.pushed = 0;
    this.map = null; // mapping of the drawn trails
    this.size = { width: 0, height: 0, dpr: 1 };
  }

  clear() {
    this.frames = [];
    this.pushed = 0;
    this.wipe();
  }

  wipe() {
    this.g.setTransform(1, 0, 0, 1, 0, 0);
    this.g.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /** Store a frame and draw its new segments. */
  push(frame, colour) {
    const last = this.frames[this.frames.length - 1];
    this.frames.push(frame);
    if (this.frames.length > REMEMBERED) this.frames.shift();
    this.pushed += 1;
    if (!this.map) return;
    if (this.pushed % FADE_EVERY === 0) this.fade();
    if (last) this.stroke([[last, frame]], freshInk(frame.chains), colour);
  }

  fade() {
    const { g } = this;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.globalCompositeOperation = "destination-out";
    g.globalAlpha = FADE;
    g.fillRect(0, 0, this.canvas.width, this.canvas.height);
    g.globalCompositeOperation = "source-over";
  }

  stroke(pairs, ink, colour) {
    const { g, size } = this;
    g.setTransform(size.dpr, 0, 0, size.dpr, 0, 0);
    g.globalAlpha = ink;
    g.strokeStyle = colour;
    g.lineWidth = 1;
    g.beginPath();
    for (const [a, b] of pairs) traceSegments(g, a, b, this.map);
    g.stroke();
  }

  /** Redraw the stored frames, each with its current opacity, for a new mapping, size or theme. */
  rebuild(map, size, colour) {
    if (size !== this.size) {
      this.canvas.width = Math.round(size.width * size.dpr);
      this.canvas.height = Math.round(size.height * size.dpr);
      this.size = size;
    }
    this.map = map;
    this.wipe();
    const first = Math.max(1, this.frames.length - VISIBLE);
    for (const [fades, pairs] of this.byFades(first)) {
      this.stroke(pairs, freshInk(pairs[0][1].chains) * (1 - FADE) ** fades, colour);
    }
  }

  /** Return the pairs of successive frames from `first`, grouped by their number of fades, oldest first. */
  byFades(first) {
    const groups = new Map();
    for (let i = first; i < this.frames.length; i++) {
      const number = this.pushed - (this.frames.length - 1 - i);
      const fades = Math.floor(this.pushed / FADE_EVERY) - Math.floor(number / FADE_EVERY);
      if (!groups.has(fades)) groups.set(fades, []);
      groups.get(fades).push([this.frames[i - 1], this.frames[i]]);
    }
    return groups;
  }

  /** Copy the trails to the picture, stretched to the current mapping during an ease. */
  paint(g, map, alpha) {
    if (!this.map || !this.canvas.width) return;
    const scale = map.s / this.map.s;
    const [width, height] = [this.size.width * scale, this.size.height * scale];
    g.globalAlpha = alpha;
    g.drawImage(this.canvas, map.ox - this.map.ox * scale, map.oy - this.map.oy * scale, width, height);
    g.globalAlpha = 1;
  }

  /** Paint the followed chain's longer trail, darker towards its end. */
  paintFollowed(g, k, map, colour) {
    const { frames } = this;
    const bands = 11;
    g.strokeStyle = colour;
    g.lineWidth = 1.7;
    g.lineCap = g.lineJoin = "round";
    for (let band = 0; band < bands; band++) {
      const from = Math.floor((frames.length * band) / bands);
      const to = Math.min(frames.length - 1, Math.floor((frames.length * (band + 1)) / bands));
      g.globalAlpha = 0.08 + (0.92 * (band + 1)) / bands;
      g.beginPath();
      for (let i = from; i <= to; i++) this.extend(g, frames[i], k, map, i === from);
      g.stroke();
    }
    g.globalAlpha = 1;
    g.lineCap = "butt";
  }

  extend(g, frame, k, map, first) {
    const x = map.ox + frame.positions[2 * k] * map.s;
    const y = map.oy - frame.positions[2 * k + 1] * map.s;
    if (!Number.isFinite(x + y)) return;
    if (first || frame.jumped[k]) g.moveTo(x, y);
    else g.lineTo(x, y);
  }
}
