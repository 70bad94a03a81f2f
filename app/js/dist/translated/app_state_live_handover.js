// Translated from app/state/live_handover.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {new_key} from "../../lab/numbers.js"

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
