// Translated from app/live/playback.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {SPEEDS} from "./app_state_live.js"

export const SLOW_STEPS = 2.0;

export const BACKLOG = 0.25;

export const LONGEST_PATH = 60;

export class StepPath {
  constructor() {
    this.clear();
  }
  clear() {
    [this._chain, this._t] = [-1, 0];
    this._points = [];
    this.ends = [];
  }
  note(chain, trace) {
    let before, eta, guessed, corrected;
    if ((trace == null) || (py.len(trace.before) === 0)) {
      return null;
    }
    if (!(py.truthy(this.shows(chain, trace.t)))) {
      this.clear();
      [this._chain, this._t] = [chain, trace.t];
    }
    [before, eta] = [trace.before.at(-1), trace.step_size];
    guessed = py.zip(before, trace.guess.at(-1)).map(([x, g]) => (x - (eta * g)));
    corrected = py.zip(guessed, trace.correction.at(-1)).map(([x, g]) => (x - (eta * g)));
    if (py.truthy(this.ends)) {
      this._points = [...py.iter(this._points), this.ends[0]].slice(-LONGEST_PATH);
    }
    this.ends = [before, guessed, corrected, trace.after.at(-1)];
  }
  shows(chain, t) {
    return py.eq(this._chain, chain) && py.eq(this._t, t);
  }
  get path() {
    return [...py.iter(this._points), this.ends[0]];
  }
}

export const CHUNK = 0.004;

export class Playback {
  constructor(speed) {
    this.path = new StepPath();
    this.hurry_to = 0;
    this._cost = 0.0001;
    this._clock = 0.0;
    this.set(speed);
  }
  set(speed) {
    let _;
    [_, this.kind, this.rate] = SPEEDS[speed];
    this.stop();
    if (!py.truthy(this.slow)) {
      this.path.clear();
    }
  }
  get slow() {
    return (this.kind === "steps") && (this.rate <= SLOW_STEPS);
  }
  stop() {
    this._target = null;
    this._step_at = null;
  }
  target(now, position) {
    let owed;
    if (py.isinf(this.rate)) {
      return Infinity;
    }
    if (this._target == null) {
      this._target = position;
    } else {
      owed = py.max([BACKLOG * this.rate, 1.0]);
      this._target = py.min([this._target + ((now - this._clock) * this.rate), position + owed]);
    }
    this._clock = now;
    return this._target;
  }
  step_due(now) {
    let late;
    if ((this._step_at != null) && (now < this._step_at)) {
      return false;
    }
    late = (this._step_at == null) || ((now - this._step_at) > (1.0 / this.rate));
    this._step_at = (py.truthy(late) ? now : this._step_at) + (1.0 / this.rate);
    return true;
  }
  wait(run) {
    let state;
    state = run.state;
    if ((state.position < this.hurry_to) || py.isinf(this.rate)) {
      return 0.0;
    }
    if (this.kind === "steps") {
      return (this._step_at == null) ? 0.0 : py.max([0.0, this._step_at - run.clock()]);
    }
    return py.min([0.25, 1.0 / (this.rate * py.max([1, py.truthy(state.t) ? state.longest : 1]))]);
  }
  paced(run) {
    return (this.kind === "epochs") && !py.isinf(this.rate) && (run.state.position >= this.hurry_to);
  }
  chunk() {
    return py.max([1, py.min([py.int(CHUNK / this._cost), 100000])]);
  }
  play(run, until) {
    let now, state;
    [now, state] = [run.clock(), run.state];
    if (state.position < this.hurry_to) {
      this.stop();
      return this._go_to(run, this.hurry_to, until);
    }
    if (this.kind === "steps") {
      return py.and(this.step_due(now), () => this.step(run));
    }
    return this._go_to(run, this.target(now, state.position), until);
  }
  _go_to(run, target, until) {
    let state, moved;
    [state, moved] = [run.state, false];
    while ((state.position < target) && (!py.truthy(moved) || (run.clock() < until))) {
      if (!(py.truthy(this._go(run, this._steps_to(state, target))))) {
        break;
      }
      moved = true;
    }
    return moved;
  }
  step(run) {
    let state, moved;
    state = run.state;
    if (!py.truthy(state.done) && (state.step >= state.run_length)) {
      this.epoch(run, () => false);
    }
    if (!py.truthy(this.slow)) {
      return run.advance(1);
    }
    moved = run.advance(1, state.chain);
    if (py.truthy(moved)) {
      this.path.note(state.chain, state.trace);
    }
    return moved;
  }
  epoch(run, stopped) {
    let moved;
    moved = this._go(run, this.chunk());
    while (py.truthy(moved) && !py.truthy(run.state.done) && (!(py.truthy(stopped())))) {
      this._go(run, this.chunk());
    }
    return moved;
  }
  _steps_to(state, target) {
    let begun, needed;
    begun = py.truthy(state.done) ? state.t : (state.t - 1);
    if ((target - begun) >= 1) {
      return this.chunk();
    }
    if (py.truthy(state.done)) {
      return 1;
    }
    needed = Math.ceil((target - begun) * state.longest) - state.advanced;
    return py.max([1, py.min([needed, this.chunk()])]);
  }
  _go(run, steps) {
    let start, opened, moved, cost;
    [start, opened] = [run.clock(), run.state.done];
    moved = run.advance(steps);
    if (py.truthy(moved) && !py.truthy(opened) && !py.truthy(run.state.done)) {
      cost = (run.clock() - start) / steps;
      this._cost = this._cost + (0.2 * (cost - this._cost));
    }
    return moved;
  }
}
