// Translated from app/exit_time/target_and_start.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {flat_target, logistic_target, quadratic_target} from "./sampler_theory_exit_targets.js"

export const WORK = 3000000000;

export const FEWEST = 100;

export const BINS = 6;

export class ExitSetup {
  constructor({config = py.missing("ExitSetup.config"), target = py.missing("ExitSetup.target"), start = py.missing("ExitSetup.start"), distances = py.missing("ExitSetup.distances"), weights = py.missing("ExitSetup.weights"), curvature = py.missing("ExitSetup.curvature"), smoothness = py.missing("ExitSetup.smoothness"), chains = py.missing("ExitSetup.chains"), notes = py.missing("ExitSetup.notes"), live = py.missing("ExitSetup.live")} = {}) {
    Object.assign(this, {config, target, start, distances, weights, curvature, smoothness, chains, notes, live});
  }
  get largest_curvature() {
    return this.target.smoothness;
  }
  get walks_free() {
    return np.equal(this.config.noise, 0.0) && (np.less_equal((np.multiply(this.config.step_size, this.smoothness)), 2.0));
  }
}

export function adopted(config, state) {
  return py.replace(config, {adopt: false, dim: state.dim, radius: _clamp("radius", state.escape_distance), step_size: _clamp("step_size", state.step_size), steps: py.int(_clamp("steps", state.settings.i_max)), noise: _clamp("noise", Math.sqrt(state.variance_trace))});
}

export function prepare_exits(config, state) {
  let notes, target, axes, m, smoothness, chains, start, distances, weights;
  notes = [];
  if (py.truthy(config.adopt) && (state != null)) {
    config = adopted(config, state);
    if (py.truthy(state.preconditioned)) {
      notes.push("Live's chains were preconditioned, with steps in another metric: η, steps and noise here are those of plain SAGA-LD at this problem's defaults.");
    }
  }
  if (np.equal(config.target, "live") && (state != null)) {
    config = py.replace(config, {dim: state.dim});
    [target, axes] = _live_target(state, notes);
    [m, smoothness] = target.curvature(config.radius);
    config = py.replace(config, {curvature: _round(m)});
  } else {
    axes = null;
    target = np.greater(config.curvature, 0) ? quadratic_target(config.curvature, config.dim) : flat_target(config.dim);
    m = smoothness = config.curvature;
  }
  chains = affordable(config, py.len(target.rows), notes);
  start = config.start_distance;
  if (np.equal(config.start, "live") && (state != null)) {
    [config, start] = _live_start(config, state, axes, chains, notes);
  }
  [distances, weights] = _groups(start);
  return new ExitSetup({config: config, target: target, start: start, distances: distances, weights: weights, curvature: m, smoothness: smoothness, chains: chains, notes: py.tuple(notes), live: state});
}

export function _live_target(state, notes) {
  let values, axes;
  if (np.equal(state.kind, "logistic")) {
    return [logistic_target(state.features, state.labels, state.prior_precision), null];
  }
  [values, axes] = np.linalg.eigh(state.hessian);
  axes = np.multiply(axes, np.where(np.less((np.matmul(np.sqrt(np.arange(1.0, np.add(state.dim, 1))), axes)), 0), -1.0, 1.0));
  if (np.equal(state.kind, "poisson")) {
    notes.push("A Poisson posterior has no bounded curvature, so its quadratic at the mode replaces it.");
  }
  return [quadratic_target(np.maximum(values, 0.0)), axes];
}

export function _live_start(config, state, axes, chains, notes) {
  let away, inside, count, verb;
  if (np.not_equal(config.dim, state.dim)) {
    notes.push(`Live's chains have d = ${py.str(state.dim)}, these d = ${py.str(config.dim)}: they start at the mode instead.`);
    return [py.replace(config, {start: "mode"}), 0.0];
  }
  away = np.subtract(state.positions, state.mode);
  if (axes != null) {
    away = np.matmul(away, axes);
  }
  inside = np.less(np.linalg.norm(away, {axis: 1}), (np.multiply(config.radius, np.subtract(1, 1e-09))));
  if (!(py.truthy(inside.any()))) {
    notes.push("All chains of Live are outside this ball: they start at the mode instead. Raise r.");
    return [py.replace(config, {start: "mode"}), 0.0];
  }
  if (!(py.truthy(inside.all()))) {
    count = py.int((np.invert(inside)).sum());
    verb = np.equal(count, 1) ? "is" : "are";
    notes.push(`${py.str(count)} of Live's ${py.str(py.len(inside))} chains ${py.str(verb)} outside this ball and ${py.str(verb)} left out.`);
  }
  away = np.at(away, inside);
  return [config, np.at(away, np.remainder(np.arange(chains), py.len(away)))];
}

export function affordable(config, rows, notes) {
  let one, most;
  one = np.multiply(np.multiply(config.steps, config.dim), np.add(1, rows));
  most = py.max([FEWEST, py.int(np.floor_divide(WORK, one))]);
  if (np.greater(config.chains, most)) {
    notes.push(`${py.format(most, ",")} chains instead of ${py.format(config.chains, ",")}: more chains of ${py.format(config.steps, ",")} steps take too long.`);
  }
  return py.min([config.chains, most]);
}

export function _groups(start) {
  let distances, ends, counts;
  if (np.equal(np.ndim(start), 0)) {
    return [np.array([py.float(start)]), np.ones(1)];
  }
  distances = np.sort(np.linalg.norm(start, {axis: 1}));
  ends = np.unique(np.at(distances, np.subtract(np.ceil(np.multiply(np.at(np.linspace(0, 1, np.add(BINS, 1)), np.slice(1, null, null)), py.len(distances))).astype(py.int), 1)));
  counts = np.diff(np.searchsorted(distances, ends, {side: "right"}), {prepend: 0});
  return [ends, np.divide(counts, py.len(distances))];
}

export const RANGES = {"radius": [0.01, 100.0], "step_size": [1e-08, 1.0], "dim": [1, 100], "steps": [1, 100000], "curvature": [0.0, 10000.0], "noise": [0.0, 100000.0], "truncation": [0.0, 60.0], "distance": [0.0, 100.0], "chains": [100, 20000]};

export function _clamp(name, value) {
  let low, high;
  [low, high] = np.at(RANGES, name);
  return py.float(py.min([py.max([_round(value), low]), high]));
}

export function _round(value) {
  return py.float(`${py.format(value, ".4g")}`);
}

export const EPOCH = 256;
