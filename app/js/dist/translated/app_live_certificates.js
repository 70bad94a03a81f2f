// Translated from app/live/certificates.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {is_charted} from "./app_live_history.js"
import {Promise} from "./app_live_snapshot.js"
import {short} from "./app_number_words.js"
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

export const SYMBOLS = [["eta0", "η₀"], ["eta", "η"], ["sigma^2", "σ²"], ["i_max", "iₘₐₓ"], ["<=", "≤"]];

export function promise_of(epoch, history, t, ceiling) {
  let distance, most, deviation, fact, basis;
  if (epoch == null) {
    return null;
  }
  [distance, [most, deviation]] = [history.latest("tv", t), ceiling];
  if ((distance == null) || (most == null)) {
    [fact, basis] = ["…", "The target is not available yet, so nothing is measured."];
  } else {
    fact = `TV ${py.format(distance, ".3f")}`;
    basis = `Mean total variation of the marginals over the last 16 epochs, one minus the accuracy; as many exact draws score ${py.format(1 - most, ".3f")} ± ${py.format(deviation, ".3f")}. At most the joint total variation, up to this noise.`;
  }
  return new Promise({rows: [["promised, noise as measured", _value(epoch.measured), _measured_help(epoch)], ["promised, noise of the ball", _value(epoch.in_ball), _ball_help(epoch)], ["measured distance", fact, basis]], note: py.or(_with_symbols(epoch.measured.words), () => "Measured: W₂, σ². Certified: η, L.")});
}

export function _value(certificate) {
  return `TV ≤ ${py.format(Math.ceil((certificate.value * 100) - 1e-09) / 100, "g")}`;
}

export function _measured_help(epoch) {
  let certificate;
  certificate = epoch.measured;
  if (py.truthy(certificate.conditions)) {
    return `Epoch ${py.format(epoch.t, ",")}: ${py.str(_with_symbols(certificate.words))}`;
  }
  return `Epoch ${py.format(epoch.t, ",")}, in KL: start ${py.str(short(certificate.start))}, step size ${py.str(short(certificate.step))}, noise ${py.str(short(certificate.noise))}. W₂ = ${py.str(short(epoch.wasserstein))} is measured from where the chains started, σ² = ${py.str(short(epoch.variance))} on ${py.str(epoch.chains)} of them at their ends, so no ball is needed.${py.str(py.truthy(epoch.whitened) ? " All lengths are in each chain’s own metric." : "")}`;
}

export function _ball_help(epoch) {
  let certificate;
  certificate = epoch.in_ball;
  if (certificate.words.startsWith("variance")) {
    return `Epoch ${py.format(epoch.t, ",")}: Lemma 6.2 bounds the noise of refreshed, cached gradients only, and not in a metric.`;
  }
  if (py.truthy(certificate.conditions)) {
    return `Epoch ${py.format(epoch.t, ",")}: ${py.str(_with_symbols(certificate.words))}`;
  }
  return `Epoch ${py.format(epoch.t, ",")} as in the theorem: Lemma 6.2 bounds the noise in the ball of radius R, with the measured D (noise ${py.str(short(certificate.noise))} in KL), and ${py.format(100 * certificate.exit, ".2g")} % of the chains left it. ${py.str(_with_symbols(certificate.words))}`;
}

export function _with_symbols(words) {
  let plain, symbol;
  if (words.startsWith("smoothness")) {
    return "The terms have no finite smoothness L, or it is unknown: the theorem promises nothing.";
  }
  if (words.startsWith("wasserstein")) {
    return "The target is not available yet, nor the start’s distance W₂: nothing is promised.";
  }
  for ([plain, symbol] of py.iter(SYMBOLS)) {
    words = words.replaceAll(plain, symbol);
  }
  return words;
}
