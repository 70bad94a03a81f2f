// Translated from app/live/run_position.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {NO_TICKS, lines_of} from "./app_live_assumptions.js"

export const AFTER_END = 0.001;

export class RunPosition {
  get knobs() {
    return this.config.knobs;
  }
  get t() {
    return np.add(this.saga.forgotten, this.saga.t);
  }
  get count() {
    return this.saga.t;
  }
  get done() {
    return this.saga.done;
  }
  get new_checkpoint() {
    return (np.equal(this.saga.checkpoint_epoch, (np.subtract(this.count, 1)))) ? (np.subtract(this.t, 1)) : null;
  }
  get ended() {
    return py.and(np.greater_equal(this.t, this.data.length), () => this.done);
  }
  get halted() {
    return np.greater(this.lost, 0);
  }
  get chain() {
    let follow;
    follow = this.config.follow;
    return ((follow != null) && (np.less_equal(0, follow) && np.less(follow, this.saga.chains))) ? follow : 0;
  }
  get preconditioned() {
    return np.equal(this.config.algorithm, "preconditioned");
  }
  get step_size() {
    let settings;
    settings = this.saga.settings;
    if (py.truthy(this.preconditioned)) {
      return settings.eta0;
    }
    return np.divide(settings.eta0, py.or(np.add(this.count, settings.offset), () => 1.0));
  }
  get run_length() {
    return py.truthy(this.t) ? this.length_of(this.chain) : 0;
  }
  get step() {
    return py.truthy(this.t) ? py.min([this.steps_of(this.chain), this.run_length]) : 0;
  }
  get position() {
    return py.truthy(this.done) ? py.float(this.t) : (np.add(np.subtract(this.t, 1), py.min([np.divide(this.advanced, this.longest), np.subtract(1, AFTER_END)])));
  }
  get mark_position() {
    return py.truthy(this.done) ? (np.add(this.t, AFTER_END)) : this.position;
  }
  get escape_distance() {
    return np.divide(this.config.escape_radius, py.or(Math.sqrt(np.add(this.count, this.saga.settings.offset)), () => 1.0));
  }
  get assumptions() {
    if (np.less(this.count, this.t)) {
      return lines_of([this.constants.smoothness, this.concentration, null], NO_TICKS);
    }
    return this.constants.lines(this.t, this.concentration, this.variances, this.curvatures, this.saga.settings.offset);
  }
  get longest() {
    return py.int(this.saga.run_lengths.max());
  }
  length_of(chain) {
    return py.int(np.at(this.saga.run_lengths, chain));
  }
  steps_of(chain) {
    return py.int(np.at(this.saga.steps_done, chain));
  }
  position_of(chain) {
    return np.at(this.saga.positions, chain);
  }
  ends_of(chain) {
    return [np.at(this.saga.warm_starts, chain), np.at(this.saga.checkpoints, chain)];
  }
  chains_reset() {
    return np.flatnonzero(this.saga.was_reset).tolist();
  }
  farthest() {
    return this.saga.farthest;
  }
  chains_left(before) {
    let square;
    square = np.power(this.escape_distance, 2);
    return np.flatnonzero(np.bitwise_and(np.greater(this.saga.farthest, square), np.less_equal(np.asarray(before), square))).tolist();
  }
  get lost() {
    return py.int(this.saga.diverged.sum());
  }
  get diverged_at() {
    let where;
    where = this.saga.divergence;
    return (where == null) ? null : [where.chain, np.add(this.saga.forgotten, where.epoch), where.step];
  }
  sound_chains() {
    return np.flatnonzero(np.invert(this.saga.diverged)).tolist();
  }
  stale_share() {
    return py.float(is_stale(this.saga.cached_epochs(this.chain), this.count).mean());
  }
}

export function is_stale(epoch, t) {
  return np.less((np.multiply(2, epoch)), t);
}
