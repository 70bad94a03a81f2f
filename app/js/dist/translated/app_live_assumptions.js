// Translated from app/live/assumptions.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {Assumption} from "./app_live_snapshot.js"

export const UNEVEN = 10.0;

export const SKEWED = 3.0;

export const GROWS = 1.5;

export const FAR = 3.0;

export const EARLY = 64;

export const NO_TICKS = [null, null, null];

export const _LINES = [["smooth", "L", "Largest curvature of one term. Outliers and directions of uneven curvature strain it."], ["concentrated", "C", "Root second moment of the target about its mode, times √(t + c). It should stay put as data arrive."], ["slow drift", "D", "How far the mode ever moved while the data doubled, times √(t + c). A truth that drifts makes it grow."]];

export class Constants {
  constructor(meter, even, blind = false) {
    [this.meter, this._even, this._blind] = [meter, even, blind];
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
    return py.truthy(this._blind) ? null : this.meter.smoothness;
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
    if (t < EARLY) {
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
  even = py.bool(unevenness <= SKEWED);
  return [(smooth == null) ? null : (py.and(Number.isFinite(smooth), () => py.and(py.bool(smooth <= (UNEVEN * curvature)), () => even))), py.and(py.bool(spread <= (GROWS * then)), () => even), py.bool(drift <= (FAR * spread))];
}

export function _text(value) {
  if (value == null) {
    return "not known";
  }
  if (!Number.isFinite(value)) {
    return "∞";
  }
  return (value < 100) ? `${py.format(value, ".1f")}` : `${py.format(value, ",.0f")}`;
}
