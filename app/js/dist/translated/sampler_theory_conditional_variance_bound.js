// Translated from sampler/theory/conditional_variance_bound.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {best_partition, noise_search, noisy_logs} from "./sampler_theory_block_bounds.js"
import {exit_bounds} from "./sampler_theory_exit_bounds.js"

export const ADDED_FAILURE = 0.01;

export const HOLDERS = [1.01, 1.05, 1.15, 1.4, 2.0];

export const LANE_STEPS = 4000000;

export class BatchNoise {
  constructor({variance_trace = py.missing("BatchNoise.variance_trace"), variance_max = py.missing("BatchNoise.variance_max"), increment_bound = py.missing("BatchNoise.increment_bound")} = {}) {
    Object.assign(this, {variance_trace, variance_max, increment_bound});
  }
}

export function batch_noise(fresh, cached, batch_size) {
  let b, delta, before, t, gram, largest;
  b = batch_size;
  delta = fresh;
  if (cached != null) {
    before = cached;
    if (np.not_equal(py.len(before), py.len(delta))) {
      throw new py.PythonError("ValueError", `cached must have ${py.str(py.len(delta))} rows, as fresh, got ${py.str(py.len(before))}; evaluate every term once`);
    }
    delta = np.subtract(delta, before);
  }
  delta = np.subtract(delta, delta.mean(0));
  t = py.len(delta);
  gram = np.multiply((np.less_equal(np.at(delta.shape, 1), t)) ? (np.matmul(delta.T, delta)) : (np.matmul(delta, delta.T)), np.divide(t, b));
  largest = np.at(np.linalg.eigvalsh(gram), -1);
  return new BatchNoise({variance_trace: py.float(np.trace(gram)), variance_max: py.float(largest), increment_bound: np.multiply(t, py.float(np.linalg.norm(delta, {axis: 1}).max()))});
}

export class ConditionalVarianceBound {
  constructor({value = py.missing("ConditionalVarianceBound.value"), sbar = py.missing("ConditionalVarianceBound.sbar"), added = py.missing("ConditionalVarianceBound.added"), assumes = py.missing("ConditionalVarianceBound.assumes")} = {}) {
    Object.assign(this, {value, sbar, added, assumes});
  }
}

export function conditional_variance_bound(dim, step_size, steps, radius, start, batch_size, variance_trace, variance_max, increment_bound, strong_convexity = null, smoothness = null, sbar = "best") {
  let b, V, v, B, quiet, assumed, log_count, certified, choices, made, value, size, added;
  b = batch_size;
  V = variance_trace;
  v = variance_max;
  B = increment_bound;
  if (np.greater(B, 0.0)) {
  }
  if (np.greater(v, (np.multiply(V, np.add(1.0, 1e-09))))) {
    throw new py.PythonError("ValueError", `variance_max must lie in [0, variance_trace = ${py.format(V, "g")}]; got ${py.format(v, "g")}. An eigenvalue cannot exceed the trace: measure both at the same states.`);
  }
  sbar = sbar;
  quiet = exit_bounds(dim, step_size, steps, radius, start, 0.0, smoothness, strong_convexity);
  assumed = [`in the ball every conditional covariance has trace V = ${py.format(V, "g")} and eigenvalues v = ${py.format(v, "g")} at most`, `no term moves the gradient by more than B/b = ${py.format(np.divide(B, b), "g")}, B = ${py.format(B, "g")}`, np.at(quiet.assumes, -1)];
  if (!py.truthy(quiet.stable)) {
    return new ConditionalVarianceBound({value: 1.0, sbar: B, added: 0.0, assumes: [...py.iter(quiet.conditions), ...py.iter(assumed)]});
  }
  if (np.equal(B, 0.0)) {
    return new ConditionalVarianceBound({value: quiet.local, sbar: 0.0, added: 0.0, assumes: py.tuple(assumed)});
  }
  log_count = Math.log(np.divide(np.multiply(quiet.steps, np.add(quiet.dim, 1)), ADDED_FAILURE));
  certified = _bernstein(log_count, np.divide(B, np.multiply(3.0, b)), V);
  choices = (np.not_equal(sbar, "certified") || np.greater_equal(certified, B)) ? [[B, 0.0]] : [];
  if (np.not_equal(sbar, "bound") && np.less(certified, B)) {
    choices.push([certified, ADDED_FAILURE]);
  }
  made = py.iter(choices).map(([size, added]) => [np.add(_bound(quiet, b, V, v, B, size), added), size, added]);
  [value, size, added] = py.min(made, {key: (one) => np.at(one, 0)});
  if (np.greater(added, 0.0)) {
    assumed.push(`the bound includes ${py.format(added, "g")} for a batch beyond Sbar = ${py.format(size, "g")} (matrix Bernstein)`);
  }
  return new ConditionalVarianceBound({value: py.min([value, 1.0]), sbar: size, added: added, assumes: py.tuple(assumed)});
}

export function _bernstein(log_count, a, variance) {
  return np.add(np.multiply(log_count, a), Math.sqrt(np.add(np.power(np.multiply(log_count, a), 2), np.multiply(np.multiply(2.0, log_count), variance))));
}

export function _bound(quiet, batch_size, V, v, B, sbar) {
  let d, eta, r, k, increment, share, walk, logs;
  [d, eta, r, k] = [quiet.dim, quiet.step_size, quiet.radius, quiet.contraction];
  increment = np.divide(np.multiply(np.multiply(Math.sqrt(k), r), B), batch_size);
  share = py.min([1.0, np.divide(V, np.power(sbar, 2))]);
  walk = (q) => {
    let path;
    path = (theta, at) => {
      let exponent, cost;
      [exponent, cost] = np.empty([2, at.size, theta.size]);
      np.kernels.batch_noise_path(theta, at, d, eta, k, q, increment, v, share, sbar, exponent, cost);
      return [exponent, cost];
    };
    return path;
  };
  logs = (ends, lengths) => {
    let low, high, best, q, least;
    [low, high] = noise_search(ends, eta, k, Math.sqrt(V));
    best = np.full(ends.size, np.inf);
    for (q of py.iter(HOLDERS)) {
      least = py.min([low, np.divide(0.001, np.multiply(np.multiply(np.multiply(2.0, q), eta), increment))]);
      best = np.minimum(best, noisy_logs(ends, lengths, r, quiet.start, walk(q), least, high, k, LANE_STEPS));
    }
    return best;
  };
  return py.float(np.at(best_partition(quiet.steps, np.array([quiet.steps]), k, logs), 0));
}
