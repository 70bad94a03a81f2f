// Translated from app/exit_time/simulated_chains.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {decompose} from "./sampler_theory_decomposition.js"
import {survival_curve} from "./sampler_theory_exit_simulation.js"

export const LEVEL = 0.999;

export const POINTS = 201;

export class Crowd {
  constructor({chains = py.missing("Crowd.chains"), radius = py.missing("Crowd.radius"), inside = py.missing("Crowd.inside"), free = py.missing("Crowd.free"), same = py.missing("Crowd.same"), left = py.missing("Crowd.left"), path_steps = py.missing("Crowd.path_steps"), paths = py.missing("Crowd.paths"), path_exits = py.missing("Crowd.path_exits"), pushes = py.missing("Crowd.pushes")} = {}) {
    Object.assign(this, {chains, radius, inside, free, same, left, path_steps, paths, path_exits, pushes});
  }
}

export function crowd_of(simulation) {
  let done, r2, at, exits, curve, same, free, reached, steps, paths, path_exits, outside;
  [done, r2] = [simulation.steps_done, np.power(simulation.radius, 2)];
  at = np.unique(np.linspace(0, done, POINTS).round().astype(py.int));
  exits = simulation.exit_steps;
  curve = survival_curve(exits, at, LEVEL);
  same = np.equal(simulation.target.name, "flat") && np.equal(simulation.noise_bound, 0.0);
  free = null;
  if (py.truthy(simulation.walk_free)) {
    free = py.truthy(same) ? curve : survival_curve(simulation.free_exit_steps, at, LEVEL);
  }
  reached = np.less_equal(simulation.path_steps, done);
  [steps, paths] = [np.at(simulation.path_steps, reached), np.divide(np.at(simulation.paths, [np.slice(null, null, null), reached]).astype(np.float64), r2)];
  path_exits = np.at(exits, np.slice(null, py.len(paths), null));
  outside = np.bitwise_and(np.greater(np.at(path_exits, [np.slice(null, null, null), null]), 0), np.greater_equal(np.at(steps, [null, np.slice(null, null, null)]), np.at(path_exits, [np.slice(null, null, null), null])));
  return new Crowd({chains: exits.size, radius: simulation.radius, inside: curve, free: free, same: same, left: py.int((np.greater(exits, 0)).sum()), path_steps: steps, paths: np.where(outside, np.nan, paths).astype(np.float32), path_exits: path_exits, pushes: simulation.pushes()});
}

export const MOST = 3000000;

export class SplitChain {
  constructor({chain = py.missing("SplitChain.chain"), left = py.missing("SplitChain.left"), parts = py.missing("SplitChain.parts")} = {}) {
    Object.assign(this, {chain, left, parts});
  }
}

export function split(simulation, chain) {
  let target, left, record, arrays;
  target = simulation.target;
  if (np.greater((np.multiply(simulation.steps, target.dim)), MOST)) {
    return null;
  }
  left = py.int(np.at(simulation.exit_steps, chain));
  record = simulation.record(chain);
  if (py.truthy(left)) {
    arrays = ["before", "guess", "correction", "noise", "after"];
    record = py.replace(record, {...Object.fromEntries(py.iter(arrays).map((name) => [name, np.at(record[name], np.slice(null, left, null))]))});
  }
  return new SplitChain({chain: chain, left: left, parts: decompose(record, np.zeros(target.dim), (away) => target.gradient(away))});
}

export function choose(exit_steps, shown, wanted) {
  let candidates, left;
  if ((wanted != null) && np.less(wanted, exit_steps.size)) {
    return wanted;
  }
  for (candidates of [np.at(exit_steps, np.slice(null, shown, null)), exit_steps]) {
    left = np.flatnonzero(candidates);
    if (py.truthy(left.size)) {
      return py.int(np.at(left, np.at(np.argsort(np.at(candidates, left), {kind: "stable"}), np.floor_divide(left.size, 2))));
    }
  }
  return 0;
}

export function order(exit_steps) {
  return py.sorted(py.range(exit_steps.size), {key: (k) => [np.equal(np.at(exit_steps, k), 0), np.at(exit_steps, k)]});
}
