// Translated from app/live/assumptions.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {Assumption} from "./app_live_snapshot.js"

export const MAX_CURVATURE_RATIO = 10.0;

export const MAX_UNEVENNESS = 3.0;

export const MAX_GROWTH = 1.5;

export const MAX_DRIFT_RATIO = 3.0;

export const FIRST_TICK = 64;

export const NO_TICKS = [null, null, null];

export const _LINES = [["smooth", "L", "Largest curvature of one term. Outliers and directions of uneven curvature increase it."], ["concentrated", "C", "Root second moment of the target about its mode, times √(t + c). It should be constant as data arrive."], ["slow drift", "D", "Largest displacement of the mode while the data doubled, times √(t + c). A drifting truth increases it."]];

export class Constants {
  constructor(meter, even, gradients_only = false) {
    [this.meter, this._even, this._gradients_only] = [meter, even, gradients_only];
    this.modes = ({});
    this._spreads = ({});
    this._squares = 0.0;
  }
  add(t, mode, variances, ...row) {
    let length;
    length = py.truthy(this._even) ? 1.0 : Math.hypot(...py.iter(row[0]));
    this._squares = this._squares + (length ** 2);
    this.meter.add(length, mode);
    if ((t & (t - 1)) === 0) {
      this.modes[t] = [...py.iter(mode)];
      this._spreads[t] = spread_of(variances);
    }
  }
  last_mode(t, now) {
    return py.get(this.modes, 1 * 2 ** (py.bit_length(py.max([t, 1])) - 1), now);
  }
  get smoothness() {
    return py.truthy(this._gradients_only) ? null : this.meter.smoothness;
  }
  largest_drift(offset) {
    this.meter.offset = offset;
    return this.meter.largest_drift;
  }
  lines(t, concentration, variances, curvatures, offset) {
    let constants;
    if ((t < 2) || (!(py.all(py.iter(variances).map((one) => Number.isFinite(one)))))) {
      return not_measured();
    }
    constants = [this.smoothness, concentration, this.largest_drift(offset)];
    if (t < FIRST_TICK) {
      return lines_of(constants, NO_TICKS);
    }
    return lines_of(constants, ticks_of(constants, (this.meter.curvature_bound * this._squares) / t, concentration_before(t, this._spreads, offset), unevenness_of(curvatures, variances)));
  }
}

export function spread_of(variances) {
  let variance;
  return (Number.isFinite((variance = py.float(py.sum(variances))))) ? Math.sqrt(variance) : 0.0;
}

export function concentration_before(t, spreads, offset) {
  let before;
  before = 1 * 2 ** (py.bit_length(py.max([Math.floor(t / 4), 1])) - 1);
  return py.get(spreads, before, 0.0) * Math.sqrt(before + offset);
}

export function unevenness_of(curvatures, variances) {
  return py.float(py.sum(curvatures) * py.sum(variances)) / (py.len(variances) ** 2);
}

export function not_measured() {
  return py.tuple(py.enumerate(_LINES, 1).map(([n, [name, symbol, help]]) => new Assumption({number: n, name: name, text: `${py.str(symbol)} = …`, ok: null, help: help})));
}

export function lines_of(constants, ticks) {
  return py.tuple(py.enumerate(py.zip(_LINES, constants, ticks), 1).map(([n, [[name, symbol, help], value, ok]]) => new Assumption({number: n, name: name, text: `${py.str(symbol)} = ${py.str(_text(value))}`, ok: ok, help: help})));
}

export function ticks_of(constants, curvature, then, unevenness) {
  let smooth, spread, drift, even;
  [smooth, spread, drift] = constants;
  even = py.bool(unevenness <= MAX_UNEVENNESS);
  return [(smooth == null) ? null : (py.and(Number.isFinite(smooth), () => py.and(py.bool(smooth <= (MAX_CURVATURE_RATIO * curvature)), () => even))), py.and(py.bool(spread <= (MAX_GROWTH * then)), () => even), py.bool(drift <= (MAX_DRIFT_RATIO * spread))];
}

export function _text(value) {
  if (value == null) {
    return "unknown";
  }
  if (!Number.isFinite(value)) {
    return "∞";
  }
  return (value < 100) ? `${py.format(value, ".1f")}` : `${py.format(value, ",.0f")}`;
}
