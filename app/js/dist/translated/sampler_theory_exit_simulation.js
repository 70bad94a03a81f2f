// Translated from sampler/theory/exit_simulation.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export class Survival {
  constructor({steps = py.missing("Survival.steps"), share = py.missing("Survival.share"), low = py.missing("Survival.low"), high = py.missing("Survival.high"), level = py.missing("Survival.level")} = {}) {
    Object.assign(this, {steps, share, low, high, level});
  }
}

export function exit_limits(exits, chains, level = 0.95) {
  let k, tail, counts, low, high;
  level = level;
  chains = chains;
  [k, tail] = [exits, np.divide(np.subtract(1.0, level), 2.0)];
  if (!(py.truthy(np.all(np.bitwise_and(np.greater_equal(k, 0), np.less_equal(k, chains)))))) {
    throw new py.PythonError("ValueError", `exits must be in [0, ${py.str(chains)}], the number of chains, got ${py.str(py.shown(exits))}; count the exits`);
  }
  counts = np.asarray(k, py.float).reshape(-1);
  [low, high] = np.empty([2, counts.size]);
  np.kernels.binomial_limits(counts, chains, tail, low, high);
  return [low.reshape(k.shape), high.reshape(k.shape)];
}

export function bowl_levels(away, precision) {
  let squares, levels;
  precision = precision;
  away = away;
  if (np.not_equal(precision.ndim, 1) || (!(py.truthy(np.all(np.greater(precision, 0))))) || (!(py.truthy(np.all(np.isfinite(precision)))))) {
    throw new py.PythonError("ValueError", `precision must be numbers above 0 of shape (d,), got ${py.str(py.shown(precision))}; one per coordinate`);
  }
  if (np.not_equal(away.ndim, 2) || (np.not_equal(np.at(away.shape, 1), precision.size))) {
    throw new py.PythonError("ValueError", `away must have shape (K, ${py.str(precision.size)}), got ${py.str(away.shape)}; one row per chain`);
  }
  squares = (np.multiply(precision, np.power(away, 2))).sum({axis: 1});
  levels = np.empty(squares.size);
  np.kernels.chi_square_levels(squares, precision.size, levels);
  return np.at(levels, [np.slice(null, null, null), null]);
}

export function survival_curve(exit_steps, at_steps, level = 0.95) {
  let at, left, low, high;
  exit_steps = exit_steps;
  at = at_steps;
  if (py.truthy(np.isnan(exit_steps).any())) {
    throw new py.PythonError("ValueError", `exit_steps must be whole numbers, got ${py.str(py.shown(exit_steps))}; 0 means no exit`);
  }
  if (np.not_equal(at.ndim, 1) || (!(py.truthy(np.all(np.bitwise_and(np.bitwise_and(np.isfinite(at), np.greater_equal(at, 0)), np.equal(at, np.floor(at)))))))) {
    throw new py.PythonError("ValueError", `at_steps must be whole numbers of shape (n,), 0 or more, got ${py.str(py.shown(at))}; give the curve's steps`);
  }
  if (np.not_equal(exit_steps.ndim, 1) || np.equal(exit_steps.size, 0)) {
    throw new py.PythonError("ValueError", `exit_steps must be (K,), K at least 1, got ${py.str(exit_steps.shape)}; run a chain first`);
  }
  left = np.searchsorted(np.sort(np.at(exit_steps, np.greater(exit_steps, 0))), at, {side: "right"});
  [low, high] = exit_limits(left, exit_steps.size, level);
  return new Survival({steps: at, share: np.subtract(1.0, np.divide(left, exit_steps.size)), low: np.subtract(1.0, high), high: np.subtract(1.0, low), level: level});
}

export const BLOCK_SIZE = 2048;

export function lanes_of(dim) {
  return py.max([16, np.multiply(np.floor_divide(np.floor_divide(BLOCK_SIZE, dim), 8), 8)]);
}

export function stride_of(steps, points) {
  return np.negative(np.floor_divide(np.negative(steps), py.max([1, py.min([points, steps])])));
}
