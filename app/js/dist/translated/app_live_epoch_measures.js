// Translated from app/live/epoch_measures.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {RECENT, is_charted} from "./app_live_history.js"
import {EPOCHS} from "./app_live_recent_samples.js"
import {Meter} from "./app_live_snapshot.js"
import {Measurements} from "./sampler_tuning_verdicts_measurements.js"

export const NOISE_EVERY = 4;

export const PREDICTED_EVERY = 16;

export const NOISE_WINDOW = 32;

export const RESET_SHARE = 0.1;

export const MARGIN = 0.8;

export class CountedSince {
  constructor({knobs = 0, resets = 0, exits = 0} = {}) {
    Object.assign(this, {knobs, resets, exits});
  }
  words(t, reset, kind) {
    let recent, sentences;
    if ((kind === "diverged") || !py.truthy(this.knobs)) {
      return "";
    }
    recent = (kind !== "waiting") && ((t - this.knobs) < RECENT);
    sentences = py.truthy(recent) ? ` Measured since epoch ${py.format(this.knobs, ",")}, the last change.` : "";
    if (py.truthy(reset) && (t <= this.resets)) {
      sentences = sentences + ` Resets count again from epoch ${py.format(this.resets, ",")} on, the first checkpoint of these knobs.`;
    }
    return sentences;
  }
}

export function quantile(values, share) {
  let place, low;
  place = share * (py.len(values) - 1);
  low = Math.floor(place);
  return values[low] + ((place - low) * (values[py.min([low + 1, py.len(values) - 1])] - values[low]));
}

export function cloud_values(inside, farthest) {
  if (!(py.truthy(py.len(inside)))) {
    return ({});
  }
  return ({median: quantile(inside, 0.5), q95: quantile(inside, 0.95), farthest: farthest});
}

export function pool_values(accuracy, ceiling, memory) {
  let mean, sd;
  [mean, sd] = ceiling;
  return ({accuracy: accuracy, tv: 1.0 - accuracy, ceiling_low: mean - (2 * sd), ceiling_high: py.min([mean + (2 * sd), 1.0]), memory: memory});
}

export function is_noise_due(t, turned) {
  return py.or(is_charted(t), () => py.or(turned, () => ((py.mod(t, NOISE_EVERY)) === 0)));
}

export function is_prediction_due(t, turned) {
  return py.or(is_charted(t), () => py.or(turned, () => ((py.mod(t, PREDICTED_EVERY)) === 0)));
}

export function noise_share(variances, span, reduced, preconditioned, step) {
  let t, last, since, power, measured;
  [t, last, since] = span;
  power = (py.truthy(reduced) ? 1 : 2) - (py.truthy(preconditioned) ? 1 : 0);
  measured = py.range(py.max([1, since + 1, (t - NOISE_WINDOW) + 1]), last + 1).map((s) => (variances[s] * ((t / s) ** power)));
  measured = py.iter(measured).filter((value) => Number.isFinite(value));
  return py.truthy(measured) ? ((step * py.sum(measured)) / py.len(measured)) : null;
}

export function windows(t, since) {
  let own;
  own = t > since.resets;
  return [py.min([RECENT, t - since.exits]), py.min([RECENT, t - (py.truthy(own) ? since.resets : since.knobs)]), own];
}

export function judged_from(t, begun, since, history, chains) {
  let last, epochs, thrown;
  last = py.min([t, since.resets]);
  epochs = last - py.max([since.knobs, t - EPOCHS]);
  thrown = (epochs > 0) && (history.count("resets", last, epochs) > ((RESET_SHARE * epochs) * chains));
  return py.max([begun, py.truthy(thrown) ? since.resets : since.knobs]);
}

export function largest_eta0(eta0, step_size, curvature) {
  return py.truthy(curvature) ? (((MARGIN * 2) * eta0) / (step_size * curvature)) : null;
}

export class Measures {
  constructor(history, timeline, first, forecast) {
    [this._history, this._timeline, this._first, this.forecast] = [history, timeline, first, forecast];
    this.pooling = true;
    this._predicted = null;
    this._settings = null;
  }
  finish(state) {
    let t, inside, farthest, exits, evaluations, steps, chains, values;
    t = state.t;
    this.forecast.add(state);
    if (py.truthy(state.truth.ready) && py.truthy(this.pooling)) {
      state.pool_samples();
    }
    if (t <= this._history.t) {
      return null;
    }
    [inside, farthest, exits] = state.measure_cloud();
    [evaluations, steps] = state.work();
    chains = state.saga.chains;
    values = ({exits: exits, resets: py.len(state.chains_reset()), checkpoint: state.new_checkpoint, cost: evaluations / chains, full: (state.count * steps) / chains, ...cloud_values(inside, farthest)});
    if (py.truthy(state.pool.size)) {
      values = ({...values, ...pool_values(state.pool.accuracy(), state.pool.ceiling(), state.pool.memory())});
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
    [this._settings, this._predicted] = [state.saga.settings, this.forecast.accuracy(state)];
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
    let saga, pool, t, history, since, window, resets_window, own, width, lag, narrowness, mean, sd, curvature, start;
    [saga, pool, t, history, since] = [state.saga, state.pool, state.t, this._history, this.since(state)];
    [window, resets_window, own] = windows(t, since);
    [width, lag, narrowness] = py.truthy(pool.size) ? pool.shape() : [null, null, null];
    [mean, sd] = py.truthy(pool.size) ? pool.ceiling() : [null, 0.0];
    [curvature, start] = [state.largest_curvature(), judged_from(t, state.since, since, history, saga.chains)];
    return new Measurements({settings: saga.settings, t: t, chains: saga.chains, epochs: py.max([0, t - start]), counts_from: start, accuracy: pool.accuracy(), ceiling: mean, ceiling_sd: sd, predicted: this._predicted, width_bias: width, narrowness: narrowness, dim: saga.dim, draws: pool.size, pairs: pool.pairs, noise_share: this.noise_share(state), memory: pool.memory(), lag: lag, resets: history.count("resets", t, resets_window), exits: py.truthy(window) ? history.count("exits", t, window) : null, window: window, resets_window: resets_window, own_checkpoint: own, checkpoint_epoch: saga.forgotten + saga.checkpoint_epoch, stale_share: this.stale_share(state), reference_draws: state.truth.draws, reference_epoch: state.truth.epoch, diverged: state.diverged_at, diverged_chains: state.lost, largest_curvature: curvature, largest_eta0: largest_eta0(saga.settings.eta0, state.step_size, curvature), algorithm: state.config.algorithm, advised: state.advised});
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

export function meters(measured) {
  let noise, memory, limits, resets, allowed;
  [noise, memory, limits] = [measured.noise_share, measured.memory, measured.limits];
  resets = ((measured.resets_window === 0) || (measured.t === 0)) ? null : measured.reset_rate;
  allowed = py.truthy(measured.own_checkpoint) ? limits["resets"] : py.max([limits["resets"], py.or(resets, () => 0.0)]);
  return [_meter("width", "width bias", measured.width_bias, limits["width"], 0.25, _percent), _meter("noise", "gradient noise", noise, limits["noise"], 0.5, _share), _meter("memory", "memory", (memory == null) ? null : py.max([memory, 0.0]), limits["memory"], 0.5, _percent), _meter("resets", "epochs reset", resets, allowed, 0.5, (n) => `${py.format(100 * n, ".2g")} %`)];
}

export function _meter(key, label, value, limit, tick, text) {
  let fill;
  if (value == null) {
    return new Meter({key: key, label: label, text: "…", fill: 0.0, tick: tick, bad: false});
  }
  fill = py.min([1.0, py.max([0.0, (value / limit) * tick])]);
  return new Meter({key: key, label: label, text: text(value), fill: fill, tick: tick, bad: value > limit});
}

export function _percent(value) {
  if (value >= 10) {
    return (value < 9999) ? `${py.format(1 + value, ",.0f")} ×` : "> 10⁴ ×";
  }
  return `${py.format(100 * value, ".0f")} %`.replaceAll("-0 %", "0 %");
}

export function _share(value) {
  return (value >= 2) ? `${py.format(value, ",.1f")} ×` : _percent(value);
}
