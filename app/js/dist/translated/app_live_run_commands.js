// Translated from app/live/run_commands.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {Ghost} from "./app_live_ghost_run.js"
import {replay_notice, run_notice} from "./app_live_page_words.js"
import {Playback} from "./app_live_playback.js"
import {Recall, Rewind} from "./app_live_rewind.js"
import {hand_over} from "./app_live_run_handover.js"

export const IN_REPLAY = ["appear", "pause", "restart", "rewind", "recall", "let_ghost_go"];

export const AFTER_FAULT = ["restart", "recall", "let_ghost_go"];

export class Session {
  constructor(config, builder, playing = true) {
    [this.playing, this.dirty] = [playing, true];
    [this._config, this._builder] = [config, builder];
    this._run = null;
    this._playback = new Playback(config.speed);
    this._replay = null;
    this._arrived = null;
    this._deferred = [];
    this._ghost = null;
    this._error = null;
    this._stopped = false;
  }
  announced(action) {
    return action();
  }
  fail(words) {
    [this.playing, this._error, this._config] = [false, words, this._present];
    this._release_run();
  }
  _release_run() {
    if (this._run != null) {
      this._run.close();
    }
    this._run = this._replay = null;
  }
  get _present() {
    return (this._run == null) ? this._config : this._run.state.config;
  }
  get plays() {
    return this.playing;
  }
  get warm() {
    return this._run != null;
  }
  wait() {
    if (this._error != null) {
      return null;
    }
    if ((this._run == null) || (this._replay != null)) {
      return 0.0;
    }
    if (py.truthy(this.plays)) {
      return this._playback.wait(this._run);
    }
    return py.truthy(this._run.state.truth.busy) ? 1.0 : null;
  }
  get paced() {
    if (!py.truthy(this.warm)) {
      return false;
    }
    return (this._replay != null) ? this._replay.drawn : (py.and(this.plays, () => this._playback.paced(this._run)));
  }
  work(seconds) {
    if (!py.truthy(this._stopped) && (this._error == null)) {
      this.guarded(() => this._work(seconds));
      this.dirty = py.or(this.dirty, () => (this._error != null));
    }
  }
  _work(seconds) {
    if (this._run == null) {
      this._begin(this._config);
    } else if (this._replay != null) {
      this._continue_replay(seconds);
    } else if (py.truthy(this.plays)) {
      this._play(seconds);
    } else if (py.truthy(this._run.state.truth.refresh())) {
      this.dirty = true;
    }
  }
  _begin(config) {
    this._release_run();
    [this._config, this._error, this._arrived, this._deferred] = [config, null, null, []];
    this._builder = this.new_builder(this._builder);
    this._playback = new Playback(config.speed);
    this.dirty = true;
    this._run = this.announced(() => this.new_run(config));
  }
  _play(seconds) {
    this._after_move(this._playback.play(this._run, this._run.clock() + seconds));
  }
  _after_move(moved) {
    this.dirty = py.or(this.dirty, () => moved);
    if (py.truthy(this._run.state.ended) || (py.truthy(this._run.state.done) && py.truthy(this._run.state.halted))) {
      this.dirty = py.or(this.dirty, () => this.playing);
      this._pause();
    }
  }
  _pause() {
    this.playing = false;
    this._playback.stop();
  }
  execute(name, ...args) {
    this.dirty = true;
    this.guarded(() => this._execute(name, args));
  }
  _execute(name, args) {
    if ((this._error == null) && (this._run == null)) {
      this._begin(this._config);
    }
    if ((this._replay != null) && !py.contains(IN_REPLAY, name)) {
      this._deferred.push([name, args]);
    } else if ((this._error == null) || py.contains(AFTER_FAULT, name)) {
      this.announced(() => this["do_" + name](...py.iter(args)));
    }
  }
  do_play() {
    this.playing = !(py.truthy(this._run.state.ended) || py.truthy(this._run.state.halted));
  }
  do_pause() {
    this._deferred = py.iter(this._deferred).filter((one) => one[0] !== "play");
    if (this._replay != null) {
      this._replay.stop_here();
    }
    this._pause();
  }
  do_step() {
    this._pause();
    this._after_move(this._playback.step(this._run));
  }
  do_epoch() {
    this._pause();
    this._after_move(this._playback.epoch(this._run, () => this._stopped));
  }
  do_restart() {
    this._begin(this._present);
  }
  do_rewind(t) {
    let run, target;
    if (py.isinstance(this._replay, Recall)) {
      this._deferred.push(["rewind", [t]]);
      return null;
    }
    this._pause();
    this._deferred = [];
    [run, target] = [this._run, py.max([0, py.min([py.int(t), this._run.history.t])])];
    if ((this._replay == null) && py.truthy(run.state.done) && py.eq(target, run.state.t)) {
      return null;
    }
    [this._replay, run.effects.enabled] = [new Rewind(run, target), false];
    this._builder.restart();
  }
  do_recall(config, moment) {
    this._begin(config.turned(moment.first));
    this._pause();
    [this._replay, this._run.effects.enabled] = [new Recall(this._run, moment), false];
  }
  do_hand_over(take) {
    let state;
    this._pause();
    state = hand_over(this._run);
    if (state != null) {
      take(state);
    }
  }
  do_hurry(t) {
    this._playback.hurry_to = t;
  }
  do_revive() {
    this._run.revive();
    this.playing = !py.truthy(this._run.state.ended);
  }
  do_keep_ghost() {
    if (py.truthy(this._run.history.t)) {
      this._ghost = Ghost.of(this._run);
    }
  }
  do_let_ghost_go() {
    this._ghost = null;
  }
  configure(config) {
    this.dirty = true;
    this.guarded(() => this.do_configure(config));
  }
  do_configure(config) {
    let present;
    present = this._present;
    if (py.truthy(config.restarts(present))) {
      this._begin(config);
    } else if (this._run == null) {
      this._config = config;
    } else if ((this._replay != null) && !py.eq(config.knobs, present.knobs)) {
      this._deferred.push(["configure", [config]]);
    } else {
      if (!py.eq(config.speed, present.speed)) {
        this._playback.set(config.speed);
      }
      if (!py.eq(config.rescaled, present.rescaled) || !py.eq(config.axes, present.axes)) {
        this._builder.restart();
      }
      this._run.configure(config);
    }
  }
  _continue_replay(seconds) {
    let run, replay, drawn, waiting, name, args;
    [this.dirty, run, replay] = [true, this._run, this._replay];
    if (!py.truthy(this.warm)) {
      this.announced(() => replay.step(1));
    }
    drawn = replay.drawn;
    if (!(py.truthy(replay.run_for(seconds, this._playback.chunk())))) {
      if (py.truthy(replay.drawn) && !py.truthy(drawn)) {
        this._builder.restart();
      }
      return null;
    }
    this._arrived = py.isinstance(replay, Recall) ? run.state.position : null;
    [this._replay, run.measures.pooling, run.effects.enabled] = [null, true, true];
    run.effects.clear();
    run.measures.refresh(run.state);
    if (!py.truthy(drawn)) {
      this._builder.restart();
    }
    this._playback.stop();
    [waiting, this._deferred] = [this._deferred, []];
    for ([name, args] of py.iter(waiting)) {
      this.execute(name, ...py.iter(args));
    }
  }
  get notice() {
    if (this._replay != null) {
      return replay_notice(this._replay);
    }
    return run_notice(this._run, !py.truthy(this.playing) && py.eq(this._arrived, this._run.state.position));
  }
}
