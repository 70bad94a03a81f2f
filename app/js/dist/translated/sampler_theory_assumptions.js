// Translated from sampler/theory/assumptions.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export function concentration_of(t, offset, variances, mean, mode) {
  let away;
  away = py.sum(py.zip(mean, mode).map(([one, other]) => ((one - other) ** 2)));
  return Math.sqrt((t + offset) * (py.sum(variances) + away));
}

export function smoothness_of(curvature_bound, longest_row) {
  return py.truthy(longest_row) ? (curvature_bound * (longest_row ** 2)) : 0.0;
}
