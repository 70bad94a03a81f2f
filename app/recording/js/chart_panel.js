// One of the four charts on a canvas of its own: frame, ticks, glyphs, end labels.

import { paintGlyph } from "./glyphs.js";
import { spreadLabels } from "./label_spacing.js";

const TICK_FONT = "11px";
const AXIS_FONT = "12px";
const ONE_APART = 12; // pixels that the escape line must be above zero for its own tick, as on Live
const OVERLAY = ["overlay"];

export class ChartPanel {
  constructor(about, margins, font) {
    Object.assign(this, { about, margins, font });
    this.box = element(`<div class="panel" data-panel="${about.name}"><h3></h3>
      <canvas role="img" aria-label="Chart of ${escapeHtml(about.title)}"></canvas></div>`);
    this.canvas = this.box.querySelector("canvas");
    this.g = this.canvas.getContext("2d");
    this.entitle(about.subtitle);
  }

  entitle(subtitle) {
    put(this.box.querySelector("h3"), `<b class="only-wide">${escapeHtml(this.about.title)}</b>` +
      `<b class="only-phone">${escapeHtml(this.about.short)}</b><span>${escapeHtml(subtitle)}</span>`);
  }

  /** Size in CSS pixels: `frame` is the height of the plot below its headroom, `axis` whether it carries the epochs. */
  resize({ width, frame, above, headroom, below, left, right, axis }) {
    const dpr = Math.min(2, window.devicePixelRatio || 1);
    Object.assign(this, { width, frame, above, headroom, left, right, axis, dpr });
    this.height = above + headroom + frame + below;
    this.canvas.width = Math.round(width * dpr);
    this.canvas.height = Math.round(this.height * dpr);
    this.canvas.style.height = `${this.height}px`;
  }

  get bottom() {
    return this.above + this.headroom + this.frame;
  }

  get plotWidth() {
    return Math.max(60, this.width - this.left - this.right);
  }

  /** Turns values into pixels for this state of the charts. */
  scales(state) {
    const { low, high } = state[this.about.name];
    const { log } = this.about;
    const share = this.headroom / this.frame;
    const top = log ? high * (high / low) ** share : high + (high - low) * share;
    const unit = (v) => (log ? Math.log(v / low) / Math.log(top / low) : (v - low) / (top - low));
    const first = state.start;
    const x = (t) => this.left + (Math.log(t / first) / Math.log(state.end / first)) * this.plotWidth;
    const y = (v) => this.bottom - unit(v) * (this.frame + this.headroom);
    return { x, y, low, top };
  }

  /** Draw; `tables` are those that all panels share, `labels` belong to this one. */
  draw(state, tables, palette) {
    const { g, dpr } = this;
    const { x, y, low, top } = this.scales(state);
    const [right, upper] = [this.left + this.plotWidth, this.above];
    const pen = { g, x, y, palette, font: this.font, left: this.left, right, top: upper, bottom: this.bottom };
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    const own = { ...tables, ...this.ownTables(state, pen, low, top) };
    this.drawTicks(state, pen);
    g.save();
    g.beginPath();
    g.rect(this.left, upper, this.plotWidth, this.bottom - upper);
    g.clip();
    for (const level of ["underlay", "glyph", "annotation"]) this.paintLevel(level, own, pen);
    g.restore();
    if (this.axis) this.drawAxis(state, pen);
    for (const level of OVERLAY) this.paintLevel(level, own, pen);
  }

  paintLevel(level, tables, pen) {
    for (const part of this.about.parts) {
      if (part.level === level && tables[part.source || "none"]) paintGlyph(part, tables[part.source || "none"], pen);
    }
  }

  /** What depends on this panel's size: end labels, the escape line's own tick, the present epoch, diamonds. */
  ownTables(state, pen, low, top) {
    const apart = this.bottom - pen.y(1) > ONE_APART;
    const shown = { labels: this.labels(state, pen), none: {}, one: { x: apart ? [state.start] : [] } };
    if (state.texts.length) shown.texts = this.texts(state, top);
    if (!this.axis) return shown;
    const inside = this.checkpoints.filter((t) => t >= state.start && t <= state.end);
    shown.checkpoints = { t: inside, y: inside.map(() => low) };
    shown.now = { x: [state.end], y: [low], text: [`now ${thousands(this.now)}`] };
    return shown;
  }

  labels(state, pen) {
    const found = state[`${this.about.name} labels`] ?? [];
    const room = this.frame + this.headroom;
    const height = (v) => Math.min(room, Math.max(0, this.bottom - pen.y(v)));
    const wanted = found.map(([value, , , , shift]) => height(value) + shift);
    const heights = spreadLabels(wanted, this.margins.labelGap, 2, room - 2);
    const { low, top } = this.scales(state);
    const valueAt = (pixel) => (this.about.log ? low * (top / low) ** (pixel / room) : low + ((top - low) * pixel) / room);
    return {
      x: found.map(() => state.end), y: heights.map(valueAt), text: found.map((label) => label[1]),
      color: found.map((label) => label[2]), style: found.map((label) => (label[3] ? "bold" : "normal")),
    };
  }

  texts(state, top) {
    const first = state.start;
    const found = this.eventTexts;
    return {
      x: found.map(([share]) => first * (state.end / first) ** share), y: found.map(() => top),
      text: found.map(([, text]) => text), color: found.map(([, , token]) => token),
    };
  }

  drawTicks(state, pen) {
    const { g, palette } = pen;
    g.font = `${TICK_FONT} ${this.font}`;
    g.textAlign = "right";
    g.textBaseline = "middle";
    g.lineWidth = 1;
    for (const [value, text] of state[this.about.name].ticks) {
      const at = pen.y(value);
      if (at < this.above - 0.5 || at > this.bottom + 0.5) continue;
      g.strokeStyle = palette.grid;
      g.beginPath();
      g.moveTo(this.left, at);
      g.lineTo(pen.right, at);
      g.stroke();
      g.fillStyle = palette.ink2;
      g.fillText(text, this.left - 8, at);
    }
  }

  drawAxis(state, pen) {
    const { g, palette } = pen;
    g.strokeStyle = palette.axis;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(this.left, this.bottom);
    g.lineTo(pen.right, this.bottom);
    for (const tick of state.ticks) {
      g.moveTo(pen.x(tick), this.bottom);
      g.lineTo(pen.x(tick), this.bottom + 5);
    }
    g.stroke();
    g.fillStyle = palette.ink2;
    g.textAlign = "center";
    g.textBaseline = "top";
    g.font = `${TICK_FONT} ${this.font}`;
    for (const tick of state.ticks) g.fillText(thousands(tick), pen.x(tick), this.bottom + 9);
    g.font = `${AXIS_FONT} ${this.font}`;
    if (this.axisLabel) g.fillText(this.axisLabel, (this.left + pen.right) / 2, this.bottom + 27);
  }
}
