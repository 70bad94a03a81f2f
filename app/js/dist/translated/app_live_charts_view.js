// Translated from app/live/charts/view.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {Axis, EndLabel, Words, accuracy_axis, accuracy_labels, accuracy_measured, choose_texts, cost_axis, cost_labels, distance_axis, distance_labels, epochs, spread, variance_axis, variance_labels} from "./app_live_charts_axes_and_labels.js"
import {FIRST as FIRST_EPOCH} from "./app_live_history.js"
import {COLUMNS} from "./app_live_snapshot.js"
import {PLAIN} from "./sampler_algorithms_algorithm_names.js"

export const NATURAL_HEIGHT = 754;

export const MARGINS = [54, 126];

export const COMPACT_MARGINS = [40, 116];

export const TITLE = 24;

export const LABEL_GAP = 15;

export const GAP = 14;

export const AXIS = 54;

export const COMPACT_HEIGHT = 108;

export const AXIS_LABEL = "epoch t, log scale   (◇ a new checkpoint)";

export const SHORT_AXIS_LABEL = "epoch t (log), ◇ checkpoint";

export const WORDS = ["x", "y", "text", "color", "style", "size", "align", "dx", "dy"];

export const TEXT_COLORS = {"switch": "sgldtx", "knob": "hot", "chains": "acctx"};

export const ONE_APART = 12;

export const MARKS_APART = 7;

export class Panel {
  constructor({name = py.missing("Panel.name"), compared = py.missing("Panel.compared"), height = py.missing("Panel.height"), above = TITLE, headroom = 0, log = false, frame_height = 0, has_epochs = false, axis = new Axis({low: 0.0, high: 1.0, ticks: [], labels: []})} = {}) {
    Object.assign(this, {name, compared, height, above, headroom, log, frame_height, has_epochs, axis});
  }
  get low() {
    return this.axis.low;
  }
  get top() {
    let low, high, above;
    [low, high, above] = [this.axis.low, this.axis.high, this.headroom / this.frame_height];
    return py.truthy(this.log) ? (high * ((high / low) ** above)) : (high + ((high - low) * above));
  }
  pixel(value) {
    let low, top;
    [low, top] = [this.low, this.top];
    if (py.truthy(this.log)) {
      [value, low, top] = [Math.log(py.max([value, 1e-300])), Math.log(low), Math.log(top)];
    }
    return py.min([py.max([(value - low) / (top - low), 0.0]), 1.0]) * (this.frame_height + this.headroom);
  }
  value_at(pixel) {
    let low, top, share;
    [low, top, share] = [this.low, this.top, pixel / (this.frame_height + this.headroom)];
    return py.truthy(this.log) ? (low * ((top / low) ** share)) : (low + ((top - low) * share));
  }
  words_of(labels, x) {
    let heights;
    heights = spread(py.iter(labels).map((label) => (this.pixel(label.value) + label.shift)), LABEL_GAP, 2.0, (this.frame_height + this.headroom) - 2.0);
    return py.zip(labels, heights).map(([label, height]) => new Words({x: x, y: this.value_at(height), text: label.text, color: label.color, style: py.truthy(label.bold) ? "bold" : "normal"}));
  }
  layout(margins, compact) {
    let below;
    below = py.truthy(this.has_epochs) ? AXIS : GAP;
    return ({[this.name]: ({height: ((this.frame_height + this.headroom) + this.above) + below, min_border_left: margins[0], min_border_right: margins[1], min_border_top: this.above, min_border_bottom: below}), [`${py.str(this.name)} x_axis`]: ({visible: this.has_epochs, axis_label: py.truthy(compact) ? SHORT_AXIS_LABEL : AXIS_LABEL}), [`${py.str(this.name)} diamonds`]: ({visible: this.has_epochs})});
  }
}

export class ChartView {
  constructor() {
    [this.window, this.span, this.compact] = ["all", [FIRST_EPOCH, 2 * FIRST_EPOCH], false];
    [this.margins, this.width] = [MARGINS, 396.0];
    this.series = null;
    this.ghost = empty();
    this.accuracy_shown = "";
    this.panels = [new Panel({name: "accuracy", compared: "accuracy", height: 150, above: 16, headroom: 24}), new Panel({name: "distance", compared: "q95", height: 146}), new Panel({name: "variance", compared: "saga", height: 150, log: true, axis: variance_axis(this.ghost)}), new Panel({name: "cost", compared: "cost", height: 100, log: true, axis: cost_axis(this.ghost)})];
    this.algorithm = PLAIN;
    [this._now, this._chains, this._reduced] = [0, 64, true];
    this._held = false;
    this._texts = [];
    this.resize(578, NATURAL_HEIGHT, false);
  }
  update(series, now, chains, reduced, algorithm = PLAIN, held = false) {
    [this.series, this._now, this._chains, this._reduced] = [series, now, chains, reduced];
    [this.algorithm, this._held] = [algorithm, held];
  }
  release() {
    let held;
    [held, this._held] = [this._held, false];
    return held;
  }
  set_window(window, span = null) {
    if (!py.contains(["all", "recent", "span"], window)) {
      throw new py.PythonError("ValueError", `window must be 'all', 'recent' or 'span'; got '${py.str(window)}'. Choose one of these.`);
    }
    [this.window, this.span] = [window, py.or(span, () => this.span)];
  }
  resize(width, height, compact) {
    let frames, scale, panel;
    [this.compact, this.margins] = [compact, py.truthy(compact) ? COMPACT_MARGINS : MARGINS];
    this.width = py.max([60.0, width - py.sum(this.margins)]);
    frames = py.sum(py.iter(this.panels).map((panel) => panel.height));
    scale = py.min([py.max([((height - NATURAL_HEIGHT) + frames) / frames, 0.62]), 2.0]);
    for (panel of py.iter(this.panels)) {
      panel.frame_height = py.truthy(this.compact) ? COMPACT_HEIGHT : py.round(panel.height * scale);
      panel.has_epochs = py.or(this.compact, () => (panel.name === "cost"));
    }
  }
  properties() {
    let layout, panel, shown, data, start, end, result, words, axis;
    layout = ({ghost: ({data: this.ghost})});
    for (panel of py.iter(this.panels)) {
      layout = ({...layout, ...panel.layout(this.margins, this.compact)});
    }
    if (this.series == null) {
      return layout;
    }
    shown = this._chosen(this.series);
    data = shown.columns;
    [start, end] = this._epochs(shown === this.series, data);
    this._set_axes(data, start, end);
    result = ({...layout, series: ({data: data}), ...this._marks(this.series, start, end)});
    for ([panel, words] of py.zip(this.panels, this._words(data, start, end))) {
      axis = panel.axis;
      result = ({...result, [`${py.str(panel.name)} y_range`]: ({start: panel.low, end: panel.top}), [`${py.str(panel.name)} ticker`]: ({ticks: axis.ticks}), [`${py.str(panel.name)} y_axis`]: ({major_label_overrides: py.dict(py.zip(axis.ticks, axis.labels))}), [`${py.str(panel.name)} texts`]: ({data: Object.fromEntries(py.iter(WORDS).map((name) => [name, py.iter(words).map((one) => one[name])]))})});
    }
    return result;
  }
  _chosen(series) {
    let recent, fine;
    recent = series.recent;
    if ((recent == null) || (py.len(recent.columns["t"]) === 0) || (this.window === "all")) {
      return series;
    }
    fine = (this.window === "recent") || (recent.columns["t"][0] <= py.max([this.span[0], FIRST_EPOCH + 3]));
    return py.truthy(fine) ? recent : series;
  }
  _epochs(whole, data) {
    let start;
    if ((this.window === "span") && (this._now > this.span[0])) {
      return [py.float(this.span[0]), py.max([py.float(this.span[1]), 1.02 * this._now])];
    }
    if (py.truthy(whole)) {
      return [py.float(FIRST_EPOCH), py.max([1.5 * FIRST_EPOCH, 1.02 * this._now])];
    }
    start = py.float(data["t"][0]);
    return [start, py.max([start + 8, start * ((this._now / start) ** 1.02)])];
  }
  _marks(series, start, end) {
    let ticks, columns, exits_t, exits_value, highest, bands;
    ticks = py.iter(epochs(start, end)).filter((tick) => tick < (start * ((end / start) ** 0.94)));
    columns = this.width / MARKS_APART;
    [exits_t, exits_value] = _thin(series, start, end, columns);
    highest = 0.975 * this.panels[1].axis.high;
    bands = [...py.iter(series.events).map((event) => [event.t, py.or(event.t_end, () => event.t)]), ...py.iter(series.events).filter((event) => event.t_end != null).map((event) => [event.t_end, event.t_end])];
    return ({x_range: ({start: start, end: end}), x_ticker: ({ticks: ticks}), checkpoints: ({data: ({t: _firsts(series.checkpoints, start, end, columns)})}), exits: ({data: ({t: exits_t, value: py.iter(exits_value).map((value) => py.min([value, highest]))})}), events: ({data: ({t: py.iter(bands).map(([t, t_end]) => t), t_end: py.iter(bands).map(([t, t_end]) => t_end)})})});
  }
  _set_axes(data, start, end) {
    let kept, axes, panel, axis;
    if (py.truthy(py.len(data["t"]))) {
      kept = py.enumerate(this.ghost["t"]).filter(([k, t]) => (start <= t) && (t <= end)).map(([k, t]) => k);
      data = ({...data, ...Object.fromEntries(py.iter(this.panels).map((panel) => panel.compared).map((name) => [name, [...py.iter(data[name]), ...py.iter(kept).map((k) => this.ghost[name][k])]]))});
    }
    axes = [accuracy_axis(data), distance_axis(data), variance_axis(data), cost_axis(data)];
    for ([panel, axis] of py.zip(this.panels, axes)) {
      panel.axis = axis;
    }
  }
  _words(data, start, end) {
    let some, accuracy, distance, variance, cost, labels, words, panel, ends, named;
    some = py.len(data["t"]) > 0;
    if (!(py.truthy(this._held) && py.truthy(some))) {
      this.accuracy_shown = accuracy_measured(data);
    }
    [accuracy, distance, variance, cost] = this.panels;
    [labels, words] = [[[], [], [], []], []];
    if (py.truthy(some)) {
      labels = [accuracy_labels(data), distance_labels(data, this._chains), variance_labels(data, this._reduced, py.eq(this.algorithm, PLAIN)), cost_labels(data)];
    }
    for ([panel, ends] of py.zip(this.panels, labels)) {
      named = panel.words_of([...py.iter(ends), ...py.iter(py.truthy(some) ? this._ghost_label(panel, end) : [])], end);
      if (panel === accuracy) {
        named = (py.truthy(this._held) && py.truthy(some)) ? this._hold(named) : named;
        this._texts = py.iter(named).map((one) => one.text);
      }
      if ((panel === distance) && (panel.pixel(1.0) > ONE_APART)) {
        named = [...py.iter(named), new Words({x: start, y: 1.0, text: "1", color: "esctx", size: "11px", align: "right", dx: -8})];
      }
      if (py.truthy(panel.has_epochs) && (this._now >= start)) {
        named = [...py.iter(named), new Words({x: end, y: panel.low, text: `now ${py.format(this._now, ",")}`, color: "ink", size: "11px", dy: 12})];
      }
      words.push((panel === accuracy) ? [...py.iter(named), ...py.iter(this._event_words(start, end))] : named);
    }
    return words;
  }
  _hold(words) {
    if (!py.eq(py.len(words), py.len(this._texts))) {
      return words;
    }
    return py.zip(words, this._texts).map(([one, text]) => new Words({x: one.x, y: one.y, text: text, color: one.color, style: one.style}));
  }
  _ghost_label(panel, end) {
    let t, values, last;
    [t, values] = [this.ghost["t"], this.ghost[panel.compared]];
    last = py.sum(py.iter(t).filter((at) => at <= end).map((at) => 1)) - 1;
    if ((last < 0) || (t.at(-1) < this._now) || !Number.isFinite(values[last])) {
      return [];
    }
    return [new EndLabel({value: values[last], text: "ghost", color: "ink2"})];
  }
  _event_words(start, end) {
    let texts;
    texts = choose_texts(this.series.events, start, end, this.width);
    return py.iter(texts).map(([x, text, kind]) => new Words({x: start * ((end / start) ** (x / this.width)), y: this.panels[0].top, text: text, color: py.get(TEXT_COLORS, kind, "ink"), align: "center", dx: 0, dy: -9}));
  }
}

export function _thin(series, start, end, columns) {
  let at, value, last, t, height, column;
  [at, value, last] = [[], [], -1];
  for ([t, height] of py.zip(series.exits_t, series.exits_value)) {
    if (!((start <= t) && (t <= end))) {
      continue;
    }
    column = _column(t, start, end, columns);
    if (!py.eq(column, last)) {
      at.push(t);
      value.push(height);
    } else if (height > value.at(-1)) {
      [at[at.length -1], value[value.length -1]] = [t, height];
    }
    last = column;
  }
  return [at, value];
}

export function _firsts(epochs, start, end, columns) {
  let shown, last, t, column;
  [shown, last] = [[], -1];
  for (t of py.iter(epochs)) {
    column = ((start <= t) && (t <= end)) ? _column(t, start, end, columns) : last;
    if (!py.eq(column, last)) {
      shown.push(t);
    }
    last = column;
  }
  return shown;
}

export function _column(t, start, end, columns) {
  return py.int((Math.log(t / start) / Math.log(end / start)) * columns);
}

export function empty() {
  return Object.fromEntries(py.iter(COLUMNS).map((name) => [name, py.list()]));
}
