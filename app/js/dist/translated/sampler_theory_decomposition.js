// Translated from sampler/theory/decomposition.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export class Decomposition {
  constructor({pull = py.missing("Decomposition.pull"), drift = py.missing("Decomposition.drift"), martingale = py.missing("Decomposition.martingale"), squared_distance = py.missing("Decomposition.squared_distance")} = {}) {
    Object.assign(this, {pull, drift, martingale, squared_distance});
  }
  get change() {
    return np.diff(this.squared_distance);
  }
  running(part) {
    return np.append(0.0, np.cumsum(this[part]));
  }
  get error() {
    let total, size;
    total = np.add(np.add(this.pull, this.drift), this.martingale);
    size = np.abs([this.pull, this.drift, this.martingale]).max({initial: 0.0});
    size = py.max([size, this.squared_distance.max()]);
    return np.greater(size, 0.0) ? py.float(np.divide(np.abs(np.subtract(total, this.change)).max({initial: 0.0}), size)) : 0.0;
  }
}

export function decompose(trace, centre, gradient) {
  let before, full, eta, d, D, g, noise, pull, drift, martingale, last, squared;
  before = np.asarray(trace.before, py.float);
  if (np.not_equal(before.ndim, 2) || (np.equal(py.len(before), 0))) {
    throw new py.PythonError("ValueError", `trace must have at least one step, got shape ${py.str(before.shape)}; advance with trace=chain`);
  }
  centre = centre;
  full = ((py.truthy(py.callable(gradient))) ? gradient(before) : gradient);
  if (np.not_equal(full.shape, before.shape)) {
    throw new py.PythonError("ValueError", `gradient must have one row per step, shape ${py.str(before.shape)}, got ${py.str(full.shape)}; pass posterior.gradient, or its values at trace.before`);
  }
  [eta, d] = [py.float(trace.step_size), np.at(before.shape, 1)];
  [D, g, noise] = [np.subtract(before, centre), np.add(trace.guess, trace.correction), np.asarray(trace.noise)];
  pull = np.multiply(np.multiply(-2.0, eta), _dot(full, D));
  drift = np.add(np.multiply(np.multiply(2.0, eta), d), np.multiply(np.power(eta, 2), _dot(g, g)));
  martingale = np.subtract(np.multiply(2.0, _dot(np.subtract(D, np.multiply(eta, g)), noise)), np.multiply(np.multiply(2.0, eta), _dot(np.subtract(g, full), D)));
  martingale = np.add(martingale, np.subtract(_dot(noise, noise), np.multiply(np.multiply(2.0, eta), d)));
  last = np.subtract(np.at(trace.after, np.slice(-1, null, null)), centre);
  squared = np.concatenate([_dot(D, D), _dot(last, last)]);
  return new Decomposition({pull: pull, drift: drift, martingale: martingale, squared_distance: squared});
}

export class Pushes {
  constructor({distance = py.missing("Pushes.distance"), count = py.missing("Pushes.count"), plain = py.missing("Pushes.plain"), plain_error = py.missing("Pushes.plain_error"), square = py.missing("Pushes.square"), square_error = py.missing("Pushes.square_error")} = {}) {
    Object.assign(this, {distance, count, plain, plain_error, square, square_error});
  }
  static from_sums(sums, radius, step_size) {
    let bins, count, steps, means, spread, errors, middle;
    bins = np.at(sums.shape, 1);
    count = np.at(sums, 0);
    steps = np.where(np.greater(count, 0), count, np.nan);
    means = np.divide(np.at(sums, np.slice(1, null, 2)), steps);
    spread = np.maximum(np.subtract(np.divide(np.at(sums, np.slice(2, null, 2)), steps), np.power(means, 2)), 0.0);
    errors = np.sqrt(np.divide(spread, np.where(np.greater(count, 1), np.subtract(count, 1), np.nan)));
    middle = np.divide(np.multiply(np.add(np.arange(bins), 0.5), radius), py.max([bins, 1]));
    [means, errors] = [np.divide(means, np.multiply(2.0, step_size)), np.divide(errors, np.multiply(2.0, step_size))];
    return new this({distance: middle, count: count.copy(), plain: np.at(means, 0), plain_error: np.at(errors, 0), square: np.at(means, 1), square_error: np.at(errors, 1)});
  }
}

export function _dot(a, b) {
  return np.einsum("ij,ij->i", a, b);
}
