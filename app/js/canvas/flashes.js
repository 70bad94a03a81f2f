// What happens at one epoch and is gone a moment later: resets and exits.

const WALL_MS = 600;
const EPOCHS = { reset: 4, exit: 2 };
const MOST = 32; // of each kind at once

export class Effects {
  constructor() {
    this.clear();
  }

  clear() {
    this.items = new Map();
    this.seen = { reset: 0, exit: 0 };
    this.t = 0;
  }

  /** Take in the events of a frame. Frames repeat those of their epoch, so each counts once. */
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
   * From 1 to 0. It fades over a few epochs, but never in less than 0.6 s: at 64 epochs a second nobody would see it,
   * and a paused picture keeps it.
   */
  strength(event, now, still) {
    const epochs = (this.t - event.t) / EPOCHS[event.kind];
    if (still) return epochs <= 0 ? 1 : 0;
    return Math.max(0, 1 - Math.min((now - event.born) / WALL_MS, epochs));
  }

  forget(now) {
    for (const [key, event] of this.items) if (this.strength(event, now, false) === 0) this.items.delete(key);
  }

  /** Events of a kind that still show, newest first. */
  list(kind, now, still) {
    return [...this.items.values()]
      .filter((event) => event.kind === kind)
      .map((event) => ({ ...event, strength: this.strength(event, now, still) }))
      .filter((event) => event.strength > 0)
      .reverse()
      .slice(0, MOST);
  }

  /** Whether something fades by the clock and needs a redraw without a new frame (a little longer, to end clean). */
  fading(now) {
    return [...this.items.values()].some((event) => {
      const wall = (now - event.born) / WALL_MS;
      return wall < 1.1 && wall < (this.t - event.t) / EPOCHS[event.kind];
    });
  }
}
