// Translated from sampler/theory/anytime_bound.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {exit_bounds} from "./sampler_theory_exit_bounds.js"
import {path_back} from "./sampler_theory_moving_mode_bound.js"

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
  let at, bounds, k, r2, back, lasting, largest, thetas, exponent, cost, level, log_start, log_bound, best;
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
  [exponent, cost] = path_back(bounds, thetas, back);
  level = np.minimum(np.multiply(thetas, r2), np.add(np.multiply(np.at(exponent, 0), r2), np.at(cost, 0)));
  log_start = np.add(np.multiply(np.at(exponent, 1), np.power(py.float(start), 2)), np.at(cost, 1));
  log_bound = np.where(np.isfinite(log_start), np.subtract(log_start, level), np.inf);
  best = py.int(np.argmin(log_bound));
  if (!(np.less(np.at(log_bound, best), LEAST))) {
    return null;
  }
  [exponent, cost] = path_back(bounds, np.at(thetas, np.slice(best, np.add(best, 1), null)), np.subtract(steps, np.at(at, np.slice(null, null, -1))));
  return new ExitProcess({steps: at, exponent: np.at(exponent, [np.slice(null, null, -1), 0]).copy(), cost: np.at(cost, [np.slice(null, null, -1), 0]).copy(), log_level: py.float(np.at(level, best)), log_start: py.float(np.at(log_start, best))});
}

export function _steps_within(at_steps, steps) {
  let wanted, advice, at, fine;
  [wanted, advice] = [`whole numbers of shape (p,), increasing in [0, ${py.str(steps)}]`, "give the steps of the curve"];
  at = at_steps;
  fine = py.and(np.equal(at.ndim, 1), () => py.and(at.size, () => np.all(np.bitwise_and(np.bitwise_and(np.greater_equal(at, 0), np.less_equal(at, steps)), np.equal(at, np.floor(at))))));
  if (!py.truthy(fine) || (py.truthy(np.any(np.less(np.diff(at), 0))))) {
    throw new py.PythonError("ValueError", `at_steps must be ${py.str(wanted)}, got ${py.str(py.shown(at_steps))}; ${py.str(advice)}`);
  }
  return at.astype(np.int64);
}
