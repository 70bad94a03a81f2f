// Translated from app/exit_time/bound_curves.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {exit_bounds} from "./sampler_theory_exit_bounds.js"

export const POINTS = 81;

export const QUICK = ["printed", "corrected"];

export const CURVES = ["printed", "corrected", "sharp", "local", "rotation"];

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

export function _bounds(setup, rho) {
  let config;
  config = setup.config;
  return exit_bounds(config.dim, config.step_size, config.steps, config.radius, py.float(rho), config.noise, setup.smoothness, setup.curvature, config.cutoff);
}

export function _whole(exits) {
  return np.where(np.greater(exits, (np.subtract(1.0, 1e-12))), 1.0, exits);
}
