// Translated from app/plots/axis_ticks.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {power_of_ten, scientific} from "./app_number_words.js"

export function plain_ticks(low, high, most = 6, words = null) {
  let first, last, stride, at;
  [first, last] = [Math.ceil(Math.log10(low) - 1e-09), Math.floor(Math.log10(high) + 1e-09)];
  stride = py.max([1, Math.ceil(((last - first) + 1) / most)]);
  at = py.range(first + (py.mod((-first), stride)), last + 1, stride);
  if (py.len(at) < 2) {
    return py.iter(_round_numbers(low, high)).map((v) => [v, py.truthy(words) ? words(v) : ((v < 1000000.0) ? `${py.format(v, ",g")}` : scientific(v))]);
  }
  return py.iter(at).map((k) => [10.0 ** k, py.truthy(words) ? words((10.0 ** k) * (1 + 1e-12)) : (((0 <= k) && (k <= 6)) ? `${py.format(10.0 ** k, ",.0f")}` : ((((-3) < k) && (k < 0)) ? `${py.format(10.0 ** k, "g")}` : power_of_ten(k)))]);
}

export function _round_numbers(low, high) {
  let powers, inside, place, several;
  powers = py.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1);
  inside = py.iter(powers).flatMap((k) => [10.0 ** k, 2 * (10.0 ** k), 5 * (10.0 ** k)].filter((value) => (low <= value) && (value <= high)));
  if ((py.len(inside) > 1) || (!(low < high))) {
    return py.or(inside, () => [low]);
  }
  place = 10.0 ** Math.floor(Math.log10(high - low));
  several = [5 * place, 2 * place, place, place / 2].map((step) => py.range(Math.ceil(low / step), Math.floor(high / step) + 1).map((n) => (n * step)));
  return py.next(py.iter(several).filter((multiples) => py.len(multiples) > 1));
}
