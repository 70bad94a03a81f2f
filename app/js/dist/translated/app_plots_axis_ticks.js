// Translated from app/plots/axis_ticks.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {power_of_ten, scientific} from "./app_number_words.js"

export function plain_ticks(low, high, most = 6, words = null) {
  let first, last, stride, at;
  [first, last] = [Math.ceil(np.subtract(Math.log10(low), 1e-09)), Math.floor(np.add(Math.log10(high), 1e-09))];
  stride = py.max([1, Math.ceil(np.divide(np.add(np.subtract(last, first), 1), most))]);
  at = py.range(np.add(first, np.remainder(np.negative(first), stride)), np.add(last, 1), stride);
  if (np.less(py.len(at), 2)) {
    return py.iter(_round_numbers(low, high)).map((v) => [v, py.truthy(words) ? words(v) : (np.less(v, 1000000.0) ? `${py.format(v, ",g")}` : scientific(v))]);
  }
  return py.iter(at).map((k) => [np.power(10.0, k), py.truthy(words) ? words(np.multiply(np.power(10.0, k), np.add(1, 1e-12))) : ((np.less_equal(0, k) && np.less_equal(k, 6)) ? `${py.format(np.power(10.0, k), ",.0f")}` : (((np.less((-3), k)) && np.less(k, 0)) ? `${py.format(np.power(10.0, k), "g")}` : power_of_ten(k)))]);
}

export function _round_numbers(low, high) {
  let powers, inside, place, several;
  powers = py.range(Math.floor(Math.log10(low)), np.add(Math.ceil(Math.log10(high)), 1));
  inside = py.iter(powers).flatMap((k) => [np.power(10.0, k), np.multiply(2, np.power(10.0, k)), np.multiply(5, np.power(10.0, k))].filter((value) => np.less_equal(low, value) && np.less_equal(value, high)));
  if ((np.greater(py.len(inside), 1)) || !np.less(low, high)) {
    return py.or(inside, () => [low]);
  }
  place = np.power(10.0, Math.floor(Math.log10(np.subtract(high, low))));
  several = [np.multiply(5, place), np.multiply(2, place), place, np.divide(place, 2)].map((step) => py.range(Math.ceil(np.divide(low, step)), np.add(Math.floor(np.divide(high, step)), 1)).map((n) => (np.multiply(n, step))));
  return py.next(py.iter(several).filter((multiples) => np.greater(py.len(multiples), 1)));
}
