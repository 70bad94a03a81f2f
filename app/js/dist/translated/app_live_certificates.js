// Translated from app/live/certificates.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {is_charted} from "./app_live_history.js"
import {uniform_variance_bound} from "./sampler_metrics_gradient_variance.js"
import {epoch_certificate} from "./sampler_theory_epoch_certificate.js"

export const WORK = 200000;

export const MOST_CHAINS = 8;

export class CertifiedEpoch {
  constructor({t = py.missing("CertifiedEpoch.t"), measured = py.missing("CertifiedEpoch.measured"), in_ball = py.missing("CertifiedEpoch.in_ball"), wasserstein = py.missing("CertifiedEpoch.wasserstein"), variance = py.missing("CertifiedEpoch.variance"), chains = py.missing("CertifiedEpoch.chains"), whitened = false} = {}) {
    Object.assign(this, {t, measured, in_ball, wasserstein, variance, chains, whitened});
  }
}

export class Certificates {
  constructor() {
    this._epochs = [];
    this._settings = null;
    this._due = false;
  }
  finish(state) {
    let turned, replayed, epoch;
    turned = !py.eq(state.saga.settings, this._settings);
    [this._settings, this._due] = [state.saga.settings, py.or(this._due, () => py.or(turned, () => is_charted(state.t)))];
    replayed = py.bool(this._epochs) && (state.t <= this._epochs.at(-1).t);
    if (py.truthy(turned) || py.truthy(replayed) || !py.truthy(this._due) || py.truthy(state.halted)) {
      return null;
    }
    epoch = certified(state);
    if (epoch != null) {
      this._due = false;
      this._epochs.push(epoch);
    }
  }
  truncate(t) {
    this._epochs = py.iter(this._epochs).filter((epoch) => epoch.t <= t);
  }
  until(t) {
    return py.next(py.reversed(this._epochs).filter((epoch) => epoch.t <= t), null);
  }
}

export function spread_over(chains, most) {
  let n, last;
  [n, last] = [py.max([1, py.min([py.len(chains), most])]), py.len(chains) - 1];
  return py.range(n).map((i) => chains[((0 < i) && (py.eq(i, (n - 1)))) ? last : py.int(i * (last / py.max([n - 1, 1])))]);
}

export function certified(state) {
  let saga, settings, t, own, sound, chains, metrics, smoothness, smooth, distance, name, noises, variance, farthest, square, left, certificate;
  [saga, settings, t, own] = [state.saga, state.saga.settings, state.t, state.preconditioned];
  sound = state.sound_chains();
  chains = spread_over(sound, py.min([MOST_CHAINS, Math.floor(WORK / py.max([t * saga.dim, 1]))]));
  metrics = py.iter(chains).map((chain) => (py.truthy(own) ? state.metric_of(chain) : null));
  if (py.truthy(own) && (py.any(py.iter(metrics).map((metric) => (metric == null))))) {
    return null;
  }
  smoothness = state.smoothness(metrics);
  smooth = (smoothness != null) && Number.isFinite(smoothness);
  distance = py.truthy(state.truth.ready) ? state.start_distance(py.truthy(own) ? chains : sound, metrics) : null;
  name = py.truthy(settings.variance_reduction) ? "saga" : "sgld";
  noises = py.truthy(smooth) ? py.zip(chains, metrics).map(([chain, metric]) => state.gradient_variance(chain, metric)[name]) : [];
  variance = py.truthy(smooth) ? (py.sum(noises) / py.len(noises)) : null;
  [farthest, square] = [state.farthest(), state.escape_distance ** 2];
  left = py.len(py.iter(sound).filter((k) => farthest[k] > square)) / py.len(sound);
  certificate = (noise, exit_probability, measured) => {
    return epoch_certificate(saga.dim, state.step_size, settings.i_max, distance, noise, smoothness, exit_probability, settings.random_length, measured);
  };
  return new CertifiedEpoch({t: t, measured: certificate(variance, 0.0, ["wasserstein", "variance"]), in_ball: certificate((py.truthy(smooth) && !py.truthy(own)) ? _ball_variance(state) : null, left, ["wasserstein", "variance", "exit_probability"]), wasserstein: distance, variance: variance, chains: py.len(chains), whitened: own});
}

export function _ball_variance(state) {
  let settings, constants;
  [settings, constants] = [state.saga.settings, state.constants];
  if (!(py.truthy(settings.variance_reduction) && py.truthy(settings.refresh))) {
    return null;
  }
  return uniform_variance_bound(state.count, constants.meter.smoothness, state.config.escape_radius, constants.largest_drift(settings.offset), settings.batch_size);
}
