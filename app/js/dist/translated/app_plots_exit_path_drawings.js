// Translated from app/plots/exit_path_drawings.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {scientific} from "./app_number_words.js"
import {STEP} from "./app_plots_exit_probability_drawings.js"
import {Line, drawing} from "./app_plots_lines.js"

export const TOP = 1.22;

export function paths_drawing(crowd, squared = true, lift = null, picked = null, end = null) {
  let at, squares, exits, scaled, rows, chain, left, inside, x, y, words, symbol, ticks;
  [at, squares, exits] = [np.asarray(crowd.path_steps, py.float), np.asarray(crowd.paths, py.float), np.asarray(crowd.path_exits)];
  end = py.float(py.or(end, () => ((py.truthy(py.len(at))) ? np.at(at, -1) : 1.0)));
  scaled = py.truthy(squared) ? ((v) => v) : np.sqrt;
  rows = [];
  for (chain of py.iter(np.argsort(np.greater(exits, 0), {kind: "stable"}))) {
    [left, inside] = [py.int(np.at(exits, chain)), np.isfinite(np.at(squares, chain))];
    [x, y] = [np.at(at, inside), scaled(np.at(np.at(squares, chain), inside))];
    words = np.add(np.add(`chain ${py.str(chain)}\n`, py.truthy(left) ? `left at step ${py.format(left, ",")}` : "stays"), "\ntap to split it");
    [x, y] = py.truthy(left) ? [np.append(x, left), np.append(y, 1.0)] : [x, y];
    rows.push(new Line({name: `chain ${py.str(chain)}`, x: x, y: y, role: py.truthy(left) ? "exit" : "ours", width: py.truthy(left) ? 1.0 : 0.8, alpha: py.truthy(left) ? 0.7 : 0.3, tooltip: py.times([words], x.size), key: py.int(chain)}));
  }
  rows = np.add(rows, _marks(crowd, rows, at, squares, exits, lift, end, squared));
  rows = np.add(rows, _picked(picked, crowd.radius, exits, scaled));
  symbol = py.truthy(squared) ? "r²" : "r";
  words = py.truthy(squared) ? "squared distance ÷ r²" : "distance ÷ r";
  ticks = [[0.0, "0"], [0.25, "0.25"], [0.5, "0.5"], [0.75, "0.75"], [1.0, symbol]];
  return drawing(rows, STEP, words, ({xlim: [0.0, np.multiply(1.008, end)], ylim: [0.0, TOP], yticks: ticks}));
}

export function _marks(crowd, rows, at, squares, exits, lift, end, squared) {
  let symbol, gone, whole, count, made, x, start, y, words, leave;
  [symbol, gone] = [py.truthy(squared) ? "r²" : "r", np.flatnonzero(exits)];
  [whole, count] = [py.int(crowd.chains), py.len(rows)];
  made = [new Line({name: "escape line", x: [0.0, end], y: 1.0, role: "exit", bold: true, width: 1.1, silent: true, label: `escape line ${py.str(symbol)}\n○ first exit of a chain`, short: `escape ${py.str(symbol)}\n○ exits`})];
  if (lift != null) {
    x = np.linspace(0.0, end, 60);
    start = py.truthy(count) ? py.float(np.nanmean(np.at(squares, [np.slice(null, null, null), 0]))) : 0.0;
    y = py.truthy(squared) ? (np.add(start, np.multiply(lift, x))) : np.sqrt(np.add(start, np.multiply(lift, x)));
    words = py.truthy(squared) ? "noise alone lifts the\nmean by 2ηd per step" : "noise alone: root\nof the mean square";
    made.push(new Line({name: "noise alone", x: x, y: np.where(np.less_equal(y, TOP), y, np.nan), role: "truth", mark: "dash", label: words, short: py.truthy(squared) ? "2ηd per step" : "noise alone", width: 1.4, silent: true}));
  }
  if (py.truthy(count)) {
    leave = `${py.str(py.or(py.len(gone), () => "none"))} of these leave`;
    made.push(new Line({name: "chains", x: end, y: 0.2, role: "ours", mark: "spots", label: `${py.str(count)} of the ${py.format(whole, ",")} chains,\n${py.str(leave)}`, short: `${py.str(count)} of ${py.format(whole, ",")}`, size: 0.0, silent: true}));
  }
  made.push(...py.iter(py.iter(gone).map((k) => new Line({name: `chain ${py.str(k)}`, x: np.at(exits, k), y: 1.0, role: "exit", mark: "open", size: 9.0, tooltip: [`chain ${py.str(k)}\nleft at step ${py.format(np.at(exits, k), ",")}\ntap to split it`], key: py.int(k)}))));
  return made;
}

export function _picked(picked, radius, exits, scaled) {
  let at, y, made;
  if (picked == null) {
    return [];
  }
  at = thinned_steps(py.len(picked.parts.pull));
  y = scaled(np.divide(np.at(picked.parts.squared_distance, at), np.power(radius, 2)));
  if (py.truthy(picked.left)) {
    y = np.append(np.at(y, np.slice(null, -1, null)), 1.0);
  }
  made = [new Line({name: `chain ${py.str(picked.chain)}`, x: at, y: y, role: "truth", width: 2.0, key: py.int(picked.chain), tooltip: py.times([`chain ${py.str(picked.chain)}, split below`], py.len(y))})];
  if (py.truthy(picked.left) && (!((np.less(picked.chain, py.len(exits))) && (py.truthy(np.at(exits, picked.chain)))))) {
    made.push(new Line({name: `chain ${py.str(picked.chain)}`, x: picked.left, y: 1.0, role: "exit", mark: "open", size: 9.0, tooltip: [`chain ${py.str(picked.chain)}\nleft at step ${py.format(picked.left, ",")}`], key: py.int(picked.chain)}));
  }
  return made;
}

export const FEWEST = 30;

export function sums_drawing(parts, radius = 1.0, chain = null, left = 0) {
  let unit, at, x, start, end, looks, drawn, total, name, role, mark, width, running, single, tooltip, values, low, high, margin, who;
  [unit, at] = [np.power(radius, 2), thinned_steps(py.len(parts.pull))];
  [x, start] = [at.astype(py.float), py.float(np.divide(np.at(parts.squared_distance, 0), unit))];
  end = py.max([py.float(np.at(x, -1)), 1.0]);
  looks = ({pull: ["reference", "line", 1.8], drift: ["truth", "dash", 1.4], martingale: ["ours", "line", 0.9]});
  drawn = [new Line({name: "zero", x: [0.0, end], y: 0.0, role: "axis", width: 1.0, silent: true}), new Line({name: "escape line", x: [0.0, end], y: np.subtract(1.0, start), role: "exit", label: np.equal(start, 0) ? "r²" : "r² − ρ₀²", bold: true, width: 0.5, silent: true})];
  total = np.zeros(at.size);
  for ([name, [role, mark, width]] of py.items(looks)) {
    running = np.divide(np.at(parts.running(name), at), unit);
    single = np.divide(np.at(np.concatenate([[0.0], parts[name]]), at), unit);
    total = np.add(total, running);
    tooltip = py.zip(running, single).map(([v, one]) => `${py.format(v, "+.4f")}, this step ${py.format(one, "+.6f")}`.replaceAll("-", "−"));
    drawn.push(new Line({name: name, x: x, y: running, role: role, mark: mark, label: name, width: width, tooltip: tooltip, alpha: np.equal(name, "martingale") ? 0.75 : 1.0}));
  }
  drawn.push(new Line({name: "their sum", x: x, y: total, role: "ours", label: "their sum", bold: true, tooltip: py.iter(total).map((v) => `${py.format(v, "+.4f")} r²`.replaceAll("-", "−"))}));
  if (py.truthy(left)) {
    drawn.push(new Line({name: "leaves", x: np.at(x, np.slice(-1, null, null)), y: np.at(total, np.slice(-1, null, null)), role: "exit", mark: "open", size: 9.0, tooltip: [`chain ${py.format(chain, ",")}\nleaves at step ${py.format(left, ",")}`]}));
  }
  values = np.concatenate([...py.iter(np.at(drawn, np.slice(2, null, null))).map((line) => line.y), [np.subtract(1.0, start), 0.0]]);
  [low, high] = [py.float(np.nanmin(values)), py.float(np.nanmax(values))];
  margin = np.multiply(0.04, np.subtract(high, low));
  who = (chain == null) ? "" : (np.add(`: chain ${py.format(chain, ",")} `, py.truthy(left) ? `leaves at step ${py.format(left, ",")}` : "stays"));
  return drawing(drawn, `step i${py.str(who)}`, "sum ÷ r²", ({xlim: [0.0, np.multiply(1.008, end)], ylim: [np.subtract(low, margin), np.add(high, margin)]}), true);
}

export function thinned_steps(count, points = 400) {
  return np.unique(np.linspace(0, count, np.add(py.min([count, points]), 1)).round().astype(py.int));
}

export function pushes_drawing(measured, dim, radius, squared = true) {
  let x, mean, error, top, shown, line, law, words, tooltip, drawn;
  x = np.divide(np.asarray(measured.distance, py.float), radius);
  [mean, error] = py.truthy(squared) ? [measured.square, measured.square_error] : [measured.plain, measured.plain_error];
  top = py.truthy(squared) ? (np.multiply(2.0, dim)) : py.max([np.divide(np.multiply(2.0, np.subtract(dim, 1)), np.multiply(np.multiply(2, 0.12), radius)), np.divide(1.0, radius)]);
  shown = np.bitwise_and(np.bitwise_and(np.bitwise_and(np.greater_equal(measured.count, FEWEST), np.isfinite(error)), np.less_equal(mean, (np.multiply(1.02, top)))), np.less_equal(error, (np.multiply(0.2, top))));
  line = np.linspace(0.005, 1.0, 120);
  law = py.truthy(squared) ? np.full(line.size, py.float(dim)) : (np.divide(np.subtract(dim, 1), np.multiply(np.multiply(2, line), radius)));
  words = py.truthy(squared) ? "" : (np.equal(dim, 1) ? "0 away from the mode" : "(d − 1)/(2‖D‖)\nunbounded at the mode");
  tooltip = py.zip(np.at(x, shown), np.at(mean, shown), np.at(error, shown), np.at(measured.count, shown)).map(([d, m, e, n]) => `distance ÷ r ${py.format(d, ".2f")}\npush ÷ 2η ${py.format(m, ".3f")} ± ${py.format(np.multiply(2, e), ".3f")}\n${py.format(n, ",.0f")} steps`);
  drawn = [new Line({name: "the law", x: line, y: np.where(np.less_equal(law, top), law, np.nan), role: "truth", mark: "dash", label: words, where: "beside", width: 1.3}), new Line({name: "", x: 0.02, y: np.multiply(1.7, dim), role: "truth", label: py.truthy(squared) ? "dashed: d, at any distance" : "", where: "beside", silent: true}), new Line({name: "mean push", x: np.at(x, shown), y: np.at(mean, shown), role: "ours", mark: "spots", size: 5.2, bars: true, tooltip: tooltip, low: np.at(np.maximum(np.subtract(mean, np.multiply(2, error)), np.multiply(-0.06, top)), shown), high: np.at(np.minimum(np.add(mean, np.multiply(2, error)), top), shown)})];
  return drawing(drawn, "distance from the mode ÷ r", "mean push ÷ 2η", ({xlim: [0.0, 1.0], ylim: [np.multiply(-0.06, top), top]}));
}

export const SHARE = "exp(θD² + C) ÷ its level, log scale";

export function process_drawing(process) {
  let steps, end, drawn, chain, share, left, inside, x, y, tooltip, role, alpha, low;
  [steps, end] = [np.asarray(process.steps, py.float), py.float(np.at(process.steps, -1))];
  drawn = [];
  for ([chain, [share, left]] of py.enumerate(py.zip(process.shares, process.exits))) {
    inside = np.isfinite(share);
    [x, y] = [np.at(steps, inside), np.at(share, inside)];
    if (py.truthy(left)) {
      [x, y] = [np.append(x, left), np.append(y, 1.0)];
    }
    tooltip = py.times([np.add(`chain ${py.str(chain)}\n`, py.truthy(left) ? `left at step ${py.format(left, ",")}` : "stays")], x.size);
    [role, alpha] = py.truthy(left) ? ["exit", 0.7] : ["ours", 0.35];
    drawn.push(new Line({name: `chain ${py.str(chain)}`, x: x, y: y, role: role, width: 1.0, alpha: alpha, tooltip: tooltip}));
  }
  drawn.push(...py.iter([new Line({name: "level", x: [0.0, end], y: 1.0, role: "exit", label: "level: out at the latest here", short: "level", bold: true, width: 1.4, silent: true}), new Line({name: "start", x: [0.0, end], y: process.start, role: "truth", mark: "dash", width: 1.5, silent: true, bold: true, label: `start ${py.str(scientific(process.start))}:\nno mean is above it`, short: `start ${py.str(scientific(process.start))}`})]));
  low = (py.truthy(np.isfinite(process.shares).any())) ? py.float(np.nanmin(process.shares)) : 0.1;
  return drawing(drawn, STEP, SHARE, ({logy: true, xlim: [0.0, np.multiply(1.008, end)], ylim: [np.multiply(py.min([low, process.start]), 0.7), 2.0]}));
}
