// Translated from app/live/epoch_measures.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {CountedSince} from "./app_live_measure_rules.js"

export function counted_since(changes, first, t) {
  let settings, radius, knobs, resets, exits, change, new_, tighter;
  [[settings, radius], knobs, resets, exits] = [first, 0, 0, 0];
  for (change of py.iter(changes)) {
    if (change.t > t) {
      break;
    }
    new_ = change.settings;
    if (!py.eq(new_, settings)) {
      tighter = (new_.acceptance_radius <= settings.acceptance_radius) && (py.eq(py.replace(new_, {acceptance_radius: settings.acceptance_radius}), settings));
      knobs = change.t;
      resets = py.truthy(tighter) ? change.t : (1 * 2 ** py.bit_length(change.t));
    }
    if (!py.eq(new_, settings) || !py.eq(change.escape_radius, radius)) {
      exits = change.t;
    }
    [settings, radius] = [new_, change.escape_radius];
  }
  return new CountedSince({knobs: knobs, resets: resets, exits: exits});
}
