// Translated from app/live/moment_link.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {shown} from "../../lab/numbers.js"
import {Change, place, way_to} from "./app_live_timeline.js"
import {LinkReader} from "./app_state_parameters_knob_values.js"

export const MAX_LOG_LENGTH = 6000;

export const MAX_WARNINGS = 4;

export const _REVIVE = "revive";

export const _END = "end";

export const _KNOBS = {"eta0": "eta0", "b": "batch_size", "imax": "i_max", "C": "acceptance_radius", "R": "escape_radius", "c": "offset", "vr": "variance_reduction", "reset": "reset", "random": "random_length", "refresh": "refresh"};

export class Moment {
  constructor({t = py.missing("Moment.t"), advanced = py.missing("Moment.advanced"), first = py.missing("Moment.first"), changes = py.missing("Moment.changes")} = {}) {
    Object.assign(this, {t, advanced, first, changes});
  }
  get way() {
    return way_to(this.t, this.advanced, this.changes);
  }
}

export function moment_query(moment, present, parameters) {
  let way, last, parts, change, knobs, fields, log;
  [way, last] = [moment.way, present.turned(moment.first)];
  parts = [py.str(py.len(way)), _difference(parameters, present, last)];
  for (change of py.iter(way)) {
    knobs = present.turned(change.knobs);
    fields = [_place(change.t, change.advanced), _difference(parameters, last, knobs), py.truthy(change.revive) ? _REVIVE : ""];
    parts.push((py.truthy(change.continues) ? "-" : "") + py.iter(py.iter(fields).filter((field) => py.truthy(field))).join("_"));
    last = knobs;
  }
  log = py.iter([...py.iter(parts), _END]).join("~");
  return (py.len(log) > MAX_LOG_LENGTH) ? ({}) : ({t: _place(moment.t, moment.advanced), log: log});
}

export function read_moment(query, present, parameters, horizon) {
  let link, text, at, warnings, first, changes, mistakes;
  link = new LinkReader(query);
  text = link.text("t");
  if (text == null) {
    return [null, []];
  }
  at = _read_place(text);
  if (at == null) {
    return [null, [`t = ${py.str(shown(text))} is not an epoch; the run begins at the start.`]];
  }
  warnings = [];
  if (at[0] > horizon) {
    warnings.push(`t = ${py.format(at[0], ",")} is beyond the last epoch of this run, ${py.format(horizon, ",")}; it is replayed to there.`);
    at = [horizon, null];
  }
  [first, changes, mistakes] = _read_log(link.text("log"), present, parameters);
  warnings.push(...py.iter(mistakes.slice(0, MAX_WARNINGS)));
  if (py.len(mistakes) > MAX_WARNINGS) {
    warnings.push(`The link’s history has ${py.format(py.len(mistakes) - MAX_WARNINGS, ",")} more errors of this kind.`);
  }
  return [py.truthy(at[0]) ? new Moment({...py.record(["t", "advanced", "first", "changes"], [...py.iter(at), first.knobs, changes])}) : null, warnings];
}

export function _read_log(log, present, parameters) {
  let number, parts, places, whole, warnings, knobs, first, changes, at, part, revive;
  if (!py.truthy(log)) {
    return [present, [], []];
  }
  [number, ...parts] = log.split("~");
  places = py.iter(parts.slice(1, -1)).map((part) => _read_place(py.partition(py.removeprefix(part, "-"), "_")[0]));
  whole = (py.eq(parts.slice(-1), [_END])) && (py.eq(number, py.str(py.len(places)))) && !py.contains(places, null);
  if (!py.truthy(whole) || (!py.eq(places, py.sorted(places, {key: (at) => place(...py.iter(at))})))) {
    return [present, [], ["The history in this link is truncated or invalid; the run has these knobs from the start."]];
  }
  warnings = [];
  knobs = first = _turned(parts[0].split("_"), present, "at the start", warnings, parameters)[0];
  changes = [];
  for ([at, part] of py.zip(places, parts.slice(1, -1))) {
    [knobs, revive] = _turned(part.split("_").slice(1), knobs, `at epoch ${py.format(at[0], ",")}`, warnings, parameters);
    changes.push(new Change({...py.record(["t", "advanced", "settings", "escape_radius", "revive", "continues"], [...py.iter(at), ...py.iter(knobs.knobs), revive, part.startsWith("-")])}));
  }
  return [first, py.tuple(changes), warnings];
}

export function _turned(fields, knobs, where, warnings, parameters) {
  let revive, field, key, _, value, name, link;
  revive = false;
  for (field of py.iter(fields)) {
    [key, _, value] = py.partition(field, ".");
    name = py.get(_KNOBS, key);
    if (!py.truthy(field)) {
      continue;
    }
    if (py.eq(field, _REVIVE)) {
      revive = true;
    } else if (name == null) {
      warnings.push(`The link’s history has ${py.str(shown(key))} ${py.str(where)}, which is no knob of this version; left it out.`);
    } else {
      link = new LinkReader(({[key]: value}));
      knobs = py.replace(knobs, {...({[name]: parameters[name].from_link(link, knobs[name])})});
      warnings.push(...py.iter(py.iter(link.words).map((mistake) => `In the link’s history, ${py.str(where)}: ${py.str(mistake)}`)));
    }
  }
  return [knobs, revive];
}

export function _difference(parameters, before, after) {
  return py.iter(py.items(_KNOBS).filter(([key, name]) => !py.eq(before[name], after[name])).map(([key, name]) => `${py.str(key)}.${py.str(parameters[name].write(after[name]))}`)).join("_");
}

export function _place(t, advanced) {
  return (advanced == null) ? py.str(t) : `${py.str(t)}.${py.str(advanced)}`;
}

export function _read_place(text) {
  let epoch, dot, steps, numbers;
  [epoch, dot, steps] = py.partition(text, ".");
  numbers = py.truthy(dot) ? [epoch, steps] : [epoch];
  if (!(py.all(py.iter(numbers).map((number) => (py.and(py.isascii(number), () => py.and(py.isdigit(number), () => (py.len(number) <= 9)))))))) {
    return null;
  }
  return [py.int(epoch), py.truthy(dot) ? py.int(steps) : null];
}

export function link_words(moment, way) {
  let changes;
  if (!py.truthy(way)) {
    return "these knobs from the start. The history of this run is too long for a link.";
  }
  changes = py.len(moment.way);
  return `epoch ${py.format(moment.t, ",")}` + (py.truthy(changes) ? ` with ${py.str(changes)} change${py.str((changes > 1) ? "s" : "")}` : "");
}
