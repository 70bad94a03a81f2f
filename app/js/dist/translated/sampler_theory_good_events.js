// Translated from sampler/theory/good_events.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const WHOLE = 9007199254740992;

export class GoodEvent {
  constructor({epochs = py.missing("GoodEvent.epochs"), allowed = py.missing("GoodEvent.allowed"), held = py.missing("GoodEvent.held"), so_far = py.missing("GoodEvent.so_far")} = {}) {
    Object.assign(this, {epochs, allowed, held, so_far});
  }
  get share() {
    return this.so_far.mean({axis: 1});
  }
}

export function is_reset_point(epochs) {
  let s;
  s = _whole_epochs(epochs);
  return np.bitwise_or(np.equal(s, 0), np.equal(s, (np.power(2.0, np.round(np.log2(np.maximum(s, 1)))))));
}

export function reset_point_event(distances, epochs, reset_radius, offset) {
  let C1, distance, s, scale;
  C1 = reset_radius;
  [distance, s, scale] = _measured("distances", distances, epochs, offset);
  return _event(distance, s, np.where(is_reset_point(s), np.divide(C1, scale), np.inf));
}

export function _event(distance, epochs, allowed) {
  let held;
  held = np.less_equal(distance, np.at(allowed, [np.slice(null, null, null), null]));
  return new GoodEvent({epochs: epochs, allowed: allowed, held: held, so_far: np.minimum.accumulate(held, {axis: 0})});
}

export function _whole_epochs(epochs) {
  let advice, s;
  advice = "count the data seen";
  s = epochs;
  if (!(py.truthy(np.all(np.bitwise_and(np.bitwise_and(np.greater_equal(s, 0), np.less_equal(s, WHOLE)), np.equal(s, np.floor(s))))))) {
    throw new py.PythonError("ValueError", `epochs must be whole numbers from 0 to 2**53, got ${py.str(py.shown(epochs))}; ${py.str(advice)}`);
  }
  return s.astype(np.int64);
}

export function _measured(name, values, epochs, offset) {
  let c, s, v;
  c = offset;
  [s, v] = [_whole_epochs(epochs), values];
  if (np.not_equal(s.ndim, 1) || np.not_equal(v.ndim, 2) || (np.not_equal(py.len(v), s.size)) || np.equal(v.size, 0)) {
    throw new py.PythonError("ValueError", `${py.str(name)} must be (n, K), a row for each of the n epochs; got ${py.str(v.shape)} for epochs ${py.str(s.shape)}. Stack one row per epoch.`);
  }
  if (py.truthy(np.any(np.less(v, 0.0)))) {
    throw new py.PythonError("ValueError", `${py.str(name)} must be 0 or more; got ${py.format(np.nanmin(v), "g")}. Pass distances, not coordinates.`);
  }
  if ((py.truthy(np.any(np.less_equal(np.diff(s), 0)))) || (np.less_equal((np.add(np.at(s, 0), c)), 0.0))) {
    throw new py.PythonError("ValueError", `epochs must increase, with s + offset > 0; got ${py.str(np.at(s, np.slice(null, 5, null)))}... Sort them.`);
  }
  return [v, s, np.sqrt(np.add(s, c))];
}
