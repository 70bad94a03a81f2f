// Translated from sampler/theory/exit_bounds.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {azuma_bounds} from "./sampler_theory_azuma_bounds.js"
import {best_partition, block_logs, probability} from "./sampler_theory_block_bounds.js"
import {rotation_logs} from "./sampler_theory_rotation_bounds.js"

export const NAMES = ["printed", "corrected", "sharp", "local", "rotation"];

export const SMALLEST_CONTRACTION = 1e-300;

export const VACUOUS = 0.9999;

export class ExitBounds {
  constructor({dim = py.missing("ExitBounds.dim"), step_size = py.missing("ExitBounds.step_size"), steps = py.missing("ExitBounds.steps"), radius = py.missing("ExitBounds.radius"), start = py.missing("ExitBounds.start"), noise_bound = py.missing("ExitBounds.noise_bound"), smoothness = py.missing("ExitBounds.smoothness"), strong_convexity = py.missing("ExitBounds.strong_convexity"), truncation = py.missing("ExitBounds.truncation")} = {}) {
    Object.assign(this, {dim, step_size, steps, radius, start, noise_bound, smoothness, strong_convexity, truncation});
  }
  get stable() {
    return np.less_equal((np.multiply(this.step_size, this.smoothness)), 2.0);
  }
  get contraction() {
    let m, L, eta;
    [m, L, eta] = [this.strong_convexity, this.smoothness, this.step_size];
    if (np.equal(m, 0.0) || !py.truthy(this.stable)) {
      return 1.0;
    }
    return py.max([np.power(np.subtract(1.0, np.multiply(eta, m)), 2), np.power(np.subtract(1.0, np.multiply(eta, L)), 2), SMALLEST_CONTRACTION]);
  }
  get corrected() {
    return py.float(np.at(this.curve("corrected", [this.steps]), 0));
  }
  get sharp() {
    return py.float(np.at(this.curve("sharp", [this.steps]), 0));
  }
  get local() {
    return py.float(np.at(this.curve("local", [this.steps]), 0));
  }
  get rotation() {
    return py.float(np.at(this.curve("rotation", [this.steps]), 0));
  }
  curve(name, at_steps) {
    let wanted, advice, at, bound, moving;
    [wanted, advice] = [`whole numbers from 0 to steps = ${py.str(this.steps)}`, "call exit_bounds with more steps"];
    at = np.asarray(at_steps);
    if (np.not_equal(at.ndim, 1) || np.equal(at.size, 0) || (!(py.truthy(np.all(np.bitwise_and(np.bitwise_and(np.greater_equal(at, 0), np.less_equal(at, this.steps)), np.equal(at, np.round(at)))))))) {
      throw new py.PythonError("ValueError", `at_steps must be ${py.str(wanted)}, got ${py.str(py.shown(at_steps))}; ${py.str(advice)}`);
    }
    at = at.astype(np.int64);
    bound = np.zeros(at.size);
    moving = np.greater(at, 0);
    if (py.truthy(moving.any())) {
      np.put(bound, moving, this._bound(name, np.at(at, moving)));
    }
    return bound;
  }
  _bound(name, at) {
    let rotation, convex, k, curved;
    if (py.contains(["printed", "corrected"], name)) {
      return np.at(azuma_bounds(this.dim, this.step_size, at, this.radius, this.start, this.noise_bound, this.smoothness, this.truncation), NAMES.indexOf(name));
    }
    if (!py.truthy(this.stable)) {
      return np.ones(at.size);
    }
    rotation = np.equal(name, "rotation");
    convex = py.truthy(rotation) ? this._one_block(at, true) : this._sharp(at);
    if (np.equal(name, "sharp") || np.equal(this.strong_convexity, 0.0)) {
      return convex;
    }
    k = this.contraction;
    curved = best_partition(this.steps, at, k, (ends, lengths) => this._logs(ends, lengths, k, rotation));
    return np.minimum(convex, curved);
  }
  _sharp(at) {
    let r2, start2, lift, u, log;
    if (np.greater(this.noise_bound, 0.0)) {
      return this._one_block(at, false);
    }
    [r2, start2] = [np.power(this.radius, 2), np.power(this.start, 2)];
    lift = np.multiply(np.multiply(this.dim, this.step_size), at);
    u = np.divide(np.add(lift, np.sqrt(np.add(np.power(lift, 2), np.multiply(r2, start2)))), r2);
    u = np.minimum(u, 1.0);
    log = np.add(np.multiply(np.multiply(-0.5, this.dim), np.log(u)), np.divide(np.multiply(np.subtract(1.0, u), np.subtract(np.divide(start2, u), r2)), np.multiply(np.multiply(4.0, this.step_size), at)));
    return probability(log);
  }
  _one_block(at, rotation) {
    let unique, where;
    [unique, where] = np.unique(at, {return_inverse: true});
    return np.at(probability(this._logs(unique, unique, 1.0, rotation)), where);
  }
  _logs(ends, lengths, contraction, rotation) {
    let logs;
    logs = py.truthy(rotation) ? rotation_logs : block_logs;
    return logs(ends, lengths, this.dim, this.step_size, this.radius, this.start, contraction, this.noise_bound);
  }
  get conditions() {
    let eta, L, m;
    [eta, L, m] = [this.step_size, this.smoothness, this.strong_convexity];
    if (np.equal(L, Infinity)) {
      return ["smoothness L_F is not given, and a step above 2/L_F moves the chain outward: the bounds are 1. Give the largest curvature in the ball, 0.0 for a flat F."];
    }
    if (!py.truthy(this.stable)) {
      return [`eta = ${py.format(eta, "g")} is above 2/L_F = ${py.format(np.divide(2, L), "g")}: a gradient step can overshoot and move the chain outward, so the sharp and local bounds are 1.`];
    }
    if (np.greater(m, 0.0) && (np.greater((np.multiply(eta, np.add(L, m))), 2.0))) {
      return [`eta = ${py.format(eta, "g")} is above 2/(L_F + m) = ${py.format(np.divide(2, np.add(L, m)), "g")}: steps overshoot along the steepest direction, so the local bound uses the contraction (1 - eta L_F)^2, not (1 - eta m)^2.`];
    }
    return [];
  }
  get assumes() {
    let m, L, S, curvature, noise;
    [m, L, S] = [this.strong_convexity, this.smoothness, this.noise_bound];
    curvature = np.equal(L, 0.0) ? "F = 0 in the ball" : `curvature in the ball lies in [${py.format(m, "g")}, ${py.format(L, "g")}]`;
    if (np.equal(L, Infinity)) {
      curvature = `curvature in the ball is ${py.format(m, "g")} or more, and its largest is not known`;
    }
    noise = np.greater(S, 0.0) ? `no batch errs by more than S = ${py.format(S, "g")} in the ball` : "every gradient is full, S = 0";
    return [`the chain starts within rho_0 = ${py.format(this.start, "g")} of the mode`, noise, curvature];
  }
  get azuma_condition() {
    let eta, r, rise;
    [eta, r] = [this.step_size, this.radius];
    if (np.equal(this.smoothness, Infinity)) {
      return "The printed and corrected bounds add 2 eta^2 L_F^2 r^2 per step; L_F is not known, so they are 1.";
    }
    rise = np.add(np.multiply(np.multiply(2, np.power(eta, 2)), np.add(np.power(this.noise_bound, 2), np.power(np.multiply(this.smoothness, r), 2))), np.multiply(np.multiply(2, eta), this.dim));
    if (np.greater((np.subtract(np.power(r, 2), np.power(this.start, 2))), (np.multiply(this.steps, rise)))) {
      return "";
    }
    return `The squared distance can rise by ${py.format(np.multiply(this.steps, rise), ".3g")} on average in ${py.format(this.steps, ",")} steps, more than the room r^2 - rho_0^2 = ${py.format(np.subtract(np.power(r, 2), np.power(this.start, 2)), ".3g")}: the printed and corrected bounds are 1.`;
  }
  get words() {
    let quiet;
    if (np.less(py.min([this.corrected, this.sharp, this.local, this.rotation]), VACUOUS)) {
      return "";
    }
    if (np.equal(this.smoothness, Infinity)) {
      return "Every valid bound is 1 because smoothness L_F is not known: give the largest curvature in the ball.";
    }
    if (!py.truthy(this.stable)) {
      return `Every valid bound is 1: lower eta to ${py.format(np.divide(2, this.smoothness), ".3g")} or less.`;
    }
    if (np.greater(this.noise_bound, 0.0)) {
      quiet = py.replace(this, {noise_bound: 0.0});
      if (np.less(quiet.local, VACUOUS)) {
        return `Every valid bound is 1 because the noise S = ${py.format(this.noise_bound, "g")} is so large; with S = 0 the local bound would be ${py.format(quiet.local, ".3g")}. Lower S, or eta.`;
      }
    }
    return "Every valid bound is 1: the ball is too small for this many steps. Raise r, or lower eta or n.";
  }
}

export function exit_bounds(dim, step_size, steps, radius, start = 0.0, noise_bound = 0.0, smoothness = null, strong_convexity = null, truncation = null) {
  let d, eta, n, r, rho, S, m, L, usual;
  d = dim;
  eta = step_size;
  n = steps;
  r = radius;
  rho = start;
  S = noise_bound;
  m = (strong_convexity == null) ? 0.0 : strong_convexity;
  m = m;
  if (np.less_equal(r, rho)) {
    throw new py.PythonError("ValueError", `radius must be above start = ${py.format(rho, "g")}; got ${py.format(r, "g")}. The chain would begin outside: raise radius or lower start.`);
  }
  if ((smoothness == null) || (py.truthy((smoothness === Infinity)))) {
    L = Infinity;
  } else {
    L = smoothness;
  }
  if (np.greater(m, L)) {
    throw new py.PythonError("ValueError", `strong_convexity must lie in [0, smoothness = ${py.format(L, "g")}]; got ${py.format(m, "g")}. The smallest curvature cannot exceed the largest: raise smoothness or lower strong_convexity.`);
  }
  if (truncation != null) {
    usual = `it cuts ||xi|| off; ${py.format(np.add(Math.sqrt(np.multiply(2, d)), 3), ".3g")} is usual`;
    truncation = truncation;
    if (np.less((np.power(truncation, 2)), (np.multiply(np.multiply(2, d), np.subtract(1, 1e-12))))) {
      throw new py.PythonError("ValueError", `truncation must be at least sqrt(2 dim) = ${py.format(Math.sqrt(np.multiply(2, d)), ".4g")}; got ${py.format(truncation, "g")}. Raise it, or pass None for the best.`);
    }
  }
  return new ExitBounds({dim: d, step_size: eta, steps: n, radius: r, start: rho, noise_bound: S, smoothness: L, strong_convexity: m, truncation: truncation});
}
