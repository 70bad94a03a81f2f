// Translated from app/live/charts/event_texts.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

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
