// Translated from sampler/theory/assumptions.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {SMALLEST} from "./sampler_arguments.js"

export const TILTS = 2000;

export function concentration_of(t, offset, variances, mean, mode) {
  let away;
  away = np.total(py.zip(mean, mode).map(([one, other]) => (np.power(np.subtract(one, other), 2))));
  return Math.sqrt(np.multiply(np.add(t, offset), np.add(np.total(variances), away)));
}

export function tail_rate(t, offset, covariance, amplitude = np.e) {
  let v, f, room, s, chernoff, near, rate, log_tail;
  covariance = covariance;
  amplitude = amplitude;
  v = np.multiply(np.linalg.eigvalsh(covariance), np.add(t, _checked_offset(offset)));
  if (!(np.greater(np.at(v, 0), SMALLEST))) {
    throw new py.PythonError("ValueError", `covariance must be positive definite, its smallest eigenvalue is ${py.format(np.at(v, 0), "g")}; observe more data`);
  }
  f = np.divide(np.subtract(1.0, np.at(np.geomspace(1.0, 1e-05, TILTS), [np.slice(null, null, null), null])), np.multiply(2.0, np.at(v, -1)));
  room = np.subtract(1.0, np.multiply(np.multiply(2.0, f), v));
  s = np.sqrt((np.divide(v, room)).sum({axis: 1}));
  chernoff = np.add(np.multiply(np.at(f, [np.slice(null, null, null), 0]), np.power(s, 2)), np.multiply(0.5, np.log(room).sum({axis: 1})));
  near = np.at(np.linspace(0.0, np.at(s, 0), TILTS), np.slice(1, null, null));
  [s, rate] = [np.concatenate([near, s]), np.concatenate([np.zeros(near.size), chernoff])];
  log_tail = np.empty(s.size);
  np.kernels.chi_square_log_tails(np.divide(np.power(s, 2), np.at(v, -1)), v.size, log_tail);
  return py.float((np.divide(np.add(np.log(amplitude), np.maximum(rate, np.negative(log_tail))), s)).min());
}

export class RunningSmoothness {
  constructor(curvature_bound) {
    this.curvature_bound = curvature_bound;
    this._largest_row = 0.0;
  }
  _note_row(row_norm) {
    this._largest_row = py.max([this._largest_row, row_norm]);
  }
  get smoothness() {
    return py.truthy(this._largest_row) ? (np.multiply(this.curvature_bound, np.power(this._largest_row, 2))) : 0.0;
  }
}

export function _checked_offset(offset) {
  return offset;
}
