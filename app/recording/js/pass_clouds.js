// The frames of one epoch, played once for each step of a lesson: frame k is frame k % F of pass floor(k / F).

import { Clouds } from "./clouds.js";

const BY_FRAME = ["t", "ended", "step", "run_length", "step_size"]; // what others read of the columns by frame

export class PassClouds {
  constructor(head, columns) {
    this.one = new Clouds(head, columns);
    this.each = head.frames;
    this.length = head.frames * head.lesson.parts.length;
    this.columns = Object.fromEntries(BY_FRAME.map((name) => [name, tiled(columns[name], this.length)]));
  }

  pass(k) {
    return Math.floor(k / this.each);
  }

  frame(k, follow) {
    return { ...this.one.frame(k % this.each, follow), frame: k, coordinates: this.pass(k) };
  }

  /** Frames of the same pass up to k, oldest first, as many as trails remember. */
  before(k, follow, count) {
    const first = Math.max(this.pass(k) * this.each, k - count + 1);
    return Array.from({ length: k - first + 1 }, (_, i) => this.frame(first + i, follow));
  }

  /** The frame so many frames before or after. */
  beside(k, count) {
    return k + count;
  }

  /** The frame of the same pass that shows step t. */
  at(t, k) {
    return this.pass(k) * this.each + Math.min(this.one.endOf(t), this.each - 1);
  }
}

function tiled(values, length) {
  const found = new values.constructor(length);
  for (let at = 0; at < length; at += values.length) found.set(values, at);
  return found;
}
