// The frames of the chains' picture, made from the columns of app/recording/cloud_columns.py as they are asked for. A frame
// is what `decode` of the canvas's message.js gives, so that the same picture paints it.

import { accumulate, lastUpTo } from "./unpack.js";

const LOOP = 128; // numbers of one contour: 64 points

export class Clouds {
  constructor(head, columns) {
    Object.assign(this, { head, columns, length: head.frames, chains: head.chains, sceneries: new Map() });
    accumulate(columns.positions, this.length);
    this.resets = rowsByFrame(columns.resets, 6);
    this.exits = rowsByFrame(columns.exits, 4);
    this.loopStart = startsOf(columns.loops);
    this.ballStart = startsOf(columns.balls_here);
    const { contours } = columns;
    for (let i = LOOP; i < contours.length; i++) contours[i] += contours[i - LOOP];
  }

  /** Frame k with chain `follow` followed, or none. */
  frame(k, follow) {
    const { columns, chains, head } = this;
    const window = { x: columns.x[k], y: columns.y[k], half: columns.half[k] };
    return {
      frame: k, t: columns.t[k], run: 1, chains, rescaled: head.rescaled, coordinates: columns.coordinates[k],
      positions: this.positions(k, window), jumped: this.jumped(k),
      resets: this.resets.get(k) ?? NONE, exits: this.exits.get(k) ?? NONE, arrows: null, rung: null, ghost: null,
      scenery: this.scenery(k), escape: columns.escape[k], acceptance: columns.acceptance[k], followed: follow,
      mode: [columns.mode_x[k], columns.mode_y[k]], window, ...this.own(k, follow ?? 0),
    };
  }

  /** Frames up to k, oldest first, as many as trails remember. */
  before(k, follow, count) {
    const frames = [];
    for (let i = Math.max(0, k - count + 1); i <= k; i++) frames.push(this.frame(i, follow));
    return frames;
  }

  positions(k, window) {
    const values = new Float32Array(2 * this.chains);
    for (let i = 0; i < values.length; i++) values[i] = this.place(this.columns.positions[i * this.length + k], i & 1, window);
    return values;
  }

  /** A coordinate (axis 0 or 1) from its 16 bits in the frame of a window. */
  place(code, axis, window) {
    const { reach, finest, none } = this.head.codes;
    if (code === none) return NaN;
    return (axis ? window.y : window.x) + (code * reach * window.half) / finest;
  }

  jumped(k) {
    const bytes = Math.ceil(this.chains / 8);
    const words = new Uint32Array(Math.ceil(this.chains / 32));
    new Uint8Array(words.buffer).set(this.columns.jumped.subarray(k * bytes, (k + 1) * bytes));
    return words;
  }

  /** Checkpoint of one chain, and its acceptance ball where chains have a metric of their own. */
  own(k, chain) {
    const { columns, chains } = this;
    const i = lastUpTo(columns.checkpoint_frames, k);
    const then = columns.checkpoint_frames[i];
    const window = { x: columns.x[then], y: columns.y[then], half: columns.half[then] };
    const at = 2 * (i * chains + chain);
    const checkpoint = [0, 1].map((axis) => this.place(columns.checkpoints[at + axis], axis, window));
    if (!this.head.ownMetric) return { checkpoint, ellipse: null };
    const row = 5 * (lastUpTo(columns.outline_frames, k) * chains + chain);
    const [xx, xy, yy, force, radius] = columns.outlines.subarray(row, row + 5);
    return { checkpoint, ellipse: decodeEllipse([radius, chain, force, xx, xy, yy]) };
  }

  scenery(k) {
    const i = lastUpTo(this.columns.scenery_frames, k);
    if (!this.sceneries.has(i)) this.sceneries.set(i, this.look(i));
    return this.sceneries.get(i);
  }

  look(i) {
    const { columns } = this;
    const frame = columns.scenery_frames[i];
    const window = { x: columns.x[frame], y: columns.y[frame], half: columns.half[frame] };
    const contours = Array.from({ length: columns.loops[i] }, (_, n) => {
      const at = (this.loopStart[i] + n) * LOOP;
      return Float32Array.from(columns.contours.subarray(at, at + LOOP), (code, j) => this.place(code, j & 1, window));
    });
    const balls = Array.from({ length: columns.balls_here[i] }, (_, n) => {
      const [epoch, x, y, radius] = columns.balls.subarray(4 * (this.ballStart[i] + n), 4 * (this.ballStart[i] + n) + 4);
      return { epoch, x, y, radius };
    });
    return { contours, balls };
  }

  /** The first frame in which epoch t is under way or has ended; the last frame when none is. */
  frameOf(t) {
    const k = lastUpTo(this.columns.t, t - 0.5) + 1;
    return Math.min(k, this.length - 1);
  }

  /** The frame so many epochs before or after frame k. */
  beside(k, count) {
    const t = this.columns.ended[k] + count;
    return t <= 0 ? 0 : this.endOf(t);
  }

  at(t) {
    return this.endOf(t);
  }

  /** The last frame that shows epoch t ended; else the last one before it. */
  endOf(t) {
    const { ended } = this.columns;
    const k = lastUpTo(ended, t - 0.5) + 1;
    return Math.min(k, this.length - 1);
  }
}

const NONE = new Float32Array(0);

/** Frame -> the rest of its rows, end to end. */
function rowsByFrame(rows, width) {
  const lists = new Map();
  for (let at = 0; at < rows.length; at += width) {
    if (!lists.has(rows[at])) lists.set(rows[at], []);
    lists.get(rows[at]).push(...rows.subarray(at + 1, at + width));
  }
  return new Map([...lists].map(([frame, values]) => [frame, Float32Array.from(values)]));
}

function startsOf(counts) {
  const starts = [];
  let sum = 0;
  for (const count of counts) {
    starts.push(sum);
    sum += count;
  }
  return starts;
}
