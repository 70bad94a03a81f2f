// Translated from app/live/rewind.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {EPOCHS} from "./app_live_recent_samples.js"
import {not_after, place} from "./app_live_timeline.js"

export const DRAWN = 12;

export const FRAMES_PER_EPOCH = 4;

export class Replay {
  constructor(run, t, advanced, changes) {
    [this.run, this._start] = [run, run.state.t];
    [this.target, this._advanced] = [t, advanced];
    this._pending = py.list(changes);
  }
  get state() {
    return this.run.state;
  }
  get _here() {
    return place(this.state.t, py.truthy(this.state.done) ? null : this.state.advanced);
  }
  get done() {
    return not_after(place(this.target, this._advanced), this._here);
  }
  get drawn() {
    return false;
  }
  get fraction() {
    return py.truthy(this.done) ? 1.0 : py.min([py.max([0.0, (this.state.t - this._start) / py.max([1, this.target - this._start])]), 1.0]);
  }
  stop_here() {
    if (this.state.t <= this.target) {
      [this.target, this._advanced] = [this.state.t, null];
    }
  }
  step(steps) {
    let due, t, advanced, already;
    while (py.truthy(this._pending) && (py.truthy(not_after(this._pending[0].place, this._here)))) {
      [due, ...this._pending] = this._pending;
      this._repeat(due);
    }
    if (py.truthy(this.done)) {
      return null;
    }
    for ([t, advanced] of [[this.target, this._advanced], ...py.iter(this._pending.slice(0, 1)).map((change) => [change.t, change.advanced])]) {
      already = py.truthy(this.state.done) ? 0 : this.state.advanced;
      if ((advanced != null) && (py.eq(t, (this.state.t + this.state.done))) && (advanced > already)) {
        steps = py.min([steps, advanced - already]);
      }
    }
    if (!(py.truthy(this.run.go(steps)))) {
      [this.target, this._advanced] = [this.state.t, null];
    }
  }
  run_for(seconds, steps) {
    let end;
    end = this.run.clock() + seconds;
    while (!py.truthy(this.done) && (this.run.clock() < end)) {
      this.step(steps);
    }
    return this.done;
  }
  _repeat(change) {
  }
}

export class Rewind extends Replay {
  constructor(run, target) {
    let kept, here, ahead;
    target = py.min([target, run.history.t]);
    kept = run.saved_states.latest(target);
    if (!(py.truthy(run.state.done) && ((kept.t <= run.state.t) && (run.state.t <= target)))) {
      run.restore(kept);
    }
    here = run.state.t;
    ahead = py.iter(run.timeline.changes).filter((c) => (c.t > here) || (py.eq(c.t, here) && (c.advanced == null)));
    super(run, target, null, py.iter(ahead).filter((c) => !(py.truthy(not_after(place(target, null), c.place)))));
  }
  step(steps) {
    this.run.measures.pooling = (this.target - this.state.t) <= (EPOCHS + 2);
    super.step(steps);
  }
  _repeat(change) {
    this.run.apply(change);
  }
}

export class Recall extends Replay {
  constructor(run, moment) {
    super(run, moment.t, moment.advanced, moment.way);
    this._gesture = 0.0;
  }
  get done() {
    return py.and(super.done, () => (!(py.truthy(this._pending) && (py.truthy(not_after(this._pending[0].place, this._here))))));
  }
  get drawn() {
    return (this.target - this.state.position) <= DRAWN;
  }
  run_for(seconds, steps) {
    let end, drawn, goal, part;
    [end, drawn] = [this.run.clock() + seconds, this.drawn];
    goal = py.truthy(drawn) ? (this.state.position + (1.0 / FRAMES_PER_EPOCH)) : (this.target - DRAWN);
    while (!py.truthy(this.done) && (this.state.position < goal) && (this.run.clock() < end)) {
      part = (py.truthy(drawn) && py.truthy(this.state.t)) ? py.max([1, Math.floor(this.state.longest / FRAMES_PER_EPOCH)]) : steps;
      this.step(py.min([steps, part]));
    }
    return this.done;
  }
  _repeat(change) {
    this._gesture = this._gesture + (py.truthy(change.continues) ? 0.0 : 60.0);
    this.run.replay_change(change, this._gesture);
  }
}
