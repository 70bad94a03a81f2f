// One figure of the Exit time page on a canvas of its own, drawn up to a step: what the chains do grows, what is proved or
// foretold is there from the start. Its lines are those of app/plots/lines.py, described by app/recording/exit_figures.py.

import { spreadBoxes } from "./label_spacing.js";

const LINE = 14; // pixels of a line of words
const AWAY = 8;
const NARROW = 520; // pixels below which labels are short
const WIDEST = 0.34; // of the figure, for its labels
const EDGES = { left: 50, top: 24, bottom: 40, low: 24 };

export class LineFigure {
  constructor(about, columns, looks, font) {
    Object.assign(this, { about, looks, font });
    this.lines = linesOf(about, columns);
    this.box = element(`<div class="panel" data-panel="${about.name}"><h3><b>${escapeHtml(about.title)}</b><span>${escapeHtml(about.subtitle)}</span></h3>
      <canvas role="img" aria-label="Figure: ${escapeHtml(about.title)}, ${escapeHtml(about.subtitle)}"></canvas></div>`);
    this.canvas = this.box.querySelector("canvas");
    this.g = this.canvas.getContext("2d");
  }

  resize(width, height) {
    const dpr = Math.min(2, window.devicePixelRatio || 1);
    const tall = height > 190;
    Object.assign(this, { width, height, dpr, tall });
    this.canvas.width = Math.round(width * dpr);
    this.canvas.height = Math.round(height * dpr);
    this.canvas.style.height = `${height}px`;
    this.right = width - this.roomForLabels();
    this.bottom = height - (tall ? EDGES.bottom : EDGES.low);
  }

  roomForLabels() {
    const { g, font, width } = this;
    const widthOf = (line, text) => {
      g.font = `${line.bold ? "bold " : ""}11.5px ${font}`;
      return Math.max(...text.split("\n").map((words) => g.measureText(words).width));
    };
    const ends = this.lines.filter((line) => line.label && line.where === "end");
    const cap = WIDEST * width;
    this.short = width < NARROW || ends.some((line) => widthOf(line, line.label) > cap);
    const room = Math.max(14, ...ends.map((line) => widthOf(line, this.textOf(line)) + AWAY + 8));
    return Math.min(room, 1.2 * cap);
  }

  textOf(line) {
    return this.short && line.short ? line.short : line.label;
  }

  scale(value, [low, high], log) {
    return log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  }

  x(value) {
    return EDGES.left + this.scale(value, this.about.x, this.about.logX) * (this.right - EDGES.left);
  }

  y(value) {
    return this.bottom - this.scale(value, this.about.y, this.about.logY) * (this.bottom - EDGES.top);
  }

  draw(step, palette) {
    const { g, dpr } = this;
    this.palette = palette;
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    this.drawAxes();
    g.save();
    g.beginPath();
    g.rect(EDGES.left, EDGES.top - 6, this.right - EDGES.left + 5, this.bottom - EDGES.top + 11);
    g.clip();
    const until = (line) => (line.grows ? step : Infinity);
    for (const line of this.lines) if (line.spread && !line.bars) this.drawBand(line, until(line));
    for (const line of this.lines) this.drawLine(line, until(line));
    for (const line of this.lines) this.drawDots(line, until(line));
    g.restore();
    g.globalAlpha = 1;
    this.drawLabels(step);
  }

  colour(role, words = 0) {
    return this.palette[this.looks.roles[role][words]];
  }

  drawBand(line, until) {
    const { g } = this;
    const last = lastOf(line, until);
    g.fillStyle = this.colour(line.role);
    g.globalAlpha = 0.2;
    g.beginPath();
    for (let i = 0; i <= last; i++) g.lineTo(this.x(line.x[i]), this.y(line.low[i]));
    for (let i = last; i >= 0; i--) g.lineTo(this.x(line.x[i]), this.y(line.high[i]));
    g.fill();
  }

  drawLine(line, until) {
    const { g } = this;
    const dash = this.looks.marks[line.mark][0];
    if (!dash) return;
    g.strokeStyle = this.colour(line.role);
    g.globalAlpha = line.alpha;
    g.lineWidth = line.width + 0.9 * line.bold;
    g.lineJoin = "round";
    g.setLineDash(dash === "solid" ? [] : dash.split(" ").map(Number));
    g.beginPath();
    const last = lastOf(line, until);
    let joined = false;
    for (let i = 0; i <= last; i++) {
      const [x, y] = [this.x(line.x[i]), this.y(line.y[i])];
      if (!Number.isFinite(x + y)) joined = false;
      else if (joined) g.lineTo(x, y);
      else g.moveTo(x, y);
      joined = Number.isFinite(x + y);
    }
    if (joined && last >= 0 && last < line.n - 1 && Number.isFinite(line.y[last + 1])) { // as far as the step on the way to the next point
      const share = (until - line.x[last]) / (line.x[last + 1] - line.x[last]);
      g.lineTo(this.x(until), this.y(line.y[last] + share * (line.y[last + 1] - line.y[last])));
    }
    g.stroke();
    g.setLineDash([]);
  }

  drawDots(line, until) {
    const [dash, marker, usual, fill, solid] = this.looks.marks[line.mark];
    if (dash && !line.dots && !line.bars) return;
    const { g } = this;
    const r = (line.size ?? usual) / 2;
    const last = lastOf(line, until);
    g.lineWidth = 1.5;
    for (let i = 0; r > 0 && i <= last; i++) {
      const [x, y] = [this.x(line.x[i]), this.y(line.y[i])];
      if (!Number.isFinite(x + y)) continue;
      g.strokeStyle = this.colour(line.role);
      g.globalAlpha = line.alpha;
      if (line.bars) {
        g.globalAlpha = 0.65 * line.alpha;
        g.beginPath();
        g.moveTo(x, this.y(line.low[i]));
        g.lineTo(x, this.y(line.high[i]));
        g.stroke();
      }
      g.beginPath();
      if (marker === "diamond") [[0, -r], [r, 0], [0, r], [-r, 0]].forEach(([dx, dy]) => g.lineTo(x + dx, y + dy));
      else g.arc(x, y, r, 0, 2 * Math.PI);
      g.closePath();
      g.fillStyle = this.colour(fill === "card" ? "card" : line.role);
      g.globalAlpha = line.alpha * solid;
      g.fill();
      g.globalAlpha = line.alpha;
      g.stroke();
    }
  }

  drawLabels(step) {
    const ends = [];
    for (const line of this.lines) {
      if (!line.label) continue;
      const last = lastOf(line, line.grows ? step : Infinity);
      const at = lastKnown(line, last);
      if (at < 0) continue;
      const text = spoken(line, this.textOf(line), at);
      if (line.where === "end") ends.push({ line, text, wanted: this.y(line.y[at]), tall: LINE * text.split("\n").length });
      else this.write(line, text, ...this.beside(line));
    }
    const fits = spreadBoxes(ends, EDGES.top - 14, this.bottom + 6);
    for (const { line, text, top } of fits) this.write(line, text, this.right + AWAY, top + LINE / 2);
  }

  /** Where a label beside its line begins: at a lone point, or over the first third of the line. */
  beside(line) {
    if (line.n === 1) return [this.x(line.x[0]) + 4, this.y(line.y[0])];
    const inside = [...line.y.keys()].filter((i) => line.y[i] <= this.about.y[1]);
    const at = inside[Math.floor(inside.length / 4)] ?? 0;
    return [this.x(line.x[at]) + 12, this.y(line.y[at]) - 36];
  }

  write(line, text, x, y) {
    const { g } = this;
    g.globalAlpha = 1;
    g.font = `${line.bold ? "bold " : ""}11.5px ${this.font}`;
    g.textAlign = "left";
    g.textBaseline = "middle";
    text.split("\n").forEach((words, i) => {
      g.lineWidth = 4;
      g.strokeStyle = this.palette.card;
      g.strokeText(words, x, y + LINE * i);
      g.fillStyle = this.colour(line.role, 1);
      g.fillText(words, x, y + LINE * i);
    });
  }

  drawAxes() {
    const { g, palette, about } = this;
    g.font = `11px ${this.font}`;
    g.lineWidth = 1;
    g.textAlign = "right";
    g.textBaseline = "middle";
    const most = Math.max(2, Math.round((this.bottom - EDGES.top) / 44));
    for (const [value, words] of about.ticks ?? niceTicks(...about.y, most)) {
      const y = this.y(value);
      if (y < EDGES.top - 6 || y > this.bottom + 1) continue;
      this.rule(palette.grid, EDGES.left, y, this.right, y);
      g.fillStyle = palette.ink2;
      g.fillText(words, EDGES.left - 7, y);
    }
    this.rule(palette.axis, EDGES.left, this.bottom, this.right, this.bottom);
    g.textAlign = "center";
    g.textBaseline = "top";
    g.fillStyle = palette.ink2;
    for (const [value, words] of about.logX ? decades(...about.x) : niceTicks(...about.x, Math.round((this.right - EDGES.left) / 90))) {
      this.rule(palette.axis, this.x(value), this.bottom, this.x(value), this.bottom + 4);
      g.fillText(words, this.x(value), this.bottom + 7);
    }
    if (this.tall) g.fillText(about.across, (EDGES.left + this.right) / 2, this.bottom + 23);
  }

  rule(colour, x0, y0, x1, y1) {
    const { g } = this;
    g.strokeStyle = colour;
    g.beginPath();
    g.moveTo(x0, y0);
    g.lineTo(x1, y1);
    g.stroke();
  }

  /** [words, value] of what is known up to the step at a place of the canvas, and the step there; null outside. */
  told(px, step) {
    if (px < EDGES.left - 4 || px > this.right + 4) return null;
    const share = (px - EDGES.left) / (this.right - EDGES.left);
    const there = this.about.x[0] + share * (this.about.x[1] - this.about.x[0]);
    const rows = this.lines.filter((line) => line.told && line.label && line.n > 1).flatMap((line) => {
      const i = lastOf(line, line.grows ? Math.min(there, step) : there);
      return i >= 0 && (!line.grows || there <= step + 1) ? [[line.name, line.told[i].split("\n")[0]]] : [];
    });
    return { there, rows };
  }
}

/** The lines with their points, which lie one line after the other in the columns. */
function linesOf({ name, lines }, columns) {
  let [at, side] = [0, 0];
  return lines.map((line) => {
    const [from, to] = [at, (at += line.n)];
    const found = { ...line, x: columns[`${name}_x`].subarray(from, to), y: columns[`${name}_y`].subarray(from, to) };
    if (!line.spread) return found;
    const [low, high] = [side, (side += line.n)];
    return { ...found, low: columns[`${name}_low`].subarray(low, high), high: columns[`${name}_high`].subarray(low, high) };
  });
}

/** Index of the last point up to a step; -1 when none is. */
function lastOf(line, until) {
  if (until === Infinity) return line.n - 1;
  let [low, high] = [0, line.n];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (line.x[middle] <= until) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function lastKnown(line, last) {
  while (last >= 0 && !Number.isFinite(line.y[last])) last--;
  return last;
}

/** A label ends with the line's last value: while the line grows it says the present one. */
function spoken(line, text, at) {
  if (!line.grows || !line.told) return text;
  const value = (i) => line.told[i].split(/[,\n]/)[0];
  return text.replace(value(line.n - 1), value(at));
}

function niceTicks(low, high, most) {
  const raw = (high - low) / Math.max(1, most);
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((unit) => unit * decade).find((unit) => unit >= raw - 1e-12);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + (step / decade === 2.5 ? 1 : 0));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    found.push([k * step, Math.abs(k * step) >= 1000 ? thousands(Math.round(k * step)) : (k * step || 0).toFixed(digits).replace("-", "−")]);
  }
  return found;
}

function decades(low, high) {
  const found = [];
  for (let power = Math.ceil(Math.log10(low)); 10 ** power <= high; power++) found.push([10 ** power, thousands(10 ** power)]);
  return found;
}
