// Translated from app/live/history.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {COLUMNS, JUDGED, Series} from "./app_live_snapshot.js"
import {HORIZON} from "./app_live_timeline.js"

export const FIRST = 8;

export const RECENT = 480;

export const _VARIANCE = ["saga", "sgld", "bound"];

export const _CARRIED = ["accuracy", "ceiling_low", "ceiling_high", "predicted", "tv", "median", "q95", "farthest", "memory", "cost", "full"];

export const _COUNTS = ["exits", "resets"];

export const _CHECKPOINT = "checkpoint";

export const _LOG_EPOCHS = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 32, 33, 34, 36, 37, 39, 40, 42, 43, 45, 47, 49, 51, 53, 55, 57, 60, 62, 64, 67, 70, 72, 75, 78, 82, 85, 88, 92, 95, 99, 103, 107, 112, 116, 121, 126, 131, 136, 141, 147, 153, 159, 166, 172, 179, 186, 194, 202, 210, 218, 227, 236, 245, 255, 265, 276, 287, 299, 311, 323, 336, 350, 364, 378, 393, 409, 426, 443, 461, 479, 498, 518, 539, 561, 583, 607, 631, 656, 683, 710, 738, 768, 799, 831, 864, 899, 935, 973, 1012, 1052, 1095, 1138, 1184, 1232, 1281, 1332, 1386, 1442, 1499, 1560, 1622, 1687, 1755, 1825, 1899, 1975, 2054, 2137, 2222, 2312, 2404, 2501, 2601, 2706, 2814, 2927, 3045, 3167, 3294, 3426, 3564, 3707, 3855, 4010, 4171, 4338, 4513, 4694, 4882, 5078, 5282, 5494, 5714, 5944, 6182, 6430, 6688, 6957, 7236, 7526, 7828, 8143, 8469, 8809, 9163, 9531, 9913, 10311, 10725, 11155, 11603, 12068, 12553, 13057, 13581, 14126, 14693, 15282, 15896, 16533, 17197, 17887, 18605, 19352, 20128, 20936, 21776, 22650, 23559, 24505, 25488, 26511, 27575, 28682, 29833, 31030, 32276, 33571, 34918, 36320, 37778, 39294, 40871, 42511, 44217, 45992, 47837, 49757, 51754, 53831, 55992, 58239, 60576, 63007, 65536];

export class History {
  constructor() {
    this._columns = Object.fromEntries([...py.iter(_CARRIED), ...py.iter(_VARIANCE), ...py.iter(_COUNTS), _CHECKPOINT].map((name) => [name, py.list([py.contains(_COUNTS, name) ? 0.0 : NaN])]));
    this._first = ({});
    this.t = 0;
  }
  record(t, values) {
    let name, column, value;
    while (this.t < (t - 1)) {
      this.record(this.t + 1, ({}));
    }
    this.t = t;
    for ([name, column] of py.items(this._columns)) {
      value = py.get(values, name);
      if ((value != null) && Number.isFinite(value)) {
        column.push(value);
        this._first[name] = py.get(this._first, name, t);
      } else {
        column.push(py.contains(_COUNTS, name) ? 0.0 : (py.contains(_VARIANCE, name) ? NaN : column.at(-1)));
      }
    }
  }
  truncate(t) {
    this._columns = Object.fromEntries(py.items(this._columns).map(([name, column]) => [name, column.slice(0, t + 1)]));
    this._first = Object.fromEntries(py.items(this._first).filter(([name, first]) => first <= t));
    this.t = py.min([this.t, t]);
  }
  copy() {
    let other;
    other = new History();
    [other._columns, other._first, other.t] = [this._columns, this._first, this.t];
    other.truncate(this.t);
    return other;
  }
  column(name, upto) {
    return this._columns[name].slice(0, upto + 1);
  }
  count(name, upto, window = RECENT) {
    return py.int(py.sum(this._columns[name].slice(py.max([0, (upto + 1) - window]), upto + 1)));
  }
  latest(name, upto) {
    let t;
    if (!(py.truthy(this._measured(name, upto)))) {
      return null;
    }
    t = py.min([upto, this.t]);
    while (Number.isNaN(this._columns[name][t])) {
      t = t - 1;
    }
    return this._columns[name][t];
  }
  _measured(name, upto) {
    return py.get(this._first, name, HORIZON + 1) <= upto;
  }
  series(upto, events) {
    let recent, first;
    recent = null;
    if (upto > FIRST) {
      first = py.max([FIRST, upto - RECENT]);
      recent = this._read(py.range((first - (py.mod(first, 3))) + 3, upto + 1, 3), upto, events, null);
    }
    return this._read(_LOG_EPOCHS, upto, events, recent);
  }
  _read(grid, upto, events, recent) {
    let epochs, values, judged, taken, name, exits_t, exits_value;
    epochs = py.iter(grid).filter((t) => t <= upto);
    if ((upto >= FIRST) && (!py.truthy(epochs) || (!py.eq(epochs.at(-1), upto)))) {
      epochs.push(upto);
    }
    values = Object.fromEntries(py.iter(_CARRIED).map((name) => [name, this._carried(name, epochs, upto)]));
    values = ({t: epochs, ...values, ...this._variance(epochs, upto)});
    [judged, taken] = [py.get(this._first, "accuracy", HORIZON + 1), this._columns[_CHECKPOINT]];
    for (name of py.iter(JUDGED)) {
      values[name] = py.zip(epochs, values[name]).map(([t, value]) => ((t >= judged) ? value : NaN));
    }
    [exits_t, exits_value] = this._exits(epochs, values["farthest"]);
    return new Series({columns: Object.fromEntries(py.iter(COLUMNS).map((name) => [name, py.list(values[name])])), exits_t: exits_t, exits_value: exits_value, events: events, checkpoints: py.sorted(new Set(py.iter(epochs).filter((t) => taken[t] >= FIRST).map((t) => py.int(taken[t])))), recent: recent});
  }
  _carried(name, epochs, upto) {
    let column, first;
    if (!(py.truthy(this._measured(name, upto)))) {
      return py.iter(epochs).map((t) => 0.0);
    }
    [column, first] = [this._columns[name], this._first[name]];
    return py.iter(epochs).map((t) => column[py.max([t, first])]);
  }
  _exits(epochs, farthest) {
    let exits_t, exits_value, low, k, high, part;
    [exits_t, exits_value] = [[], []];
    low = py.truthy(epochs) ? py.max([FIRST, epochs[0] - 2, py.get(this._first, "farthest", HORIZON)]) : 0;
    for ([k, high] of py.enumerate(epochs)) {
      part = this._columns["farthest"].slice(low, high + 1);
      if (py.truthy(py.len(part))) {
        farthest[k] = py.max(part);
        if (farthest[k] > 1.0) {
          exits_t.push(low + part.indexOf(farthest[k]));
          exits_value.push(farthest[k]);
        }
      }
      low = py.max([low, high + 1]);
    }
    return [exits_t, exits_value];
  }
  _variance(epochs, upto) {
    let saga, sgld, nodes, before, t, node;
    [saga, sgld] = [this._columns["saga"], this._columns["sgld"]];
    nodes = [];
    before = (py.truthy(epochs) && (py.truthy(this._measured("saga", upto)))) ? (epochs[0] - 1) : HORIZON;
    for (t of py.iter(epochs)) {
      node = t;
      while ((node > before) && !Number.isFinite(saga[node] + sgld[node])) {
        node = node - 1;
      }
      if (node > before) {
        nodes.push(node);
      }
      before = py.max([before, t]);
    }
    return Object.fromEntries(py.iter(_VARIANCE).map((name) => [name, _interpolated(epochs, nodes, py.iter(nodes).map((t) => this._columns[name][t]))]));
  }
}

export function _interpolated(epochs, nodes, values) {
  let result, k, t, value;
  if (!py.truthy(nodes) || (!(py.all(py.iter(values).map((value) => Number.isFinite(value)))))) {
    return py.iter(epochs).map((t) => NaN);
  }
  [result, k] = [[], 0];
  for (t of py.iter(epochs)) {
    while (((k + 1) < py.len(nodes)) && (nodes[k + 1] <= t)) {
      k = k + 1;
    }
    value = (t >= nodes[0]) ? py.max([values[k], 1e-300]) : NaN;
    if ((t > nodes[k]) && ((k + 1) < py.len(nodes))) {
      value = value * ((py.max([values[k + 1], 1e-300]) / value) ** (Math.log(t / nodes[k]) / Math.log(nodes[k + 1] / nodes[k])));
    }
    result.push(value);
  }
  return result;
}

export function is_charted(t) {
  return (t < FIRST) || py.contains(_LOG_EPOCHS, t);
}
