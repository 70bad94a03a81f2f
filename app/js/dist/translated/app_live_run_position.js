// Translated from app/live/run_position.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {NO_TICKS, lines_of} from "./app_live_assumptions.js"

export const AFTER_END = 0.001;

export class RunPosition {
  get knobs() {
    return this.config.knobs;
  }
  get t() {
    return this.saga.forgotten + this.saga.t;
  }
  get count() {
    return this.saga.t;
  }
  get done() {
    return this.saga.done;
  }
  get new_checkpoint() {
    return (py.eq(this.saga.checkpoint_epoch, (this.count - 1))) ? (this.t - 1) : null;
  }
  get ended() {
    return py.and(this.t >= this.data.length, () => this.done);
  }
  get halted() {
    return this.lost > 0;
  }
  get chain() {
    let follow;
    follow = this.config.follow;
    return ((follow != null) && ((0 <= follow) && (follow < this.saga.chains))) ? follow : 0;
  }
  get preconditioned() {
    return this.config.algorithm === "preconditioned";
  }
  get step_size() {
    let settings;
    settings = this.saga.settings;
    if (py.truthy(this.preconditioned)) {
      return settings.eta0;
    }
    return settings.eta0 / (py.or(this.count + settings.offset, () => 1.0));
  }
  get run_length() {
    return py.truthy(this.t) ? this.length_of(this.chain) : 0;
  }
  get step() {
    return py.truthy(this.t) ? py.min([this.steps_of(this.chain), this.run_length]) : 0;
  }
  get position() {
    return py.truthy(this.done) ? py.float(this.t) : ((this.t - 1) + py.min([this.advanced / this.longest, 1 - AFTER_END]));
  }
  get mark_position() {
    return py.truthy(this.done) ? (this.t + AFTER_END) : this.position;
  }
  get escape_distance() {
    return this.config.escape_radius / (py.or(Math.sqrt(this.count + this.saga.settings.offset), () => 1.0));
  }
  get assumptions() {
    if (this.count < this.t) {
      return lines_of([this.constants.smoothness, this.concentration, null], NO_TICKS);
    }
    return this.constants.lines(this.t, this.concentration, this.variances, this.curvatures, this.saga.settings.offset);
  }
}

export function is_stale(epoch, t) {
  return (2 * epoch) < t;
}
