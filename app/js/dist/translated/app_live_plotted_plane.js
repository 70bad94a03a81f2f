// Translated from app/live/plotted_plane.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export function root_of(xx, xy, yy) {
  let mean, half, radius, large, small, level, slope;
  [mean, half] = [0.5 * (xx + yy), 0.5 * (xx - yy)];
  radius = Math.hypot(half, xy);
  [large, small] = [Math.sqrt(py.max([mean + radius, 0.0])), Math.sqrt(py.max([mean - radius, 0.0]))];
  [level, slope] = [0.5 * (large + small), py.truthy(radius) ? ((0.5 * (large - small)) / radius) : 0.0];
  return [level + (slope * half), slope * xy, level - (slope * half)];
}

export function largest_deviation(xx, xy, yy) {
  return Math.sqrt(py.max([(0.5 * (xx + yy)) + Math.hypot(0.5 * (xx - yy), xy), 0.0]));
}
