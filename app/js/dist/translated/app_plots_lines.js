// Translated from app/plots/lines.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {ROLES} from "./app_plots_style.js"

export const MARKS = {"line": ["solid", "circle", 4.5, "role", 1.0], "dash": ["6 4", "circle", 4.5, "role", 1.0], "dots": ["2 3", "circle", 4.5, "role", 1.0], "dashdot": ["7 3 2 3", "circle", 4.5, "role", 1.0], "spots": [null, "circle", 6.0, "role", 1.0], "bubbles": [null, "circle", 7.0, "role", 0.28], "open": [null, "circle", 8.0, "card", 1.0], "ring": [null, "circle", 10.0, "card", 0.0], "diamond": [null, "diamond", 12.0, "card", 1.0], "cross": [null, "x", 6.0, "card", 0.0]};

export const WHERE = ["end", "beside", "on"];

export class Line {
  constructor({name = py.missing("Line.name"), x = py.missing("Line.x"), y = py.missing("Line.y"), role = "reference", mark = "line", label = "", short = "", bold = false, where = "end", width = 1.8, alpha = 1.0, dots = false, size = null, low = null, high = null, bars = false, tooltip = null, key = null, silent = false} = {}) {
    Object.assign(this, {name, x, y, role, mark, label, short, bold, where, width, alpha, dots, size, low, high, bars, tooltip, key, silent});
  }
}

export class Drawing {
  constructor({drawn = py.missing("Drawing.drawn"), x = py.missing("Drawing.x"), y = py.missing("Drawing.y"), compared = py.missing("Drawing.compared"), options = py.missing("Drawing.options"), limits = py.missing("Drawing.limits")} = {}) {
    Object.assign(this, {drawn, x, y, compared, options, limits});
  }
}

export function drawing(drawn, x, y, options = null, compared = false, limits = null) {
  let made;
  made = py.iter(drawn).map((line) => checked(line));
  return new Drawing({drawn: made, x: x, y: y, compared: compared, options: np.bitwise_or((limits != null) ? limits(made) : ({}), py.or(options, () => ({}))), limits: limits});
}

export function joined(first, second) {
  return drawing([...py.iter(first.drawn), ...py.iter(second.drawn)], first.x, first.y, null, first.compared, first.limits);
}

export function checked(line) {
  let name, chosen, allowed, arrays, points, shapes;
  for ([name, chosen, allowed] of [["role", line.role, ROLES], ["mark", line.mark, MARKS], ["where", line.where, WHERE]]) {
    if (!py.contains(allowed, chosen)) {
      throw new py.PythonError("ValueError", `${py.str(name)} of the line ${py.str(py.shown(line.name))} must be one of ${py.str(py.iter(allowed).join(", "))}; got ${py.str(py.shown(chosen))}`);
    }
  }
  arrays = Object.fromEntries(["x", "y", "low", "high"].filter((key) => line[key] != null).map((key) => [key, np.asarray(line[key], py.float)]));
  points = py.max(py.values(arrays).filter((value) => py.truthy(value.ndim)).map((value) => value.size), {default: 1});
  arrays = Object.fromEntries(py.items(arrays).map(([key, value]) => [key, py.truthy(value.ndim) ? value : np.full(points, value)]));
  if ((np.greater(py.len(new Set(py.values(arrays).map((value) => value.size))), 1)) || (py.any(py.values(arrays).map((value) => (np.not_equal(value.ndim, 1)))))) {
    shapes = py.iter(py.items(arrays).map(([key, value]) => `${py.str(key)} ${py.str(value.shape)}`)).join(", ");
    throw new py.PythonError("ValueError", `x, y, low and high of the line ${py.str(py.shown(line.name))} must be arrays of one length; got shapes ${py.str(shapes)}`);
  }
  if (np.not_equal((line.low == null), (line.high == null))) {
    throw new py.PythonError("ValueError", `the line ${py.str(py.shown(line.name))} must have both low and high, or neither`);
  }
  if ((line.tooltip != null) && (np.not_equal(py.len(line.tooltip), np.at(arrays, "x").size))) {
    throw new py.PythonError("ValueError", `tooltip of the line ${py.str(py.shown(line.name))} must have one text per point, ${py.str(np.at(arrays, "x").size)}; got ${py.str(py.len(line.tooltip))}`);
  }
  return py.replace(line, {...arrays});
}

export function columns_of(drawn) {
  let dotted, plain, spread, bars;
  dotted = py.iter(drawn).filter((line) => py.truthy(line.dots) || (np.at(np.at(MARKS, line.mark), 0) == null));
  plain = py.iter(drawn).filter((line) => !(py.truthy(line.dots) || (np.at(np.at(MARKS, line.mark), 0) == null)));
  spread = py.iter(drawn).filter((line) => line.low != null);
  bars = py.iter(spread).filter((line) => py.truthy(line.bars));
  return ({patches_1: _bands(py.iter(spread).filter((line) => !py.truthy(line.bars))), multi_line_1: _curves(plain), multi_line_2: _curves(dotted), segment_1: ({x: _joined(py.iter(bars).map((line) => line.x)), low: _joined(py.iter(bars).map((line) => line.low)), high: _joined(py.iter(bars).map((line) => line.high)), role: py.iter(bars).flatMap((line) => py.iter(line.x).map((_) => line.role))}), scatter_1: _dots(dotted)});
}

export function _joined(parts) {
  return np.concatenate([np.empty(0), ...py.iter(parts)]);
}

export function _bands(spread) {
  let pairs;
  pairs = py.iter(spread).map((line) => [line, np.bitwise_and(np.isfinite(line.low), np.isfinite(line.high))]);
  return ({xs: py.iter(pairs).map(([line, k]) => np.concatenate([np.at(line.x, k), np.at(np.at(line.x, k), np.slice(null, null, -1))])), ys: py.iter(pairs).map(([line, k]) => np.concatenate([np.at(line.low, k), np.at(np.at(line.high, k), np.slice(null, null, -1))])), role: py.iter(spread).map((line) => line.role)});
}

export function _curves(drawn) {
  let dashes;
  dashes = py.iter(drawn).map((line) => np.at(np.at(MARKS, line.mark), 0));
  return ({xs: py.iter(drawn).map((line) => line.x), ys: py.iter(drawn).map((line) => line.y), dash: py.iter(dashes).map((dash) => (py.or(dash, () => "solid"))), alpha: py.zip(drawn, dashes).map(([line, dash]) => (py.truthy(dash) ? line.alpha : 0.0)), width: py.iter(drawn).map((line) => (np.add(line.width, np.multiply(0.9, line.bold)))), tooltip: py.iter(drawn).map((line) => ((line.tooltip == null) ? "" : py.list(line.tooltip))), ...Object.fromEntries(["name", "role", "label", "short", "bold", "where", "key", "silent"].map((key) => [key, py.iter(drawn).map((line) => line[key])]))});
}

export function _dots(dotted) {
  let marks, repeated;
  marks = py.iter(dotted).map((line) => np.at(MARKS, line.mark));
  repeated = (values) => {
    return py.zip(values, dotted).flatMap(([value, line]) => py.iter(line.x).map((_) => value));
  };
  return ({x: _joined(py.iter(dotted).map((line) => line.x)), y: _joined(py.iter(dotted).map((line) => line.y)), marker: repeated(py.iter(marks).map((mark) => np.at(mark, 1))), size: _joined(py.zip(dotted, marks).map(([line, mark]) => np.broadcast_to(np.asarray((line.size == null) ? np.at(mark, 2) : line.size, py.float), line.x.shape))), fill: repeated(py.zip(dotted, marks).map(([line, mark]) => ((np.equal(np.at(mark, 3), "card")) ? "card" : line.role))), solid: repeated(py.zip(dotted, marks).map(([line, mark]) => (np.multiply(line.alpha, np.at(mark, 4))))), edge: repeated(py.iter(dotted).map((line) => line.alpha)), tooltip: py.iter(dotted).flatMap((line) => py.iter((line.tooltip != null) ? line.tooltip : (py.times([""], line.x.size)))), ...Object.fromEntries(["role", "name", "key", "silent"].map((key) => [key, repeated(py.iter(dotted).map((line) => line[key]))]))});
}
