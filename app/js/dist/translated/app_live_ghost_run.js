// Translated from app/live/ghost_run.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {Comparison} from "./app_live_snapshot.js"
import {knob_text} from "./app_state_parameters_knob_values.js"

export const _KNOBS = {"eta0": ["η₀", false], "batch_size": ["b", true], "i_max": ["iₘₐₓ", true], "acceptance_radius": ["C′", false], "escape_radius": ["R", false], "offset": ["c", false]};

export const _SWITCHES = {"variance_reduction": "variance reduction", "reset": "reset to checkpoint", "random_length": "random number of steps", "refresh": "refresh stale gradients", "forget": "forget old data"};

export class Ghost {
  constructor({config = py.missing("Ghost.config"), t = py.missing("Ghost.t"), series = py.missing("Ghost.series"), history = py.missing("Ghost.history"), outlines = py.missing("Ghost.outlines")} = {}) {
    Object.assign(this, {config, t, series, history, outlines});
  }
  static of(run) {
    let t;
    t = run.history.t;
    return new this({config: run.state.config, t: t, series: run.history.series(t, []), history: run.history.copy(), outlines: run.outlines.copy()});
  }
  outline(t, dim) {
    let outline;
    outline = (t <= this.t) ? this.outlines.at(t) : null;
    return ((outline != null) && (py.eq(py.len(outline[0]), dim))) ? outline : null;
  }
}

export function compare(ghost, run, label) {
  let now, t, words;
  now = py.truthy(run.state.done) ? run.state.t : (run.state.t - 1);
  t = py.min([now, ghost.t]);
  words = `at epoch ${py.format(t, ",")}` + ((ghost.t < now) ? ", where the ghost ends" : "");
  return new Comparison({knobs: _knobs(ghost.config, run.state.config, label), measured: measured_rows(ghost.history, run.history, t), words: words});
}

export function _knobs(kept, present, label) {
  let rows, name, symbol, whole, old, new_;
  rows = [];
  if (!py.eq(kept.problem, present.problem) || (kept.user_data !== present.user_data)) {
    rows.push(["target", label(kept), label(present)]);
  }
  rows.push(...py.iter(["stream", "algorithm", "chains", "seed"].filter((name) => !py.eq(kept[name], present[name])).map((name) => [name, py.str(kept[name]).replaceAll("_", " "), py.str(present[name]).replaceAll("_", " ")])));
  for ([name, [symbol, whole]] of py.items(_KNOBS)) {
    [old, new_] = [kept[name], present[name]];
    if (!py.eq(old, new_)) {
      rows.push([symbol, knob_text(old, whole), knob_text(new_, whole)]);
    }
  }
  rows.push(...py.iter(py.items(_SWITCHES).filter(([name, words]) => !py.eq(kept[name], present[name])).map(([name, words]) => [words, ...[kept, present].map((config) => (py.truthy(config[name]) ? "on" : "off"))])));
  return py.tuple(rows);
}

export function measured_rows(kept, present, t) {
  let rows, name, key, old, new_;
  rows = [];
  for ([name, key] of py.iter((t > 0) ? _MEASURED : [])) {
    [old, new_] = [kept.latest(key, t), present.latest(key, t)];
    if ((old != null) && (new_ != null)) {
      rows.push([name, _format(key, old), _format(key, new_)]);
    }
  }
  return py.tuple(rows);
}

export function _format(key, value) {
  if (key === "farthest") {
    return (value >= 10000.0) ? "> 10⁴" : `${py.format(value, ",.2f")}`;
  }
  if (key === "memory") {
    return `${py.format(value, ".0%")}`;
  }
  return (key === "cost") ? `${py.format(value, ",.0f")}` : `${py.format(value, ".3f")}`;
}

export const _MEASURED = [["accuracy", "accuracy"], ["memory", "memory"], ["farthest/r²", "farthest"], ["gradients", "cost"]];
