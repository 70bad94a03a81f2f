// Translated from app/exit_time/promise.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {exit_process} from "./sampler_theory_anytime_bound.js"
import {coupling_distance, epoch_certificate} from "./sampler_theory_epoch_certificate.js"
import {bowl_levels} from "./sampler_theory_exit_simulation.js"
import {reset_point_event} from "./sampler_theory_good_events.js"

export const BINS = 20;

export const STOPS = 40;

export function stops_of(steps) {
  return np.at(np.unique(np.linspace(0, steps, np.add(STOPS, 1)).round().astype(py.int)), np.slice(1, null, null));
}

export class EpochLaw {
  constructor(setup, levels) {
    this._levels = levels;
    this.has_statistic = levels != null;
    this.stops = stops_of(setup.config.steps);
    this.floor = Math.sqrt(np.divide(np.subtract(BINS, 1), np.multiply(np.multiply(2.0, Math.PI), setup.chains)));
    this._shares = [];
  }
  record(simulation) {
    let levels, cells;
    levels = this._levels(simulation.displacements);
    cells = np.clip((np.multiply(np.nan_to_num(levels, {nan: 1.0}), BINS)).astype(py.int), 0, np.subtract(BINS, 1));
    this._shares.push(np.divide(np.stack(py.iter(cells.T).map((column) => np.bincount(column, {minlength: BINS}))), py.len(cells)));
  }
  get distance() {
    let lengths, sums, gaps;
    lengths = np.diff(this.stops, {prepend: 0}).astype(py.float);
    sums = np.cumsum(np.multiply(np.array(this._shares), np.at(lengths, [np.slice(null, null, null), null, null])), {axis: 0});
    gaps = np.abs(np.subtract(np.divide(sums, np.at(this.stops, [np.slice(null, null, null), null, null])), np.divide(1.0, BINS)));
    return np.multiply(0.5, gaps.sum({axis: 2}).max({axis: 1}));
  }
}

export const MOST_PATHS = 40;

export class Process {
  constructor({steps = py.missing("Process.steps"), shares = py.missing("Process.shares"), exits = py.missing("Process.exits"), start = py.missing("Process.start"), reach = py.missing("Process.reach"), chains = py.missing("Process.chains"), left = py.missing("Process.left")} = {}) {
    Object.assign(this, {steps, shares, exits, start, reach, chains, left});
  }
}

export function process_of(setup, crowd) {
  let config, martingale, squares, reach;
  config = setup.config;
  if (np.greater(setup.distances.size, 1)) {
    return null;
  }
  martingale = exit_process(config.dim, config.step_size, config.steps, config.radius, py.float(np.at(setup.distances, 0)), crowd.path_steps, config.noise, setup.smoothness, setup.curvature);
  if (martingale == null) {
    return null;
  }
  squares = np.multiply(np.at(crowd.paths, np.slice(null, MOST_PATHS, null)).astype(py.float), np.power(crowd.radius, 2));
  reach = py.float(np.multiply(np.at(martingale.exponent, -1), np.power(crowd.radius, 2)));
  return new Process({steps: crowd.path_steps, shares: np.exp(martingale.log_share(squares)), exits: np.at(crowd.path_exits, np.slice(null, MOST_PATHS, null)), start: martingale.bound, reach: reach, chains: crowd.chains, left: crowd.left});
}

export const POINTS = 200;

export class GoodEventsSoFar {
  constructor({epochs = py.missing("GoodEventsSoFar.epochs"), escape = py.missing("GoodEventsSoFar.escape"), reset_epochs = py.missing("GoodEventsSoFar.reset_epochs"), reset = py.missing("GoodEventsSoFar.reset"), words = py.missing("GoodEventsSoFar.words")} = {}) {
    Object.assign(this, {epochs, escape, reset_epochs, reset, words});
  }
}

export function good_events(state) {
  let t, chains, epochs, left, escape, c1, reset, words;
  [t, chains] = [state.t, py.len(state.first_exit)];
  epochs = np.greater(t, 1) ? np.unique(np.geomspace(1, t, POINTS).round().astype(py.int)) : np.array([1]);
  left = np.sort(np.at(state.first_exit, np.greater(state.first_exit, 0)));
  escape = np.subtract(1.0, np.divide(np.searchsorted(left, epochs, {side: "right"}), chains));
  c1 = np.subtract(np.divide(state.settings.acceptance_radius, 2.5), state.drift);
  reset = null;
  if (np.greater(c1, 0) && (py.truthy(py.len(state.reset_epochs)))) {
    reset = reset_point_event(state.reset_distances, state.reset_epochs, c1, state.settings.offset).share;
  }
  words = `<b>The induction, measured.</b> G<sub>t</sub> (LMV-a eq. 42): no step so far left the escape ball, R/√(t + c), R = ${py.format(state.escape_radius, "g")}; ${py.str(np.subtract(chains, left.size))} of ${py.str(chains)} chains stayed in it for all ${py.format(t, ",")} epochs.`;
  if (reset != null) {
    words = np.add(words, ` H<sub>t</sub> (eq. 43): X<sup>s</sup> at s = 1, 2, 4, … is within C<sub>1</sub>/√(s + c) of the mode, C<sub>1</sub> = C′/2.5 − D = ${py.format(c1, ".2g")} (Lemma 6.6); true for ${py.str(py.round(np.multiply(np.at(reset, -1), chains)))} of ${py.str(chains)} chains. A chain that leaves an event never returns to it.`);
  } else {
    words = np.add(words, ` H<sub>t</sub> (eq. 43) requires C<sub>1</sub> = C′/2.5 − D above 0; with C′ = ${py.format(state.settings.acceptance_radius, "g")} and D = ${py.format(state.drift, ".2g")} it is not.`);
  }
  if (py.truthy(state.preconditioned)) {
    words = np.add(words, " Live ran preconditioned, so C′ is plain SAGA-LD’s default.");
  }
  return new GoodEventsSoFar({epochs: epochs, escape: escape, reset_epochs: state.reset_epochs, reset: reset, words: words});
}

export class Promise {
  constructor({steps = py.missing("Promise.steps"), promised = py.missing("Promise.promised"), lemma = py.missing("Promise.lemma"), measured = py.missing("Promise.measured"), floor = py.missing("Promise.floor"), last = py.missing("Promise.last"), wasserstein = py.missing("Promise.wasserstein"), how_start = py.missing("Promise.how_start")} = {}) {
    Object.assign(this, {steps, promised, lemma, measured, floor, last, wasserstein, how_start});
  }
}

export function promise_of(setup, bounds, law) {
  let config, target, steps, exits, spent, leave, W2, how, measured, largest, certificates;
  [config, target, steps] = [setup.config, setup.target, law.stops];
  if (np.equal(target.name, "flat") || (np.equal(target.name, "quadratic") && (!(py.truthy(np.all(np.greater(target.precision, 0.0))))))) {
    return null;
  }
  exits = np.at(bounds.exits, "local");
  spent = np.cumsum(np.multiply(np.at(exits, np.slice(1, null, null)), np.diff(bounds.steps)));
  leave = np.minimum(np.interp(steps, np.at(bounds.steps, np.slice(1, null, null)), np.divide(spent, np.at(bounds.steps, np.slice(1, null, null)))), 1.0);
  [W2, how, measured] = _start(setup);
  largest = setup.largest_curvature;
  certificates = py.zip(steps, leave).map(([n, p]) => epoch_certificate(config.dim, config.step_size, py.int(n), W2, np.power(config.noise, 2), largest, py.float(p), undefined, measured));
  return new Promise({steps: steps, promised: np.array(py.iter(certificates).map((c) => c.value)), lemma: np.array(py.iter(certificates).map((c) => c.lemma)), measured: py.truthy(law.has_statistic) ? law.distance : null, floor: law.floor, last: np.at(certificates, -1), wasserstein: W2, how_start: how});
}

export function bowl_start(setup) {
  let m, start, d, ratio, k, square;
  [m, start, d] = [setup.curvature, setup.start, setup.config.dim];
  ratio = np.divide(1.0, Math.sqrt(Math.PI));
  for (k of py.range(1, d)) {
    ratio = np.divide(np.multiply(0.5, k), ratio);
  }
  square = np.add(np.subtract(np.power(start, 2), np.multiply(np.multiply(np.multiply(2.0, start), Math.sqrt(np.divide(2.0, m))), ratio)), np.divide(d, m));
  return [Math.sqrt(py.max([square, 0.0])), "exact", []];
}

export function _start(setup) {
  let target, start, covariance, laplace, distance;
  [target, start] = [setup.target, setup.start];
  covariance = np.equal(target.name, "logistic") ? np.linalg.inv(target.hessian) : np.diag(np.divide(1.0, target.precision));
  laplace = np.equal(target.name, "logistic") ? [" (posterior moments by Laplace)", ["wasserstein"]] : ["", []];
  if (np.greater(np.ndim(start), 0)) {
    distance = coupling_distance(start, np.zeros(target.dim), covariance);
    return [distance, np.add("measured on Live’s chains, coupled independently", np.at(laplace, 0)), ["wasserstein"]];
  }
  if ((np.equal(np.ptp(target.precision), 0.0)) && np.equal(target.name, "quadratic")) {
    return bowl_start(setup);
  }
  return [Math.sqrt(np.add(np.power(start, 2), np.trace(covariance))), np.add("the root of ρ₀² + tr Σ", np.at(laplace, 0)), np.at(laplace, 1)];
}

export function levels_of(setup, grid) {
  let target, reference;
  target = setup.target;
  if (np.equal(target.name, "quadratic") && (py.truthy(np.all(np.greater(target.precision, 0.0))))) {
    return (away) => bowl_levels(away, target.precision);
  }
  if (np.not_equal(target.name, "logistic") || np.greater(target.dim, 2)) {
    return null;
  }
  reference = grid(target);
  return (away) => reference.cdf(np.add(np.nan_to_num(away), target.mode));
}
