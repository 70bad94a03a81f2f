// Translated from app/live/epoch_records.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {is_charted} from "./app_live_history.js"

export const MOST_COORDINATES = 64;

export class CloudOutlines {
  constructor(outlines = null) {
    this._outlines = py.or(outlines, () => []);
  }
  finish(state) {
    let t, outline;
    t = state.t;
    if ((!(py.truthy(is_charted(t)))) || (state.saga.dim > MOST_COORDINATES) || (py.any(py.iter(this._outlines).map(([s, _]) => (py.eq(s, t)))))) {
      return null;
    }
    outline = state.outline();
    if (outline != null) {
      this._outlines.push([t, outline]);
    }
  }
  truncate(t) {
    this._outlines = py.iter(this._outlines).filter(([s, outline]) => s <= t);
  }
  at(t) {
    return py.next(py.reversed(this._outlines).filter(([s, outline]) => s <= t).map(([s, outline]) => outline), null);
  }
  copy() {
    return new CloudOutlines([...py.iter(this._outlines)]);
  }
}

export const BUDGET = 268435456;

export const EARLIEST = 16;

export class Keeper {
  constructor(start, budget = BUDGET) {
    this.budget = budget;
    this.states = [start.copy()];
  }
  get nbytes() {
    return py.sum(py.iter(this.states).map((kept) => kept.nbytes));
  }
  keep(state) {
    let t;
    t = state.t;
    if ((t < EARLIEST) || ((t & (t - 1)) !== 0) || (py.any(py.iter(this.states).map((kept) => (py.eq(kept.t, t)))))) {
      return null;
    }
    if ((this.nbytes + state.nbytes) <= this.budget) {
      this.states = py.sorted([...py.iter(this.states), state.copy()], {key: (kept) => kept.t});
    }
  }
  latest(t) {
    return py.next(py.reversed(this.states).filter((kept) => kept.t <= t));
  }
  truncate(t) {
    this.states = py.iter(this.states).filter((kept) => kept.t <= t);
  }
}
