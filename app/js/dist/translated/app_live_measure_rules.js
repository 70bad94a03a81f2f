// Translated from app/live/measure_rules.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {RECENT, is_charted} from "./app_live_history.js"
import {EPOCHS} from "./app_live_recent_samples.js"

export const NOISE_EVERY = 4;

export const PREDICTED_EVERY = 16;

export const NOISE_WINDOW = 32;

export const THROWN = 0.1;

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

export function of_cloud(inside, farthest) {
  if (!(py.truthy(py.len(inside)))) {
    return ({});
  }
  return ({median: quantile(inside, 0.5), q95: quantile(inside, 0.95), farthest: farthest});
}

export function of_work(t, evaluations, steps, chains) {
  return ({cost: evaluations / chains, full: (t * steps) / chains});
}

export function of_pool(accuracy, ceiling, memory) {
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

export function is_stale(epoch, t) {
  return (2 * epoch) < t;
}

export function windows(t, since) {
  let own;
  own = t > since.resets;
  return [py.min([RECENT, t - since.exits]), py.min([RECENT, t - (py.truthy(own) ? since.resets : since.knobs)]), own];
}

export function epochs_judged(t, begun, since, history, chains) {
  let last, epochs, thrown;
  last = py.min([t, since.resets]);
  epochs = last - py.max([since.knobs, t - EPOCHS]);
  thrown = (epochs > 0) && (history.count("resets", last, epochs) > ((THROWN * epochs) * chains));
  return py.max([0, t - py.max([begun, py.truthy(thrown) ? since.resets : since.knobs])]);
}

export function largest_eta0(eta0, step_size, curvature) {
  return py.truthy(curvature) ? (((MARGIN * 2) * eta0) / (step_size * curvature)) : null;
}
