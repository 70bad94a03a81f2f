// Translated from app/exit_time/epoch_law.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const BINS = 20;

export const STOPS = 40;

export function stops_of(steps) {
  return np.at(np.unique(np.linspace(0, steps, np.add(STOPS, 1)).round().astype(py.int)), np.slice(1, null, null));
}

export class EpochLaw {
  constructor(setup, levels) {
    this._levels = levels;
    this.has_statistic = levels != null;
    this.stops = stops_of(setup.config.steps);
    this.floor = Math.sqrt(np.divide(np.subtract(BINS, 1), np.multiply(np.multiply(2.0, Math.PI), setup.chains)));
    this._shares = [];
  }
  look(simulation) {
    let levels, cells;
    levels = this._levels(simulation.displacements);
    cells = np.clip((np.multiply(np.nan_to_num(levels, {nan: 1.0}), BINS)).astype(py.int), 0, np.subtract(BINS, 1));
    this._shares.push(np.divide(np.stack(py.iter(cells.T).map((column) => np.bincount(column, {minlength: BINS}))), py.len(cells)));
  }
  get distance() {
    let lengths, sums, gaps;
    lengths = np.diff(this.stops, {prepend: 0}).astype(py.float);
    sums = np.cumsum(np.multiply(np.array(this._shares), np.at(lengths, [np.slice(null, null, null), null, null])), {axis: 0});
    gaps = np.abs(np.subtract(np.divide(sums, np.at(this.stops, [np.slice(null, null, null), null, null])), np.divide(1.0, BINS)));
    return np.multiply(0.5, gaps.sum({axis: 2}).max({axis: 1}));
  }
}
