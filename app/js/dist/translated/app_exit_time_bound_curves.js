// Translated from app/exit_time/bound_curves.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {anytime_bound} from "./sampler_theory_anytime_bound.js"
import {conditional_variance_bound} from "./sampler_theory_conditional_variance_bound.js"
import {exit_bounds} from "./sampler_theory_exit_bounds.js"
import {Leg} from "./sampler_theory_moving_mode_bound.js"

export const POINTS = 81;

export const QUICK = ["printed", "corrected"];

export const CURVES = ["printed", "corrected", "sharp", "local", "rotation"];

export const MOST_MIXED = 100000;

export const MOST_GROUPS = 3;

export class BoundCurves {
  constructor({steps = py.missing("BoundCurves.steps"), exits = py.dict(), vacuous = "", conditions = [], azuma = "", batch = null, batch_sbar = 0.0, batch_added = 0.0, loose = null, mixed = null} = {}) {
    Object.assign(this, {steps, exits, vacuous, conditions, azuma, batch, batch_sbar, batch_added, loose, mixed});
  }
  stays(name) {
    let exits;
    exits = py.get(this.exits, name);
    return (exits == null) ? null : (np.subtract(1.0, exits));
  }
  last(name) {
    let exits;
    exits = py.get(this.exits, name);
    return (exits == null) ? null : py.float(np.at(exits, -1));
  }
}

export function bound_curves(setup, names = CURVES) {
  let steps, bounds, exits, farthest, complete, vacuous;
  steps = np.unique(np.linspace(0, setup.config.steps, POINTS).round().astype(py.int));
  bounds = py.iter(setup.distances).map((rho) => _bounds(setup, rho));
  exits = Object.fromEntries(py.iter(names).map((name) => [name, _whole(np.total(py.zip(setup.weights, bounds).map(([w, b]) => (np.multiply(w, b.curve(name, steps))))))]));
  farthest = np.at(bounds, -1);
  complete = py.all(py.iter(CURVES).map((name) => (py.contains(names, name))));
  vacuous = (py.truthy(complete) && (np.greater_equal(py.min(py.iter(np.at(CURVES, np.slice(1, null, null))).map((n) => np.at(np.at(exits, n), -1))), 0.9999))) ? farthest.words : "";
  return new BoundCurves({steps: steps, exits: exits, vacuous: vacuous, conditions: py.tuple(farthest.conditions), azuma: farthest.azuma_condition});
}

export function with_batches(setup, curves) {
  let live, config, groups, value, loose, group, rho, weight, bound;
  [live, config] = [setup.live, setup.config];
  if ((live == null) || np.not_equal(config.target, "live")) {
    return curves;
  }
  groups = np.array_split(np.arange(setup.distances.size), py.min([MOST_GROUPS, setup.distances.size]));
  value = loose = 0.0;
  for (group of py.iter(groups)) {
    [rho, weight] = [np.at(setup.distances, np.at(group, -1)), np.at(setup.weights, group).sum()];
    bound = conditional_variance_bound(config.dim, config.step_size, config.steps, config.radius, rho, live.settings.batch_size, live.variance_trace, live.variance_max, live.increment_bound, setup.curvature, setup.smoothness);
    value = np.add(value, np.multiply(weight, bound.value));
    loose = np.add(loose, np.multiply(weight, exit_bounds(config.dim, config.step_size, config.steps, config.radius, rho, live.increment_bound, setup.smoothness, setup.curvature).local));
  }
  return py.replace(curves, {batch: py.min([value, 1.0]), batch_sbar: bound.sbar, batch_added: bound.added, loose: py.min([loose, 1.0])});
}

export function with_mixture(setup, curves) {
  let config, leg, mixed;
  config = setup.config;
  if (np.greater(setup.distances.size, 1) || np.less_equal(setup.curvature, 0.0) || np.greater(config.steps, MOST_MIXED) || (np.greater_equal(curves.last("local"), 1.0))) {
    return curves;
  }
  leg = new Leg({step_size: config.step_size, steps: config.steps, radius: config.radius, shift: null, noise_bound: config.noise, smoothness: setup.smoothness, strong_convexity: setup.curvature});
  mixed = np.at(anytime_bound(config.dim, [leg], py.float(np.at(setup.distances, 0)), false).total, 0);
  return py.replace(curves, {mixed: py.min([py.float(mixed), curves.last("local")])});
}

export function _bounds(setup, rho) {
  let config;
  config = setup.config;
  return exit_bounds(config.dim, config.step_size, config.steps, config.radius, py.float(rho), config.noise, setup.smoothness, setup.curvature, config.cutoff);
}

export function _whole(exits) {
  return np.where(np.greater(exits, (np.subtract(1.0, 1e-12))), 1.0, exits);
}
