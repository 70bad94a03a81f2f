// Translated from sampler/tuning/verdicts/measurements.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {PLAIN} from "./sampler_algorithms_algorithm_names.js"

export const WIDTH_LIMIT = 0.1;

export const NARROW_LIMIT = 0.1;

export const LAG_LIMIT = 0.25;

export const NOISE_LIMIT = 0.2;

export const MEMORY_LIMIT = 0.5;

export const RESETS_LIMIT = 0.001;

export const STALE_LIMIT = 0.05;

export const LIMITS = {"width": 0.1, "narrowness": 0.1, "lag": 0.25, "noise": 0.2, "memory": 0.5, "resets": 0.001, "stale": 0.05};

export const LARGEST_BATCH = 256;

export const LONG_STEP = 0.5;

export const SHORT_STEP = 0.1;

export const ACCURACY_MARGIN = 0.03;

export const ENOUGH_DRAWS = 200.0;

export const OLD = 0.3;

export const CHANCE = 0.03;

export const WARM_UP = 16;

export function amount(name, value) {
  if (name === "lag") {
    return (value < 1) ? `${py.format(value, ".2f")} target widths` : `${py.format(value, ",.1f")} target widths`;
  }
  return (value >= 0.01) ? `${py.format(100 * value, ".0f")} %` : `${py.format(100 * value, ".2g")} %`;
}

export function limit_words(name, limit = null) {
  let bare, noisy;
  if (!py.isinstance(name, "str") || !py.contains(LIMITS, name)) {
    throw new py.PythonError("ValueError", `name must be one of ${py.str(py.iter(LIMITS).join(", "))}, got ${py.str(py.shown(name))}`);
  }
  limit = (limit == null) ? null : limit;
  bare = amount(name, LIMITS[name]);
  noisy = (limit == null) ? bare : amount(name, limit);
  return py.eq(noisy, bare) ? bare : `${py.str(bare)}, plus noise: ${py.str(noisy)} here`;
}

export const _TOP = [1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684, 0.2417807251774506, 0.022723844989269184, 0.0007745450142783414];

export const _BOTTOM = [1.0, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457, 0.0005475938084995345, 1.0507500716444169e-09];

export function normal_reach(chance) {
  let r, top, bottom, above, below;
  [r, top, bottom] = [Math.sqrt(-Math.log(chance)) - 1.6, 0.0, 0.0];
  for ([above, below] of py.zip(py.reversed(_TOP), py.reversed(_BOTTOM))) {
    [top, bottom] = [(top * r) + above, (bottom * r) + below];
  }
  return top / bottom;
}

export function poisson_quantile(share, mean) {
  let reach, first, weights, k, left;
  reach = (10.0 * Math.sqrt(mean)) + 20.0;
  first = py.max([0, Math.floor(mean - reach)]);
  weights = [1.0];
  for (k of py.range(first + 1, Math.ceil(mean + reach))) {
    weights.push((weights.at(-1) * mean) / k);
  }
  [left, k] = [share * py.sum(weights), first];
  while (left > weights[k - first]) {
    left = left - weights[k - first];
    k = k + 1;
  }
  return k;
}

export const JUDGED = ["accuracy", "ceiling", "ceiling_sd", "width_bias", "narrowness", "noise_share", "memory", "lag", "resets", "exits", "stale_share", "reference_draws"];

export class Measurements {
  constructor({settings = py.missing("Measurements.settings"), t = py.missing("Measurements.t"), chains = py.missing("Measurements.chains"), epochs = py.missing("Measurements.epochs"), accuracy = null, ceiling = null, ceiling_sd = 0.0, predicted = null, width_bias = null, narrowness = null, dim = null, draws = null, spacing = 1, pairs = null, noise_share = null, memory = null, lag = null, resets = 0, exits = 0, window = 480, resets_window = null, own_checkpoint = true, drifts = false, checkpoint_epoch = 0, stale_share = 0.0, reference_draws = null, reference_epoch = null, diverged = null, diverged_chains = 0, largest_curvature = null, largest_eta0 = null, advised = null, algorithm = PLAIN, counts_from = null} = {}) {
    Object.assign(this, {settings, t, chains, epochs, accuracy, ceiling, ceiling_sd, predicted, width_bias, narrowness, dim, draws, spacing, pairs, noise_share, memory, lag, resets, exits, window, resets_window, own_checkpoint, drifts, checkpoint_epoch, stale_share, reference_draws, reference_epoch, diverged, diverged_chains, largest_curvature, largest_eta0, advised, algorithm, counts_from});
  }
  get reset_rate() {
    return this.resets / this.reset_epochs;
  }
  get not_finite() {
    let value;
    return py.tuple(py.iter(JUDGED).filter((name) => ((value = this[name]) != null) && !Number.isFinite(value)));
  }
  has_noise(name) {
    let count;
    count = (name === "memory") ? this.pairs : this.draws;
    return (count != null) && !Number.isNaN(count) && ((this.dim != null) || py.isinf(count));
  }
  get limits() {
    let reach, step, kept, draws, wide, centred;
    reach = normal_reach(CHANCE / (py.or(this.dim, () => 1)));
    step = ((this.pairs != null) && (py.truthy(this.has_noise("memory")))) ? (1.0 / Math.sqrt(py.max([this.pairs - 3.0, 1.0]))) : 0.0;
    kept = py.min([Math.tanh(Math.atanh(py.min([py.max([py.or(this.memory, () => 0.0), 0.0]), 0.99])) + step), 0.99]);
    kept = (this.memory != null) ? (kept ** this.spacing) : 0.0;
    draws = ((this.draws != null) && (py.truthy(this.has_noise("width")))) ? this.draws : Infinity;
    [wide, centred] = [kept ** 2, kept].map((r) => this._effective((draws * (1 - r)) / (1 + r)));
    return ({width: WIDTH_LIMIT + (reach / Math.sqrt(2.0 * wide)), narrowness: NARROW_LIMIT + (reach / Math.sqrt(2.0 * wide)), lag: LAG_LIMIT + (reach / Math.sqrt(centred)), memory: py.max([MEMORY_LIMIT, Math.tanh(Math.atanh(MEMORY_LIMIT) + (reach * step))]), noise: NOISE_LIMIT, resets: py.max([RESETS_LIMIT, this._resets_allowed / this.reset_epochs])});
  }
  _effective(draws) {
    let reference;
    [reference, draws] = [py.or(this.reference_draws, () => Infinity), py.max([draws, 1e-09])];
    return Number.isFinite(draws) ? (1.0 / ((1.0 / draws) + (1.0 / reference))) : Infinity;
  }
  get reset_epochs() {
    return this.chains * py.max([(this.resets_window == null) ? this.window : this.resets_window, 1]);
  }
  get _resets_allowed() {
    return py.max([1.0, poisson_quantile(1.0 - CHANCE, RESETS_LIMIT * this.reset_epochs)]);
  }
  get long_step() {
    return this.step_times_curvature > LONG_STEP;
  }
  get step_times_curvature() {
    return (this.largest_curvature == null) ? NaN : (this.step_size(this.t) * this.largest_curvature);
  }
  step_size(t) {
    return py.eq(this.algorithm, PLAIN) ? this.settings.step_size(t) : this.settings.eta0;
  }
}

export class Verdict {
  constructor({kind = py.missing("Verdict.kind"), title = py.missing("Verdict.title"), subtitle = py.missing("Verdict.subtitle"), sentence = py.missing("Verdict.sentence"), suggestion = py.missing("Verdict.suggestion"), change = null} = {}) {
    Object.assign(this, {kind, title, subtitle, sentence, suggestion, change});
  }
}

export function more_steps(settings, steps, why) {
  if (steps <= settings.i_max) {
    return ["More steps per epoch are needed, but i_max is at its maximum.", null];
  }
  return [`i_max = ${py.format(steps, ",")}: ${py.str(why)}.`, ({i_max: steps})];
}
