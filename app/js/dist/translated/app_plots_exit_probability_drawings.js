// Translated from app/plots/exit_probability_drawings.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {share} from "./app_number_words.js"
import {plain_ticks} from "./app_plots_axis_ticks.js"
import {Line, drawing} from "./app_plots_lines.js"

export const STEP = "step i of the epoch";

export const STAY = "share still inside";

export const BOUNDS = {"printed": ["as printed", "printed", "dots", 1.4], "corrected": ["corrected Azuma", "Azuma", "dots", 1.4], "sharp": ["ours, convex", "convex", "dash", 1.4], "local": ["ours, curved", "curved", "dash", 2.0], "rotation": ["Altschuler–Talwar", "A–T", "dots", 1.4]};

export const ZOOMS = [0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999];

export function _zoomed(drawn) {
  let lowest, line, finite, low, end;
  lowest = 1.0;
  for (line of py.iter(drawn)) {
    finite = np.at(((line.low == null) ? line.y : line.low), np.isfinite(line.y));
    if (py.truthy(finite.size) && np.equal(line.role, "ours")) {
      lowest = py.min([lowest, py.float(np.at(finite, -1))]);
    }
  }
  for (line of py.iter(drawn)) {
    finite = np.at(line.y, np.isfinite(line.y));
    if (py.truthy(finite.size) && np.not_equal(line.role, "ours") && (py.truthy(line.bold) || np.equal(line.role, "reference") || np.equal(line.mark, "diamond"))) {
      lowest = (np.greater(np.at(finite, -1), (np.multiply(0.5, lowest)))) ? py.min([lowest, py.float(np.at(finite, -1))]) : lowest;
    }
  }
  low = py.max(py.iter(ZOOMS).filter((zoom) => np.less_equal(zoom, py.max([0.0, np.subtract(lowest, np.multiply(0.04, np.subtract(1, lowest)))]))));
  end = py.max(py.iter(drawn).filter((line) => py.truthy(line.x.size)).map((line) => py.float(np.at(line.x, -1))), {default: 1.0});
  return ({ylim: [low, np.add(1.0, np.multiply(0.03, np.subtract(1.0, low)))], xlim: [0.0, np.multiply(1.008, py.max([end, 1.0]))]});
}

export function survival_drawing(curve, name = "chains", role = "ours") {
  let stay, low, high, ours, tooltip, line;
  [stay, low, high] = [np.asarray(curve.share, py.float), py.get(curve, "low", null), py.get(curve, "high", null)];
  if (!py.truthy(stay.size)) {
    return drawing([], STEP, STAY, null, true, _zoomed);
  }
  ours = np.equal(role, "ours");
  tooltip = py.zip(stay, (low == null) ? stay : low, (high == null) ? stay : high).map(([v, a, b]) => (((low == null) || !py.truthy(ours)) ? share(v) : `${py.str(share(v))}, band ${py.format(a, ".4f")} to ${py.format(b, ".4f")}`));
  line = new Line({name: name, x: curve.steps, y: stay, role: role, label: `${py.str(name)} ${py.str(share(np.at(stay, -1)))}`, bold: ours, tooltip: tooltip, low: py.truthy(ours) ? low : null, high: py.truthy(ours) ? high : null});
  return drawing([line], STEP, STAY, null, true, _zoomed);
}

export function bounds_drawing(exits, at, which = [], measured = null, batch = null, curved = true) {
  let drawn, name, words, brief, mark, width, stays, best, last, note, remark, fails, value;
  drawn = [];
  for (name of py.iter(py.or(which, () => exits))) {
    if (!py.contains(exits, name)) {
      continue;
    }
    [words, brief, mark, width] = np.at(BOUNDS, name);
    if (np.equal(name, "sharp") && !py.truthy(curved)) {
      words = brief = "ours";
    }
    [stays, best] = [np.subtract(1.0, np.at(exits, name)), np.equal(name, (py.truthy(curved) ? "local" : "sharp"))];
    last = py.float(np.at(stays, -1));
    [note, remark] = np.less(last, 0.0005) ? ["\ntrue but vacuous", "\nvacuous"] : ["", ""];
    if (np.equal(name, "printed") && !py.truthy(note)) {
      fails = py.and(measured != null, () => lies_above(at, stays, measured));
      [note, remark] = py.truthy(fails) ? ["\nabove the truth: no bound", "\nabove the truth"] : [", unproved", ""];
    }
    value = np.less(last, 0.9995) ? share(last) : "0.999…";
    drawn.push(new Line({name: words, x: at, y: stays, role: "bound", mark: mark, label: `${py.str(words)} ${py.str(share(last))}${py.str(note)}`, short: `${py.str(brief)} ${py.str(value)}${py.str(remark)}`, bold: best, width: width, tooltip: py.iter(stays).map((v) => share(v))}));
  }
  if (batch != null) {
    stays = np.subtract(1.0, batch);
    drawn.push(new Line({name: "real batches", x: np.at(at, np.slice(-1, null, null)), y: np.array([stays]), role: "bound", mark: "diamond", label: `real batches ${py.str(share(stays))}`, short: "batches", tooltip: [`real batches\nby step ${py.format(np.at(at, -1), ",")}: ${py.str(share(stays))}`]}));
  }
  return drawing(drawn, STEP, STAY, null, true, _zoomed);
}

export function lies_above(steps, stays, measured) {
  let reached;
  reached = np.less_equal(steps, np.at(measured.steps, -1));
  return py.bool((np.greater(np.at(stays, reached), (np.add(np.interp(np.at(steps, reached), measured.steps, measured.high), 1e-12)))).any());
}

export const LENGTH = "iₘₐₓ, steps of the epoch";

export const DISTANCE = "total variation from π";

export function promise_drawing(result) {
  let n, drawn, floor, label, end;
  n = np.asarray(result.steps, py.float);
  drawn = [];
  if (py.truthy(n.size)) {
    drawn = [_line("Lemma 6.4 as printed", n, result.lemma, "bound", "dots", 1.4), _line("promised", n, result.promised, "bound", "dash", 2.0, true)];
  }
  if (py.truthy(n.size) && (result.measured != null)) {
    floor = np.full(n.size, result.floor);
    label = `exact draws ${py.str(_two(result.floor))}`;
    drawn.push(new Line({name: "exact draws", x: n, y: floor, role: "ceiling", mark: "dots", label: label, short: "exact", width: 1.4}));
    drawn.push(_line("chains", n, result.measured, "ours", "line", 1.8, true));
  }
  end = py.max([py.truthy(n.size) ? py.float(np.at(n, -1)) : 1.0, 1.0]);
  return drawing(drawn, LENGTH, DISTANCE, ({ylim: [0.0, 1.04], xlim: [0.0, np.multiply(1.008, end)]}), true);
}

export function _line(name, n, values, role, mark, width, bold = false) {
  let y, note;
  y = np.asarray(values, py.float);
  note = (np.equal(role, "bound") && (np.greater(np.at(y, -1), 0.9995))) ? "\nvacuous" : "";
  return new Line({name: name, x: n, y: y, role: role, mark: mark, label: `${py.str(name)} ${py.str(_two(np.at(y, -1)))}${py.str(note)}`, short: name, bold: bold, width: width, tooltip: py.iter(y).map((v) => _two(v))});
}

export function _two(value) {
  return np.greater_equal(value, 0.095) ? `${py.format(value, ".2f")}` : `${py.format(value, ".3f")}`;
}

export const EPOCH = "epoch t, log scale";

export const KEPT = "share of chains";

export function good_drawing(epochs, escape, reset_epochs, reset) {
  let t, end, drawn, x, y, at, value;
  [t, escape] = [np.asarray(epochs, py.float), np.asarray(escape, py.float)];
  end = py.max([py.truthy(t.size) ? py.float(np.at(t, -1)) : 2.0, 2.0]);
  drawn = [];
  if (py.truthy(t.size)) {
    [x, y] = _stairs(t, escape);
    drawn.push(new Line({name: "chains with Gₜ", x: x, y: y, role: "exit", label: `Gₜ ${py.str(share(np.at(escape, -1)))}`, bold: true, width: 1.4}));
  }
  if ((reset != null) && (py.truthy(py.len(reset)))) {
    [at, value] = [np.asarray(reset_epochs, py.float), np.asarray(reset, py.float)];
    [x, y] = _stairs(np.append(at, end), np.append(value, np.at(value, -1)));
    drawn.push(...py.iter([new Line({name: "chains with Hₜ", x: x, y: y, role: "kin", mark: "dash", label: `Hₜ ${py.str(share(np.at(value, -1)))}`, bold: true, width: 0.8}), new Line({name: "chains with Hₜ", x: at, y: value, role: "kin", mark: "diamond", size: 9.0})]));
  }
  return drawing(drawn, EPOCH, KEPT, ({logx: true, xlim: [0.97, np.multiply(1.03, end)], ylim: [0.0, 1.04], xticks: plain_ticks(1.0, end)}));
}

export function _stairs(x, y) {
  return [np.at(np.repeat(x, 2), np.slice(1, null, null)), np.at(np.repeat(y, 2), np.slice(null, -1, null))];
}
