// Translated from sampler/theory/assumptions.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export function concentration_of(t, offset, variances, mean, mode) {
  let away;
  away = py.sum(py.zip(mean, mode).map(([one, other]) => ((one - other) ** 2)));
  return Math.sqrt((t + offset) * (py.sum(variances) + away));
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
    return py.truthy(this._largest_row) ? (this.curvature_bound * (this._largest_row ** 2)) : 0.0;
  }
}
