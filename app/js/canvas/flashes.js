// Effects that fade after their epoch: resets and exits.

const WALL_MS = 600;
const EPOCHS = { reset: 4, exit: 2 };
const MOST = 32; // maximum number of each kind at a time

export class Effects {
  constructor() {
    this.clear();
  }

  clear() {
    this.items = new Map();
    this.seen = { reset: 0, exit: 0 };
    this.t = 0;
  }

  /** Add the events of a frame, once each: all frames of an epoch repeat its events. */
  absorb(frame, now) {
    this.t = frame.t;
    for (let i = 0; i < frame.resets.length; i += 5) {
      const [chain, x, y, toX, toY] = frame.resets.subarray(i, i + 5);
      this.add({ kind: "reset", chain, x, y, toX, toY, t: frame.t, born: now });
    }
    for (let i = 0; i < frame.exits.length; i += 3) {
      const [chain, x, y] = frame.exits.subarray(i, i + 3);
      this.add({ kind: "exit", chain, x, y, t: frame.t, born: now });
    }
    this.forget(now);
  }

  add(event) {
    const key = `${event.kind} ${event.t} ${event.chain}`;
    if (this.items.has(key) || !Number.isFinite(event.x + event.y)) return;
    this.items.set(key, event);
    this.seen[event.kind] += 1;
  }

  /**
   * Return the strength, from 1 to 0. It fades over a few epochs, but takes at least 0.6 s, to be visible at 64 epochs per second;
   * it stays in a paused picture.
   */
  strength(event, now, still) {
    const epochs = (this.t - event.t) / EPOCHS[event.kind];
    if (still) return epochs <= 0 ? 1 : 0;
    return Math.max(0, 1 - Math.min((now - event.born) / WALL_MS, epochs));
  }

  forget(now) {
    for (const [key, event] of this.items) if (this.strength(event, now, false) === 0) this.items.delete(key);
  }

  /** Return the visible events of a kind, newest first. */
  list(kind, now, still) {
    return [...this.items.values()]
      .filter((event) => event.kind === kind)
      .map((event) => ({ ...event, strength: this.strength(event, now, still) }))
      .filter((event) => event.strength > 0)
      .reverse()
      .slice(0, MOST);
  }

  /** Return whether an event fades and requires redraws without a new frame (slightly longer, to end at 0). */
  fading(now) {
    return [...this.items.values()].some((event) => {
      const wall = (now - event.born) / WALL_MS;
      return wall < 1.1 && wall < (this.t - event.t) / EPOCHS[event.kind];
    });
  }
}
