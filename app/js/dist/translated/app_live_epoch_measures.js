// Translated from app/live/epoch_measures.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {CountedSince, epochs_judged, is_noise_due, is_prediction_due, largest_eta0, noise_share, of_cloud, of_pool, of_work, windows} from "./app_live_measure_rules.js"
import {Measurements} from "./sampler_tuning_verdicts_measurements.js"

export class Measures {
  constructor(history, timeline, first, foresight) {
    [this._history, this._timeline, this._first] = [history, timeline, first];
    this.pooling = true;
    this.foresight = foresight;
    this._predicted = null;
    this._settings = null;
  }
  finish(state) {
    let t, inside, farthest, exits, evaluations, steps, values;
    t = state.t;
    this.foresight.add(state);
    if (py.truthy(state.truth.ready) && py.truthy(this.pooling)) {
      state.pool_samples();
    }
    if (t <= this._history.t) {
      return null;
    }
    [inside, farthest, exits] = state.measure_cloud();
    [evaluations, steps] = state.work();
    values = ({exits: exits, resets: py.len(state.chains_reset()), checkpoint: state.new_checkpoint, ...of_cloud(inside, farthest), ...of_work(state.count, evaluations, steps, state.saga.chains)});
    if (py.truthy(state.pool.size)) {
      values = ({...values, ...of_pool(state.pool.accuracy(), state.pool.ceiling(), state.pool.memory())});
    }
    this._history.record(t, py.truthy(state.halted) ? values : ({...values, ...this._measured_seldom(state)}));
  }
  refresh(state) {
    if (py.truthy(state.t) && !py.truthy(state.halted)) {
      this._predict(state);
    }
  }
  _measured_seldom(state) {
    let t, turned, values;
    [t, turned] = [state.t, !py.eq(state.saga.settings, this._settings)];
    values = (py.truthy(is_noise_due(t, turned))) ? state.noise_here() : ({});
    return (py.truthy(is_prediction_due(t, turned))) ? ({...values, predicted: this._predict(state)}) : values;
  }
  _predict(state) {
    [this._settings, this._predicted] = [state.saga.settings, this.foresight.accuracy(state)];
    return this._predicted;
  }
  since(state) {
    return counted_since(this._timeline.changes, this._first, state.t);
  }
  noise_share(state) {
    let t, reduced, span, column;
    [t, reduced] = [state.t, state.saga.settings.variance_reduction];
    span = [t, py.min([t, this._history.t]), this.since(state).knobs];
    column = this._history.column(py.truthy(reduced) ? "saga" : "sgld", t);
    return noise_share(column, span, reduced, state.preconditioned, state.step_size / (2 * state.saga.dim));
  }
  stale_share(state) {
    return (py.truthy(state.saga.settings.refresh) || !py.truthy(state.t)) ? 0.0 : state.stale_share();
  }
  measured(state) {
    let saga, pool, t, history, since, window, resets_window, own, width, lag, narrowness, mean, sd, curvature;
    [saga, pool, t, history, since] = [state.saga, state.pool, state.t, this._history, this.since(state)];
    [window, resets_window, own] = windows(t, since);
    [width, lag, narrowness] = py.truthy(pool.size) ? pool.shape() : [null, null, null];
    [mean, sd] = py.truthy(pool.size) ? pool.ceiling() : [null, 0.0];
    curvature = state.largest_curvature();
    return new Measurements({settings: saga.settings, t: t, chains: saga.chains, epochs: epochs_judged(t, state.since, since, history, saga.chains), accuracy: pool.accuracy(), ceiling: mean, ceiling_sd: sd, predicted: this._predicted, width_bias: width, narrowness: narrowness, dim: saga.dim, draws: pool.size, pairs: pool.pairs, noise_share: this.noise_share(state), memory: pool.memory(), lag: lag, resets: history.count("resets", t, resets_window), exits: py.truthy(window) ? history.count("exits", t, window) : null, window: window, resets_window: resets_window, own_checkpoint: own, checkpoint_epoch: saga.forgotten + saga.checkpoint_epoch, stale_share: this.stale_share(state), reference_draws: state.truth.draws, reference_epoch: state.truth.epoch, diverged: state.diverged_at, diverged_chains: state.lost, largest_curvature: curvature, largest_eta0: largest_eta0(saga.settings.eta0, state.step_size, curvature), algorithm: state.config.algorithm, advised: state.advised});
  }
}

export function counted_since(changes, first, t) {
  let settings, radius, knobs, resets, exits, change, new_, tighter;
  [[settings, radius], knobs, resets, exits] = [first, 0, 0, 0];
  for (change of py.iter(changes)) {
    if (change.t > t) {
      break;
    }
    new_ = change.settings;
    if (!py.eq(new_, settings)) {
      tighter = (new_.acceptance_radius <= settings.acceptance_radius) && (py.eq(py.replace(new_, {acceptance_radius: settings.acceptance_radius}), settings));
      knobs = change.t;
      resets = py.truthy(tighter) ? change.t : (1 * 2 ** py.bit_length(change.t));
    }
    if (!py.eq(new_, settings) || !py.eq(change.escape_radius, radius)) {
      exits = change.t;
    }
    [settings, radius] = [new_, change.escape_radius];
  }
  return new CountedSince({knobs: knobs, resets: resets, exits: exits});
}
