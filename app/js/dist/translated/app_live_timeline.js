// Translated from app/live/timeline.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const _SYMBOLS = {"eta0": "η₀", "batch_size": "b", "i_max": "iₘₐₓ", "acceptance_radius": "C′", "escape_radius": "R", "offset": "c"};

export const _SWITCHES = {"variance_reduction": "variance reduction", "reset": "reset", "random_length": "random length", "refresh": "refresh"};

export const HORIZON = 65536;

export const MOST_EVENTS = 200;

export const SAME_GESTURE = 1.5;

export function place(t, advanced) {
  return [t, (advanced == null) ? py.float("inf") : advanced];
}

export function not_after(one, other) {
  return (one[0] < other[0]) || (py.eq(one[0], other[0]) && (one[1] <= other[1]));
}

export class Event {
  constructor({t = py.missing("Event.t"), t_end = py.missing("Event.t_end"), text = py.missing("Event.text"), kind = py.missing("Event.kind")} = {}) {
    Object.assign(this, {t, t_end, text, kind});
  }
}

export class Change {
  constructor({t = py.missing("Change.t"), advanced = py.missing("Change.advanced"), settings = py.missing("Change.settings"), escape_radius = py.missing("Change.escape_radius"), revive = false, continues = false} = {}) {
    Object.assign(this, {t, advanced, settings, escape_radius, revive, continues});
  }
  get place() {
    return place(this.t, this.advanced);
  }
  get knobs() {
    return [this.settings, this.escape_radius];
  }
}

export function way_to(t, advanced, changes) {
  let here;
  here = place(t, advanced);
  return py.tuple(py.iter(changes).filter((change) => py.truthy(not_after(change.place, here))));
}

export class _Mark {
  constructor({event = py.missing("_Mark.event"), knob = py.missing("_Mark.knob"), before = py.missing("_Mark.before"), clock = py.missing("_Mark.clock")} = {}) {
    Object.assign(this, {event, knob, before, clock});
  }
}

export class Timeline {
  constructor() {
    this.changes = [];
    this._marks = [];
  }
  add(change) {
    let last;
    last = py.truthy(this.changes) ? this.changes.at(-1) : null;
    if ((last != null) && py.eq(last.place, change.place) && !py.truthy(last.revive) && !py.truthy(change.revive)) {
      this.changes = [...py.iter(this.changes.slice(0, -1)), py.replace(change, {continues: last.continues})];
    } else {
      this.changes = [...py.iter(this.changes), change];
    }
  }
  mark(position, clock, before, after) {
    let went_on, name, symbol, old, new_, label;
    went_on = false;
    for ([name, symbol] of py.items(_SYMBOLS)) {
      [old, new_] = [before, after].map((knobs) => ((name === "escape_radius") ? knobs[1] : knobs[0][name]));
      if (!py.eq(old, new_)) {
        went_on = py.or(this._turned(name, symbol, old, new_, position, clock), () => went_on);
      }
    }
    for ([name, label] of py.items(_SWITCHES)) {
      [old, new_] = [before[0][name], after[0][name]];
      if (!py.eq(old, new_)) {
        this._switched(name, label, old, new_, position, clock);
      }
    }
    this._marks = this._marks.slice(-MOST_EVENTS);
    return went_on;
  }
  mark_revived(position, chains, clock) {
    let text;
    text = `${py.str(chains)} chain${py.str((chains > 1) ? "s" : "")} revived`;
    this._marks.push(new _Mark({event: new Event({t: position, t_end: null, text: text, kind: "chains"}), knob: "", before: 0.0, clock: clock}));
  }
  _turned(name, symbol, old, new_, position, clock) {
    let last, event;
    last = py.truthy(this._marks) ? this._marks.at(-1) : null;
    if ((last != null) && py.eq(last.knob, name) && ((clock - last.clock) < SAME_GESTURE)) {
      if (py.eq(last.before, new_)) {
        this._marks.pop();
        return true;
      }
      event = py.replace(last.event, {text: `${py.str(symbol)} ${py.format(last.before, "g")} → ${py.format(new_, "g")}`});
      this._marks[this._marks.length -1] = py.replace(last, {event: event, clock: clock});
      return true;
    }
    event = new Event({t: position, t_end: null, text: `${py.str(symbol)} ${py.format(old, "g")} → ${py.format(new_, "g")}`, kind: "knob"});
    this._marks.push(new _Mark({event: event, knob: name, before: old, clock: clock}));
    return false;
  }
  _switched(name, label, old, new_, position, clock) {
    let i, mark, event;
    for (i of py.range(py.len(this._marks) - 1, -1, -1)) {
      mark = this._marks[i];
      if (py.eq(mark.knob, name)) {
        if ((mark.event.t_end == null) && py.eq(mark.before, new_)) {
          this._marks[i] = py.replace(mark, {event: py.replace(mark.event, {t_end: position})});
          return null;
        }
        break;
      }
    }
    event = new Event({t: position, t_end: null, text: `${py.str(label)} ${py.str(py.truthy(new_) ? "on" : "off")}`, kind: "switch"});
    this._marks.push(new _Mark({event: event, knob: name, before: old, clock: clock}));
  }
  events(upto) {
    return py.tuple(py.iter(this._marks).filter((mark) => mark.event.t <= upto).map((mark) => _clipped(mark.event, upto)));
  }
  truncate(t) {
    this.changes = py.tuple(py.iter(this.changes).filter((c) => py.compare([c.t, c.advanced == null], [t, false]) <= 0));
    this._marks = py.iter(this._marks).filter((mark) => mark.event.t <= t).map((mark) => py.replace(mark, {event: _clipped(mark.event, t)}));
  }
}

export function _clipped(event, upto) {
  return ((event.t_end == null) || (event.t_end <= upto)) ? event : py.replace(event, {t_end: null});
}
