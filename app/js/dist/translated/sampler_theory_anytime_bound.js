// Translated from sampler/theory/anytime_bound.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {best_weights} from "../../lab/best_weights.js"
import {exit_bounds} from "./sampler_theory_exit_bounds.js"
import {block_exit_bound, chord, path_back, stream_bound} from "./sampler_theory_moving_mode_bound.js"

export const THETAS = 160;

export const LEAST = -0.01;

export class ExitProcess {
  constructor({steps = py.missing("ExitProcess.steps"), exponent = py.missing("ExitProcess.exponent"), cost = py.missing("ExitProcess.cost"), log_level = py.missing("ExitProcess.log_level"), log_start = py.missing("ExitProcess.log_start")} = {}) {
    Object.assign(this, {steps, exponent, cost, log_level, log_start});
  }
  get bound() {
    return py.float(py.min([1.0, np.exp(np.subtract(this.log_start, this.log_level))]));
  }
  log_share(squared_distance) {
    return np.subtract(np.add(np.multiply(this.exponent, np.asarray(squared_distance, py.float)), this.cost), this.log_level);
  }
}

export function exit_process(dim, step_size, steps, radius, start, at_steps, noise_bound = 0.0, smoothness = null, strong_convexity = null) {
  let at, bounds, k, r2, back, lasting, largest, thetas, _, exponent, cost, level, log_start, log_bound, best, theta;
  at = _steps_within(at_steps, steps);
  bounds = exit_bounds(dim, step_size, steps, radius, start, noise_bound, smoothness, strong_convexity);
  if (!py.truthy(bounds.stable)) {
    return null;
  }
  [dim, steps, step_size, k, r2] = [bounds.dim, bounds.steps, bounds.step_size, bounds.contraction, np.power(bounds.radius, 2)];
  back = np.array(np.greater(steps, 1) ? [np.subtract(steps, 1), steps] : [0, 1]);
  lasting = py.min([py.float(steps), np.divide(1.0, py.max([np.subtract(1.0, k), 1e-300]))]);
  largest = py.min([np.divide(1.0, np.multiply(4.0, step_size)), np.divide(np.add(dim, 60.0), np.multiply(np.multiply(2.0, step_size), lasting))]);
  thetas = np.geomspace(np.divide(0.001, r2), py.max([largest, np.divide(0.002, r2)]), THETAS);
  for (_ of py.range(2)) {
    [exponent, cost] = path_back(bounds, thetas, back);
    level = np.minimum(np.multiply(thetas, r2), np.add(np.multiply(np.at(exponent, 0), r2), np.at(cost, 0)));
    log_start = np.add(np.multiply(np.at(exponent, 1), np.power(py.float(start), 2)), np.at(cost, 1));
    log_bound = np.where(np.isfinite(log_start), np.subtract(log_start, level), np.inf);
    best = py.int(np.argmin(log_bound));
    theta = np.at(thetas, np.slice(best, np.add(best, 1), null));
    thetas = np.geomspace(np.at(thetas, py.max([np.subtract(best, 1), 0])), np.at(thetas, py.min([np.add(best, 1), np.subtract(THETAS, 1)])), THETAS);
  }
  if (!(np.less(np.at(log_bound, best), LEAST))) {
    return null;
  }
  [exponent, cost] = path_back(bounds, theta, np.subtract(steps, np.at(at, np.slice(null, null, -1))));
  return new ExitProcess({steps: at, exponent: np.at(exponent, [np.slice(null, null, -1), 0]).copy(), cost: np.at(cost, [np.slice(null, null, -1), 0]).copy(), log_level: py.float(np.at(level, best)), log_start: py.float(np.at(log_start, best))});
}

export function _steps_within(at_steps, steps) {
  let wanted, advice, at, fine;
  [wanted, advice] = [`whole numbers of shape (p,), increasing in [0, ${py.str(steps)}]`, "give the steps of the curve"];
  at = at_steps;
  fine = py.and(np.equal(at.ndim, 1), () => py.and(at.size, () => np.all(np.bitwise_and(np.bitwise_and(np.greater_equal(at, 0), np.less_equal(at, steps)), np.equal(at, np.floor(at))))));
  if (!py.truthy(fine) || (py.truthy(np.any(np.less_equal(np.diff(at), 0))))) {
    throw new py.PythonError("ValueError", `at_steps must be ${py.str(wanted)}, got ${py.str(py.shown(at_steps))}; ${py.str(advice)}`);
  }
  return at.astype(np.int64);
}

export const ENDS = 56;

export const EXPONENTS = 20;

export const STEPS = 120;

export const SPAN = 6.0;

export const HIGHEST = 4.0;

export function anytime_bound(dim, legs, start = 0.0, resets = true) {
  return stream_bound(dim, legs, start, resets, _epoch_bound);
}

export function _epoch_bound(at) {
  let blocks;
  blocks = block_exit_bound(at);
  return np.less(0.0, blocks) ? py.min([blocks, _mixture(at, blocks)]) : blocks;
}

export function _mixture(at, level) {
  let steps, ends, base, logs, held, rows, weights, least;
  steps = _steps(at.epoch.steps, STEPS, !py.truthy(at.first) ? 0 : 1);
  ends = _steps(at.epoch.steps, ENDS, 1);
  steps = np.union1d(steps, ends);
  base = np.negative(np.log(py.min([level, 1.0])));
  logs = _columns(at, steps, ends, base);
  if (!(py.truthy(np.at(logs.shape, 1)))) {
    return 1.0;
  }
  held = np.exp(np.minimum(np.subtract(logs, base), HIGHEST));
  rows = np.vstack([np.at(held, np.slice(null, 1, null)), np.minimum(np.at(held, np.slice(1, null, null)), np.at(held, np.slice(null, -1, null)))]);
  weights = best_weights(rows);
  least = py.float((np.matmul(rows, weights)).min());
  return np.greater(least, 0.0) ? py.float(py.min([np.divide(np.exp(np.negative(base)), least), 1.0])) : 1.0;
}

export function _steps(last, count, first) {
  let even, ratio;
  [even, ratio] = [np.linspace(1, last, np.subtract(count, np.floor_divide(count, 4))), np.geomspace(1, last, np.floor_divide(count, 4))];
  return np.unique(np.concatenate([[first], even.round(), ratio.round()]).astype(np.int64));
}

export function _columns(at, steps, ends, base) {
  let back, exponent, cost, paid, held, made, end, before, at_start, column, usable, few, chosen, part;
  back = np.unique(np.concatenate([np.at((np.subtract(np.at(ends, [np.slice(null, null, null), null]), np.at(steps, [null, np.slice(null, null, null)]))), np.greater_equal(np.at(ends, [np.slice(null, null, null), null]), np.at(steps, [null, np.slice(null, null, null)]))), ends]));
  [exponent, cost] = path_back(at.epoch, at.grid, back);
  paid = np.add(chord(exponent, at.grid, at.started), cost);
  held = np.add(np.multiply(exponent, np.power(at.epoch.radius, 2)), cost);
  made = [];
  for (end of py.iter(ends)) {
    before = np.at(steps, np.less_equal(steps, end));
    at_start = np.searchsorted(back, end);
    column = np.subtract(np.at(held, np.searchsorted(back, np.subtract(end, before))), np.at(paid, at_start));
    usable = np.flatnonzero(np.isfinite(column).all({axis: 0}));
    usable = np.at(usable, np.greater(np.at(column, [np.slice(null, null, null), usable]).max({axis: 0}), (np.subtract(base, SPAN))));
    if (py.truthy(usable.size)) {
      few = np.linspace(0, np.subtract(usable.size, 1), py.min([EXPONENTS, usable.size])).round().astype(py.int);
      chosen = np.unique(np.append(np.at(usable, few), np.at(usable, np.at(column, [-1, usable]).argmax())));
      part = np.full([steps.size, chosen.size], np.negative(np.inf));
      np.put(part, np.slice(null, before.size, null), np.at(column, [np.slice(null, null, null), chosen]));
      made.push(part);
    }
  }
  return py.truthy(made) ? np.hstack(made) : np.empty([steps.size, 0]);
}
