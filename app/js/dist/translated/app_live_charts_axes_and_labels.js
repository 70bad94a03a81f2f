// Translated from app/live/charts/axes_and_labels.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {power_of_ten} from "./app_number_words.js"

export function power(exponent) {
  if (((-2) < exponent) && (exponent < 2)) {
    return `${py.format(10.0 ** exponent, "g")}`;
  }
  return power_of_ten(exponent);
}

export function decades(low, high, most = 5) {
  let first, last, stride, start;
  [first, last] = [Math.ceil(Math.log10(low) - 1e-09), Math.floor(Math.log10(high) + 1e-09)];
  stride = py.max([1, Math.ceil(((last - first) + 1) / most)]);
  start = first + (py.mod((-first), stride));
  return py.list(py.range(start, last + 1, stride));
}

export function epochs(low, high, most = 5) {
  let first, last, steps, ticks, stride;
  [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  for (steps of [[1], [1, 3], [1, 2, 5]]) {
    ticks = py.range(first, last + 1).flatMap((k) => py.iter(steps).filter((s) => (low <= (s * (10 ** k))) && ((s * (10 ** k)) <= high)).map((s) => (s * (10 ** k))));
    if (py.len(ticks) >= 3) {
      stride = py.max([1, Math.ceil(py.len(ticks) / most)]);
      return py.enumerate(ticks).filter(([k, tick]) => (py.mod(k, stride)) === 0).map(([k, tick]) => tick);
    }
  }
  for (stride of py.range(last + 1).flatMap((k) => [1, 2, 5].map((s) => (s * (10 ** k))))) {
    ticks = py.list(py.range(Math.ceil(low / stride) * stride, Math.floor(high) + 1, stride));
    if (py.len(ticks) <= most) {
      return ticks;
    }
  }
  return [];
}

export function fractions(low, high) {
  let stride;
  stride = ((high - low) <= 0.55) ? 1 : 2;
  return py.range(0, 11, stride).filter((k) => ((low - 1e-09) <= (k / 10)) && ((k / 10) <= (high + 1e-09))).map((k) => (k / 10));
}

export function spread(heights, gap, low, high) {
  let count, apart, order, groups, rank, k, mean, size, below, more, fitted, placed;
  count = py.len(heights);
  apart = py.min([gap, (high - low) / py.max([1, count - 1])]);
  order = py.sorted(py.range(count), {key: (k) => heights[k]});
  groups = [];
  for ([rank, k] of py.enumerate(order)) {
    [mean, size] = [heights[k] - (rank * apart), 1];
    while (py.truthy(groups) && (groups.at(-1)[0] > mean)) {
      [below, more] = groups.pop();
      [mean, size] = [((mean * size) + (below * more)) / (size + more), size + more];
    }
    groups.push([mean, size]);
  }
  fitted = py.iter(groups).flatMap(([mean, size]) => py.range(size).map((_) => py.min([py.max([mean, low]), high - ((count - 1) * apart)])));
  placed = py.iter(order).map((_) => 0.0);
  for ([rank, k] of py.enumerate(order)) {
    placed[k] = fitted[rank] + (rank * apart);
  }
  return placed;
}

export const TOPS = [1.6, 4.0, 8.0, 20.0, 40.0, 80.0, 200.0, 400.0, 800.0, 2000.0, 4000.0, 8000.0, 20000.0, 40000.0, 80000.0, 200000.0, 400000.0, 800000.0, 2000000.0, 4000000.0, 8000000.0, 20000000.0];

export const LEVEL = 0.25;

export class Axis {
  constructor({low = py.missing("Axis.low"), high = py.missing("Axis.high"), ticks = py.missing("Axis.ticks"), labels = py.missing("Axis.labels")} = {}) {
    Object.assign(this, {low, high, ticks, labels});
  }
}

export class EndLabel {
  constructor({value = py.missing("EndLabel.value"), text = py.missing("EndLabel.text"), color = py.missing("EndLabel.color"), bold = false, shift = 0.0} = {}) {
    Object.assign(this, {value, text, color, bold, shift});
  }
}

export class Words {
  constructor({x = py.missing("Words.x"), y = py.missing("Words.y"), text = py.missing("Words.text"), color = py.missing("Words.color"), style = "bold", size = "11.5px", align = "left", dx = 7, dy = 0} = {}) {
    Object.assign(this, {x, y, text, color, style, size, align, dx, dy});
  }
}

export function _finite(data, names) {
  return py.iter(names).flatMap((name) => py.iter(data[name]).filter((value) => Number.isFinite(value)));
}

export function _log_axis(low, high) {
  let exponents;
  high = py.max([high, 100 * low]);
  exponents = decades(low, high);
  return new Axis({low: low, high: high, ticks: py.iter(exponents).map((k) => (10.0 ** k)), labels: py.iter(exponents).map((k) => power(k))});
}

export function accuracy_axis(data) {
  let lowest, low, ticks;
  lowest = py.min([1.0, ...py.iter(_finite(data, ["accuracy", "ceiling_low", "predicted"]))]);
  low = py.max([0.0, py.min([0.75, Math.floor((lowest - 0.03) * 20) / 20])]);
  ticks = fractions(low, 1.0);
  return new Axis({low: low, high: 1.0, ticks: ticks, labels: py.iter(ticks).map((tick) => `${py.format(tick, ".1f")}`)});
}

export function distance_axis(data) {
  let worst, top, stride, ticks;
  worst = py.max([0.0, ...py.iter(_finite(data, ["q95"]))]);
  top = py.next(py.iter(TOPS).filter((top) => worst <= (0.8 * top)), TOPS.at(-1));
  stride = (top > TOPS[0]) ? (top / 4) : 0.5;
  ticks = py.range(py.int(top / stride) + 1).filter((k) => (k * stride) !== 1).map((k) => (k * stride));
  return new Axis({low: 0.0, high: top, ticks: ticks, labels: py.iter(ticks).map((tick) => `${py.format(tick, ",.3g")}`)});
}

export function variance_axis(data) {
  let drawn;
  drawn = py.iter(_finite(data, ["saga", "sgld", "bound"])).filter((value) => value > 0);
  return py.truthy(drawn) ? _log_axis(py.min(drawn) / 2, py.max(drawn) * 2) : _log_axis(0.1, 100000.0);
}

export function cost_axis(data) {
  let both;
  both = py.iter(_finite(data, ["cost", "full"])).map((value) => py.max([value, 1.0]));
  return py.truthy(both) ? _log_axis(py.min(both) / 2, py.max(both) * 1.6) : _log_axis(50.0, 100000.0);
}

export function accuracy_measured(data) {
  let accuracy;
  accuracy = data["accuracy"];
  return ((py.truthy(py.len(accuracy))) && (Number.isFinite(accuracy.at(-1)))) ? `${py.format(accuracy.at(-1), ".3f")}` : "";
}

export function accuracy_labels(data) {
  let measured, ceiling;
  measured = accuracy_measured(data);
  if (!py.truthy(measured)) {
    return [];
  }
  ceiling = (data["ceiling_low"].at(-1) + data["ceiling_high"].at(-1)) / 2;
  return [new EndLabel({value: ceiling, text: `ceiling ${py.format(ceiling, ".3f")}`, color: "ink2", shift: 6}), new EndLabel({value: data["accuracy"].at(-1), text: `measured ${py.str(measured)}`, color: "chain", bold: true}), new EndLabel({value: data["predicted"].at(-1), text: `η₀ predicts ${py.format(data["predicted"].at(-1), ".3f")}`, color: "ink", shift: -6})];
}

export function distance_labels(data, chains) {
  return [new EndLabel({value: 1.0, text: "escape line r²", color: "esctx", bold: true}), new EndLabel({value: 1.0, text: "○ exits", color: "esctx", shift: 18}), new EndLabel({value: data["farthest"].at(-1), text: `farthest of ${py.str(chains)}`, color: "chain"}), new EndLabel({value: data["q95"].at(-1), text: "95 % of chains", color: "chain"}), new EndLabel({value: data["median"].at(-1), text: "median", color: "chain", bold: true})];
}

export function variance_labels(data, reduced, plain) {
  let without, with_cache, labels;
  [without, with_cache] = py.truthy(plain) ? ["grows as t²", "grows as t"] : ["grows as t", _trend(data["t"], data["saga"])];
  labels = [new EndLabel({value: data["sgld"].at(-1), text: `SGLD ${py.str(without)}`, color: "sgldtx", bold: !py.truthy(reduced)}), new EndLabel({value: data["bound"].at(-1), text: "bound, Lemma 6.2", color: "bound"}), new EndLabel({value: data["saga"].at(-1), text: py.truthy(reduced) ? `SAGA ${py.str(with_cache)}` : "SAGA, if on", color: "chain", bold: reduced})];
  return py.iter(labels).filter((label) => Number.isFinite(label.value));
}

export function cost_labels(data) {
  return [new EndLabel({value: data["full"].at(-1), text: `full gradient ${py.format(data["full"].at(-1), ",.0f")}`, color: "ink2"}), new EndLabel({value: data["cost"].at(-1), text: `this sampler ${py.format(data["cost"].at(-1), ",.0f")}`, color: "chain", bold: true})];
}

export function _trend(t, values) {
  let fitted, mean, level, rise;
  fitted = py.zip(t, values).filter(([at, value]) => (at >= (t.at(-1) / 4)) && Number.isFinite(value) && (value > 0)).map(([at, value]) => [Math.log(at), Math.log(value)]);
  if (py.len(fitted) < 3) {
    return "";
  }
  [mean, level] = [py.sum(py.iter(fitted).map(([x, y]) => x)) / py.len(fitted), py.sum(py.iter(fitted).map(([x, y]) => y)) / py.len(fitted)];
  rise = py.sum(py.iter(fitted).map(([x, y]) => ((x - mean) * (y - level))));
  return (rise < (LEVEL * py.sum(py.iter(fitted).map(([x, y]) => ((x - mean) ** 2))))) ? "stays level" : "still rises";
}

export const OFF = " off";

export const CHARACTER = 6.2;

export const BEYOND = 10;

export const NEAR = 24;

export function choose_texts(events, start, end, width) {
  let scale, chosen, taken, event, last, middle, half, x, edge;
  scale = width / Math.log(end / start);
  chosen = [];
  taken = [];
  for (event of py.reversed(_together(events, start, NEAR / scale, py.int((width + BEYOND) / CHARACTER)))) {
    last = py.min([py.or(event.t_end, () => event.t), end]);
    if ((last < start) || (event.t > end)) {
      continue;
    }
    middle = ((Math.log(py.max([event.t, start]) / start) + Math.log(last / start)) / 2) * scale;
    half = (py.len(event.text) * CHARACTER) / 2;
    x = py.min([py.max([middle, half]), (width + BEYOND) - half]);
    edge = py.min(py.iter(taken).filter(([low, high]) => (((x + half) + 8) > low) && (((x - half) - 8) < high)).map(([low, high]) => low), {default: Infinity});
    x = py.min([x, (edge - 8) - half]);
    if ((x >= half) && ((middle - x) <= half) && (py.all(py.iter(taken).map(([low, high]) => (((x + half) < low) || ((x - half) > high)))))) {
      taken.push([x - half, x + half]);
      chosen.push([x, event.text, event.kind]);
    }
  }
  return chosen;
}

export function _together(events, start, near, longest) {
  let joined, names, event, name, last, text;
  joined = [];
  names = [];
  for (event of py.sorted(events, {key: (event) => event.t})) {
    name = (py.truthy(_off(event))) ? event.text.slice(0, -py.len(OFF)) : event.text;
    last = (py.truthy(joined) && (py.truthy(_off(joined.at(-1)))) && (py.truthy(_off(event)))) ? joined.at(-1) : null;
    if ((last != null) && (Math.log(py.max([event.t, start]) / py.max([last.t, start])) < near)) {
      names.push(name);
      text = py.iter(names).join(", ") + OFF;
      text = (py.len(text) <= longest) ? text : `${py.str(py.len(names))} switches${py.str(OFF)}`;
      joined[joined.length -1] = py.replace(last, {text: text, t_end: py.and(last.t_end, () => event.t_end)});
    } else {
      joined.push(event);
      names = [name];
    }
  }
  return joined;
}

export function _off(event) {
  return (event.kind === "switch") && event.text.endsWith(OFF);
}
