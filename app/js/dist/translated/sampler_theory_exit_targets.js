// Translated from sampler/theory/exit_targets.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {LARGEST} from "./sampler_arguments.js"
import {FLAT, LOGISTIC, QUADRATIC} from "./sampler_kernels_exit_walk.js"
import {LOGISTIC as LOGISTIC_TERMS} from "./sampler_kernels_glm_langevin.js"
import {coordinate_numbers} from "./sampler_problems_base.js"

export class ExitTarget {
  constructor({name = py.missing("ExitTarget.name"), kind = py.missing("ExitTarget.kind"), mode = py.missing("ExitTarget.mode"), precision = py.missing("ExitTarget.precision"), rows = (() => np.zeros([0, 1]))(), labels = (() => np.zeros(0))()} = {}) {
    Object.assign(this, {name, kind, mode, precision, rows, labels});
  }
  get dim() {
    return this.mode.size;
  }
  get scores() {
    return np.equal(this.kind, LOGISTIC) ? (np.matmul(this.rows, this.mode)) : np.zeros(0);
  }
  gradient(displacement) {
    let D, points, out;
    D = np.asarray(displacement, py.float);
    if (np.not_equal(this.kind, LOGISTIC)) {
      return np.multiply(this.precision, D);
    }
    points = (np.add(D, this.mode)).reshape(-1, this.dim);
    out = np.empty(points.shape);
    np.kernels.gradients_at(LOGISTIC_TERMS, this.precision, this.rows, this.labels, py.len(this.rows), points, out);
    return out.reshape(D.shape);
  }
  get hessian() {
    return np.equal(this.kind, LOGISTIC) ? this._hessian(_slope(this.scores)) : np.diag(this.precision);
  }
  get smoothness() {
    return py.float(np.at(np.linalg.eigvalsh(this._hessian(np.full(py.len(this.rows), 0.25))), -1));
  }
  curvature(radius) {
    let moved, far, near, least, largest;
    if (np.not_equal(this.kind, LOGISTIC)) {
      return [py.float(this.precision.min()), py.float(this.precision.max())];
    }
    moved = np.multiply(radius, np.linalg.norm(this.rows, {axis: 1}));
    [far, near] = [np.add(np.abs(this.scores), moved), np.maximum(np.subtract(np.abs(this.scores), moved), 0.0)];
    least = np.at(np.linalg.eigvalsh(this._hessian(_slope(far))), 0);
    largest = np.at(np.linalg.eigvalsh(this._hessian(_slope(near))), -1);
    return [py.float(py.max([least, this.precision.min()])), py.float(largest)];
  }
  _hessian(slopes) {
    return np.add(np.diag(this.precision), np.matmul(np.multiply(this.rows.T, slopes), this.rows));
  }
}

export function flat_target(dim) {
  let d;
  d = dim;
  return new ExitTarget({name: "flat", kind: FLAT, mode: np.zeros(d), precision: np.zeros(d)});
}

export function quadratic_target(curvature, dim = null) {
  let values, size;
  values = np.atleast_1d(curvature);
  if (dim != null) {
    size = dim;
    if (!py.contains([1, size], values.size)) {
      throw new py.PythonError("ValueError", `dim must be ${py.str(values.size)}, the number of curvatures, got ${py.str(dim)}; leave it out`);
    }
    values = np.equal(values.size, 1) ? np.full(size, np.at(values, 0)) : values;
  }
  if (np.not_equal(values.ndim, 1) || !py.truthy(values.size) || (!(py.truthy(np.all(np.bitwise_and(np.greater_equal(values, 0.0), np.less_equal(values, LARGEST))))))) {
    throw new py.PythonError("ValueError", `curvature must be finite, in [0, ${py.format(LARGEST, "g")}]; got ${py.str(py.shown(curvature))}. Use 0 for a flat F.`);
  }
  return new ExitTarget({name: "quadratic", kind: QUADRATIC, mode: np.zeros(values.size), precision: values});
}

export function logistic_target(features, labels, prior_precision = 1.0) {
  let rows, y, wanted, precision, mode;
  rows = np.ascontiguousarray(features);
  y = labels;
  if ((np.not_equal(y.shape, np.at(rows.shape, np.slice(null, 1, null)))) || (!((py.truthy(np.isin(y, [0, 1]).all())) || (py.truthy(np.isin(y, [-1, 1]).all()))))) {
    wanted = `of shape (${py.str(py.len(rows))},), in {0, 1} or {-1, +1}`;
    throw new py.PythonError("ValueError", `labels must be ${py.str(wanted)}; got ${py.str(py.shown(labels))}. Recode them.`);
  }
  precision = coordinate_numbers(prior_precision, np.at(rows.shape, 1));
  [y, mode] = [np.where(np.greater(y, 0), 1.0, 0.0), np.zeros(np.at(rows.shape, 1))];
  if (!(py.truthy(np.kernels.solve_mode(LOGISTIC_TERMS, precision, rows, y, py.len(rows), mode, ...py.iter(np.empty([2, mode.size, mode.size])))))) {
    throw new py.PythonError("ValueError", "features must have a mode under this prior, got none; raise prior_precision");
  }
  return new ExitTarget({name: "logistic", kind: LOGISTIC, mode: mode, precision: precision, rows: rows, labels: y});
}

export function _slope(score) {
  let fall;
  fall = np.exp(np.negative(np.abs(score)));
  return np.divide(fall, np.power(np.add(1.0, fall), 2));
}
