// Translated from app/live/run_handover.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {new_key} from "../../lab/numbers.js"
import {spread_over} from "./app_live_certificates.js"
import {batch_noise} from "./sampler_theory_conditional_variance_bound.js"

export class LiveHandover {
  constructor({problem = py.missing("LiveHandover.problem"), kind = py.missing("LiveHandover.kind"), t = py.missing("LiveHandover.t"), settings = py.missing("LiveHandover.settings"), escape_radius = py.missing("LiveHandover.escape_radius"), features = py.missing("LiveHandover.features"), labels = py.missing("LiveHandover.labels"), prior_precision = py.missing("LiveHandover.prior_precision"), mode = py.missing("LiveHandover.mode"), hessian = py.missing("LiveHandover.hessian"), positions = py.missing("LiveHandover.positions"), variance_trace = py.missing("LiveHandover.variance_trace"), variance_max = py.missing("LiveHandover.variance_max"), increment_bound = py.missing("LiveHandover.increment_bound"), visited = py.missing("LiveHandover.visited"), smoothness = py.missing("LiveHandover.smoothness"), drift = py.missing("LiveHandover.drift"), first_exit = py.missing("LiveHandover.first_exit"), reset_epochs = py.missing("LiveHandover.reset_epochs"), reset_distances = py.missing("LiveHandover.reset_distances"), preconditioned = false, fresh = false, key = new_key()} = {}) {
    Object.assign(this, {problem, kind, t, settings, escape_radius, features, labels, prior_precision, mode, hessian, positions, variance_trace, variance_max, increment_bound, visited, smoothness, drift, first_exit, reset_epochs, reset_distances, preconditioned, fresh, key});
  }
  get dim() {
    return this.mode.size;
  }
  get step_size() {
    return this.settings.step_size(this.t);
  }
  get escape_distance() {
    return np.divide(this.escape_radius, Math.sqrt(np.add(this.t, this.settings.offset)));
  }
}

export const WORK = 2000000;

export function hand_over(run, fresh = false) {
  let state, saga, t, dim, settings, first_exit, epochs, distances, features, labels, prior_precision, visited, noises;
  state = run.state;
  if (py.truthy(state.halted) || (np.equal(state.t, 0) && py.truthy(state.done))) {
    return null;
  }
  if (!py.truthy(state.done)) {
    run.go(state.longest);
  }
  if (py.truthy(state.halted)) {
    return null;
  }
  [saga, t, dim] = [state.saga, state.count, state.saga.dim];
  settings = py.truthy(state.preconditioned) ? py.replace(state.plain_settings, {offset: saga.settings.offset}) : saga.settings;
  [first_exit, epochs, distances] = run.good.until(state.t);
  [features, labels, prior_precision] = state.rows_so_far();
  visited = spread_over(py.range(saga.chains), np.floor_divide(WORK, py.max([np.multiply(t, dim), 1])));
  noises = py.iter(visited).map((chain) => batch_noise(...py.iter(state.terms(chain, settings.variance_reduction)), settings.batch_size));
  return new LiveHandover({problem: state.data.label, kind: state.data.kind, t: t, settings: settings, preconditioned: state.preconditioned, escape_radius: state.config.escape_radius, features: features, labels: labels, prior_precision: prior_precision, mode: np.array(state.tracker.mode), hessian: np.array(state.tracker.hessian).reshape(dim, dim), positions: saga.positions, variance_trace: py.max(py.iter(noises).map((n) => n.variance_trace)), variance_max: py.max(py.iter(noises).map((n) => n.variance_max)), increment_bound: py.max(py.iter(noises).map((n) => n.increment_bound)), visited: py.len(noises), smoothness: state.constants.meter.smoothness, drift: state.constants.meter.largest_drift, first_exit: first_exit, reset_epochs: epochs, reset_distances: distances, fresh: fresh});
}
