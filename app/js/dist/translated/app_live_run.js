// Translated from app/live/run.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {Certificates, promise_of} from "./app_live_certificates.js"
import {Measures, meters} from "./app_live_epoch_measures.js"
import {CloudOutlines, GoodEvents, SavedStates} from "./app_live_epoch_records.js"
import {Effects} from "./app_live_flashes.js"
import {History} from "./app_live_history.js"
import {Moment} from "./app_live_moment_link.js"
import {Change, Timeline} from "./app_live_timeline.js"
import {ALGORITHMS} from "./app_state_live_menu.js"
import {judge} from "./sampler_tuning_verdicts_judge.js"

export class Run {
  constructor(state, clock, forecast) {
    [this.clock, this.state] = [clock, state];
    [this.history, this.timeline, this.saved_states] = [new History(), new Timeline(), new SavedStates(state)];
    this._first_knobs = state.knobs;
    this.measures = new Measures(this.history, this.timeline, this._first_knobs, forecast);
    [this.effects, this.certificates, this.outlines] = [new Effects(), new Certificates(), new CloudOutlines()];
    this.good = new GoodEvents(state.saga.chains);
    this.records = [this.certificates, this.outlines, this.good];
  }
  close() {
    this.state.truth.close();
  }
  verdict() {
    let state, lines, measured, verdict, prefix, since;
    [state, lines] = [this.state, this.state.assumptions];
    measured = py.replace(this.measures.measured(state), {drifts: lines[2].ok === false});
    [verdict, prefix] = [judge(measured), ALGORITHMS[state.config.algorithm].prefix];
    since = this.measures.since(state).words(state.t, state.config.reset, verdict.kind);
    verdict = py.replace(verdict, {sentence: verdict.sentence + since});
    if (py.truthy(prefix)) {
      verdict = py.replace(verdict, {subtitle: `${py.str(prefix.trim())}: ${py.str(verdict.subtitle)}`});
    }
    return [verdict, meters(measured), lines];
  }
  promise() {
    let state, ceiling;
    state = this.state;
    ceiling = py.truthy(state.pool.size) ? state.pool.ceiling() : [null, 0.0];
    return promise_of(this.certificates.until(state.t), this.history, state.t, ceiling);
  }
  advance(steps, trace = null) {
    this.forget_future();
    return this.go(steps, trace);
  }
  go(steps, trace = null) {
    let state, effects, before, record;
    [state, effects] = [this.state, this.effects];
    if (py.truthy(state.done)) {
      if (py.truthy(state.ended) || py.truthy(state.halted)) {
        return false;
      }
      state.arrive();
      effects.note_resets(state);
      if (py.truthy(effects.enabled)) {
        effects.note_exits(state, py.times([0.0], state.saga.chains));
      }
    }
    before = py.truthy(effects.enabled) ? state.farthest() : null;
    state.saga.advance(steps, trace);
    state.advanced = state.advanced + steps;
    if (before != null) {
      effects.note_exits(state, before);
    }
    if (py.truthy(state.done)) {
      this.measures.finish(state);
      for (record of py.iter(this.records)) {
        record.finish(state);
      }
      this.saved_states.keep(state);
    }
    return true;
  }
  get behind() {
    return py.and(this.state.done, () => (this.history.t > this.state.t));
  }
  forget_future() {
    let record;
    for (record of py.iter(py.truthy(this.behind) ? [this.history, this.timeline, this.saved_states, ...py.iter(this.records)] : [])) {
      record.truncate(this.state.t);
    }
  }
  restore(kept) {
    this.state = this.state.restored(kept);
    this.effects.clear();
  }
  configure(config) {
    let state, before;
    state = this.state;
    [before, state.config] = [state.knobs, config];
    if (!py.eq(before, state.knobs)) {
      this.forget_future();
      this._log(before, this.clock());
      state.saga.settings = config.settings;
    }
  }
  revive() {
    let chains;
    chains = this.state.lost;
    if (py.truthy(chains)) {
      this.forget_future();
      this._put_back();
      this._log_revival(chains, this.clock());
    }
  }
  _put_back() {
    this.state.saga.restart_diverged();
    this.state.since = this.state.t;
  }
  apply(change) {
    let state;
    state = this.state;
    state.config = state.config.turned(change.knobs);
    state.saga.settings = change.settings;
    if (py.truthy(change.revive)) {
      this._put_back();
    }
  }
  replay_change(change, clock) {
    let state, before, chains;
    state = this.state;
    [before, chains] = [state.knobs, state.lost];
    state.config = state.config.turned(change.knobs);
    if (!py.eq(before, state.knobs)) {
      this._log(before, clock);
    }
    this.apply(change);
    if (py.truthy(change.revive) && py.truthy(chains)) {
      this._log_revival(chains, clock);
    }
  }
  get moment() {
    let state;
    state = this.state;
    return new Moment({t: state.t, advanced: py.truthy(state.done) ? null : state.advanced, first: this._first_knobs, changes: this.timeline.changes});
  }
  _log(before, clock) {
    let went_on;
    went_on = this.timeline.mark(this.state.mark_position, clock, before, this.state.knobs);
    this.timeline.add(py.replace(this._change(), {continues: went_on}));
  }
  _log_revival(chains, clock) {
    this.timeline.add(py.replace(this._change(), {revive: true}));
    this.timeline.mark_revived(this.state.mark_position, chains, clock);
  }
  _change() {
    let state;
    state = this.state;
    return new Change({...py.record(["t", "advanced", "settings", "escape_radius", "revive", "continues"], [state.t, py.truthy(state.done) ? null : state.advanced, ...py.iter(state.knobs)])});
  }
}
