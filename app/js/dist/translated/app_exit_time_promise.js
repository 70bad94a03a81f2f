// Translated from app/exit_time/promise.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {exit_process} from "./sampler_theory_anytime_bound.js"
import {epoch_certificate} from "./sampler_theory_epoch_certificate.js"

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

export class Promise {
  constructor({steps = py.missing("Promise.steps"), promised = py.missing("Promise.promised"), lemma = py.missing("Promise.lemma"), measured = py.missing("Promise.measured"), floor = py.missing("Promise.floor"), last = py.missing("Promise.last"), wasserstein = py.missing("Promise.wasserstein"), how_start = py.missing("Promise.how_start")} = {}) {
    Object.assign(this, {steps, promised, lemma, measured, floor, last, wasserstein, how_start});
  }
}

export function epoch_promise(setup, bounds, law, start) {
  let config, steps, exits, spent, leave, W2, how, measured, certificates;
  config = setup.config;
  steps = law.stops;
  exits = np.at(bounds.exits, "local");
  spent = np.cumsum(np.multiply(np.at(exits, np.slice(1, null, null)), np.diff(bounds.steps)));
  leave = np.minimum(np.interp(steps, np.at(bounds.steps, np.slice(1, null, null)), np.divide(spent, np.at(bounds.steps, np.slice(1, null, null)))), 1.0);
  [W2, how, measured] = start;
  certificates = py.zip(steps, leave).map(([n, p]) => epoch_certificate(config.dim, config.step_size, py.int(n), W2, np.power(config.noise, 2), setup.largest_curvature, py.float(p), undefined, measured));
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
