// Translated from app/live/charts/spacing.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {power_of_ten} from "./app_number_words.js"

export function power(exponent) {
  if (((-2) < exponent) && (exponent < 2)) {
    return `${py.format(10.0 ** exponent, "g")}`;
  }
  return power_of_ten(exponent);
}

export function decades(low, high, most = 5) {
  let first, last, stride, start;
  [first, last] = [Math.ceil(Math.log10(low) - 1e-09), Math.floor(Math.log10(high) + 1e-09)];
  stride = py.max([1, Math.ceil(((last - first) + 1) / most)]);
  start = first + (py.mod((-first), stride));
  return py.list(py.range(start, last + 1, stride));
}

export function epochs(low, high, most = 5) {
  let first, last, steps, ticks, stride;
  [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  for (steps of [[1], [1, 3], [1, 2, 5]]) {
    ticks = py.range(first, last + 1).flatMap((k) => py.iter(steps).filter((s) => (low <= (s * (10 ** k))) && ((s * (10 ** k)) <= high)).map((s) => (s * (10 ** k))));
    if (py.len(ticks) >= 3) {
      stride = py.max([1, Math.ceil(py.len(ticks) / most)]);
      return py.enumerate(ticks).filter(([k, tick]) => (py.mod(k, stride)) === 0).map(([k, tick]) => tick);
    }
  }
  for (stride of py.range(last + 1).flatMap((k) => [1, 2, 5].map((s) => (s * (10 ** k))))) {
    ticks = py.list(py.range(Math.ceil(low / stride) * stride, Math.floor(high) + 1, stride));
    if (py.len(ticks) <= most) {
      return ticks;
    }
  }
  return [];
}

export function fractions(low, high) {
  let stride;
  stride = ((high - low) <= 0.55) ? 1 : 2;
  return py.range(0, 11, stride).filter((k) => ((low - 1e-09) <= (k / 10)) && ((k / 10) <= (high + 1e-09))).map((k) => (k / 10));
}

export function spread(heights, gap, low, high) {
  let count, apart, order, groups, rank, k, mean, size, below, more, fitted, placed;
  count = py.len(heights);
  apart = py.min([gap, (high - low) / py.max([1, count - 1])]);
  order = py.sorted(py.range(count), {key: (k) => heights[k]});
  groups = [];
  for ([rank, k] of py.enumerate(order)) {
    [mean, size] = [heights[k] - (rank * apart), 1];
    while (py.truthy(groups) && (groups.at(-1)[0] > mean)) {
      [below, more] = groups.pop();
      [mean, size] = [((mean * size) + (below * more)) / (size + more), size + more];
    }
    groups.push([mean, size]);
  }
  fitted = py.iter(groups).flatMap(([mean, size]) => py.range(size).map((_) => py.min([py.max([mean, low]), high - ((count - 1) * apart)])));
  placed = py.iter(order).map((_) => 0.0);
  for ([rank, k] of py.enumerate(order)) {
    placed[k] = fitted[rank] + (rank * apart);
  }
  return placed;
}
