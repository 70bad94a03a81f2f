// Displayed square of the plane, and the ease from one square to the next.

const EASE_MS = 400;
const PHONE_WIDTH = 450;
const NEAREST = 0.04; // smallest half-width, as a fraction of the fitted window's, to show the surroundings of a step
const FARTHEST = 8; // in half-widths: a longer step belongs to a diverging chain
const LEGIBLE = 0.3; // in half-widths: zoom in for arrows shorter than this
const COMFORTABLE = 0.45; // in half-widths: end the zoom for arrows longer than this

/** Return the map of a point to pixels: x -> ox + s x, y -> oy - s y. On a phone there is room for labels on the right and below. */
export function mapping(window, width, height) {
  const s = Math.min(width, height) / 2 / window.half;
  const phone = isPhone(width);
  const cx = width / 2 - (phone ? 0.06 * width : 0);
  const cy = height / 2 - (phone ? 0.028 * height : 0);
  return { s, ox: cx - window.x * s, oy: cy + window.y * s };
}

export function isPhone(width) {
  return width < PHONE_WIDTH;
}

const sameSquare = (a, b) =>
  Math.abs(a.half - b.half) <= 1e-5 * b.half && Math.hypot(a.x - b.x, a.y - b.y) <= 1e-4 * b.half;

const usableSquare = (w) => Number.isFinite(w.x + w.y + w.half) && w.half > 0;

export class Camera {
  constructor() {
    this.window = null; // displayed square
    this.target = null; // end of the ease
    this.from = null; // start of the ease; null without one
    this.started = 0;
  }

  /** Move to a square without an ease. */
  snap(window) {
    if (!usableSquare(window)) return;
    this.window = this.target = window;
    this.from = null;
  }

  /** Start an ease to a square unless it is the current target. */
  aim(window, now, eased) {
    if (!usableSquare(window)) return;
    if (!this.window || !eased) {
      this.snap(window);
      return;
    }
    if (sameSquare(window, this.target)) return;
    this.from = this.window;
    this.target = window;
    this.started = now;
  }

  get easing() {
    return this.from !== null;
  }

  /** Advance to the time `now`. The half-width eases on a log scale so that a zoom looks even. */
  step(now) {
    if (!this.from) return;
    const u = Math.min(1, Math.max(0, (now - this.started) / EASE_MS));
    if (u === 1) {
      this.snap(this.target);
      return;
    }
    const e = u < 0.5 ? 4 * u ** 3 : 1 - (2 - 2 * u) ** 3 / 2;
    const mix = (a, b) => a + (b - a) * e;
    this.window = {
      x: mix(this.from.x, this.target.x),
      y: mix(this.from.y, this.target.y),
      half: this.from.half * (this.target.half / this.from.half) ** e,
    };
  }
}

/**
 * Return the square for one step of a chain: the window fitted to the ball if the arrows are inside it and legible, else a square
 * around them. The last choice is kept while it is suitable, so that the picture is steady.
 */
export function stepSquare(ends, window, last) {
  const xs = [ends[0], ends[2], ends[4], ends[6]];
  const ys = [ends[1], ends[3], ends[5], ends[7]];
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const extent = Math.max(right - left, high - low);
  const far = (w) => Math.max(right - w.x, w.x - left, high - w.y, w.y - low);
  if (last && last !== window && extent > 0.3 * last.half && far(last) < 0.8 * last.half) return last;
  const legible = extent > (!last || last.near ? COMFORTABLE : LEGIBLE) * window.half;
  if (!(extent < FARTHEST * window.half) || (legible && far(window) < window.half)) return window;
  return { x: (left + right) / 2, y: (low + high) / 2, half: Math.max(1.15 * extent, NEAREST * window.half), near: true };
}
