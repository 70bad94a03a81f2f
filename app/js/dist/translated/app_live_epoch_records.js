// Translated from app/live/epoch_records.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {is_charted} from "./app_live_history.js"

export class GoodEvents {
  constructor(chains) {
    this.first_exit = np.zeros(chains, py.int);
    this._distances = [];
  }
  finish(state) {
    let t, inside, away;
    t = state.t;
    inside = np.less_equal(np.asarray(state.farthest()), (np.power(state.escape_distance, 2)));
    np.put(this.first_exit, np.bitwise_and(np.invert(inside), np.bitwise_or(np.equal(this.first_exit, 0), np.greater(this.first_exit, t))), t);
    if ((np.equal((np.bitwise_and(t, np.subtract(t, 1))), 0)) && (!(py.any(py.iter(this._distances).map(([s, _]) => (np.equal(s, t))))))) {
      away = np.linalg.norm(np.subtract(state.saga.positions, np.asarray(state.tracker.mode)), {axis: 1});
      this._distances = py.sorted([...py.iter(this._distances), [t, away]], {key: (kept) => np.at(kept, 0)});
    }
  }
  truncate(t) {
    np.put(this.first_exit, np.greater(this.first_exit, t), 0);
    this._distances = py.iter(this._distances).filter((kept) => np.less_equal(np.at(kept, 0), t));
  }
  until(t) {
    let kept, epochs, distances;
    kept = py.iter(this._distances).filter((one) => np.less_equal(np.at(one, 0), t));
    [epochs, distances] = [np.array(py.iter(kept).map(([s, _]) => s)), np.array(py.iter(kept).map(([_, away]) => away))];
    return [np.where(np.less_equal(this.first_exit, t), this.first_exit, 0), epochs, distances.reshape(py.len(kept), -1)];
  }
}

export const MOST_COORDINATES = 64;

export class CloudOutlines {
  constructor(outlines = null) {
    this._outlines = py.or(outlines, () => []);
  }
  finish(state) {
    let t, outline;
    t = state.t;
    if ((!(py.truthy(is_charted(t)))) || np.greater(state.saga.dim, MOST_COORDINATES) || (py.any(py.iter(this._outlines).map(([s, _]) => (np.equal(s, t)))))) {
      return null;
    }
    outline = state.outline();
    if (outline != null) {
      this._outlines.push([t, outline]);
    }
  }
  truncate(t) {
    this._outlines = py.iter(this._outlines).filter(([s, outline]) => np.less_equal(s, t));
  }
  at(t) {
    return py.next(py.reversed(this._outlines).filter(([s, outline]) => np.less_equal(s, t)).map(([s, outline]) => outline), null);
  }
  copy() {
    return new CloudOutlines([...py.iter(this._outlines)]);
  }
}

export const BUDGET = 268435456;

export const EARLIEST = 16;

export class SavedStates {
  constructor(start, budget = BUDGET) {
    this.budget = budget;
    this.states = [start.copy()];
  }
  get nbytes() {
    return np.total(py.iter(this.states).map((kept) => kept.nbytes));
  }
  keep(state) {
    let t;
    t = state.t;
    if (np.less(t, EARLIEST) || (np.not_equal((np.bitwise_and(t, np.subtract(t, 1))), 0)) || (py.any(py.iter(this.states).map((kept) => (np.equal(kept.t, t)))))) {
      return null;
    }
    if (np.less_equal((np.add(this.nbytes, state.nbytes)), this.budget)) {
      this.states = py.sorted([...py.iter(this.states), state.copy()], {key: (kept) => kept.t});
    }
  }
  latest(t) {
    return py.next(py.reversed(this.states).filter((kept) => np.less_equal(kept.t, t)));
  }
  truncate(t) {
    this.states = py.iter(this.states).filter((kept) => np.less_equal(kept.t, t));
  }
}
