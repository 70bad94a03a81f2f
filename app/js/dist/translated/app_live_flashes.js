// Translated from app/live/flashes.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const MOST = 32;

export const RESETS_LAST = 4;

export const EXITS_LAST = 2;

export class Effects {
  constructor() {
    this.enabled = true;
    this._t = 0;
    this.clear();
  }
  clear() {
    this.jumped = py.set();
    this._resets = [];
    this._exits = [];
    this._published = [0, 0];
  }
  note_resets(state) {
    let resets, exits, chains, flashed;
    this._t = state.t;
    [resets, exits] = this._published;
    [this._resets, this._exits, this._published] = [this._resets.slice(resets), this._exits.slice(exits), [0, 0]];
    if (py.truthy(this.enabled)) {
      chains = state.chains_reset();
      this.jumped = new Set([...py.iter(this.jumped), ...py.iter(chains)]);
      flashed = py.iter(chains.slice(0, MOST)).map((k) => [this._t, k, ...py.iter(state.ends_of(k))]);
      this._resets = [...py.iter(this._resets), ...py.iter(flashed)].slice(-MOST);
    }
  }
  note_exits(state, before) {
    let chains, farthest, left;
    chains = state.chains_left(before).slice(0, MOST);
    if (py.truthy(py.len(chains))) {
      farthest = state.farthest();
      left = py.iter(chains).map((k) => [this._t, k, this._farthest(state, k, Math.sqrt(farthest[k]))]);
      this._exits = [...py.iter(this._exits), ...py.iter(left)].slice(-MOST);
    }
  }
  _farthest(state, k, distance) {
    let mode, offset, length, stretch;
    mode = state.tracker.mode;
    offset = py.zip(state.position_of(k), mode).map(([x, center]) => (x - center));
    length = Math.hypot(...py.iter(offset));
    stretch = (length > state.escape_distance) ? 1.0 : (distance / py.max([length, 1e-12 * distance]));
    return py.zip(offset, mode).map(([x, center]) => (center + (stretch * x)));
  }
  resets() {
    return py.iter(this._resets).filter((entry) => entry[0] > (this._t - RESETS_LAST)).map((entry) => entry.slice(1));
  }
  exits() {
    return py.iter(this._exits).filter((entry) => entry[0] > (this._t - EXITS_LAST)).map((entry) => entry.slice(1));
  }
  mark_published() {
    this.jumped = py.set();
    this._resets = py.iter(this._resets).filter((entry) => py.eq(entry[0], this._t));
    this._exits = py.iter(this._exits).filter((entry) => py.eq(entry[0], this._t));
    this._published = [py.len(this._resets), py.len(this._exits)];
  }
}
