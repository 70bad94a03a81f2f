// Translated from app/state/exit_time.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {shown} from "../../lab/numbers.js"

export class ExitEpoch {
  get needs_live() {
    return (this.target === "live") || (this.start === "live");
  }
  get start_distance() {
    return (this.start === "distance") ? this.distance : 0.0;
  }
  get least_truncation() {
    return Math.sqrt(2 * this.dim);
  }
  get cutoff() {
    return (this.truncation === 0.0) ? null : py.max([this.truncation, this.least_truncation * (1 + 1e-09)]);
  }
}

export function chain_text(value) {
  return (value == null) ? "auto" : py.str(value);
}

export function chain_in(link, key, chains) {
  let text;
  text = link.text(key);
  if ((text == null) || (text === "auto")) {
    return null;
  }
  if ((py.truthy(py.isascii(text))) && (py.truthy(py.isdigit(text))) && (py.int(text.slice(0, 9)) < chains)) {
    return py.int(text.slice(0, 9));
  }
  link.words.push(`${py.str(key)} = ${py.str(shown(text))} is no chain; took one that left the ball.`);
  return null;
}

export function turned(present, name, value, typed, kept) {
  let changes, start, radius, distance, low;
  changes = ({[name]: value, adopt: false});
  [start, radius, distance] = [present.start, present.radius, present.distance];
  if (py.contains(["dim", "curvature"], name) && py.truthy(present.needs_live)) {
    changes = ({...changes, target: "quadratic", start: "mode"});
    start = "mode";
  }
  if ((start === "distance") && (name === "radius") && (value <= distance)) {
    throw new py.PythonError("ValueError", `r must be above the start ρ₀ = ${py.format(distance, "g")}: the chains would start outside. ${py.str(kept)}`);
  }
  if ((start === "distance") && (name === "distance") && (value >= radius)) {
    throw new py.PythonError("ValueError", `ρ₀ must be below r = ${py.format(radius, "g")}: the chains would start outside. ${py.str(kept)}`);
  }
  if ((name === "truncation") && ((0.0 < value) && (value < present.least_truncation))) {
    if (py.truthy(typed)) {
      throw new py.PythonError("ValueError", `Cξ must be √(2d) = ${py.format(present.least_truncation, ".3g")} or more, or best. ${py.str(kept)}`);
    }
    low = value < (0.5 * present.least_truncation);
    changes = ({...changes, truncation: py.truthy(low) ? 0.0 : py.round(present.least_truncation + 0.005, 2)});
  }
  return changes;
}

export function kept_truncation(truncation, dim) {
  return ((0.0 < truncation) && (truncation < Math.sqrt(2 * dim))) ? 0.0 : truncation;
}

export function chosen(present, name, value) {
  let changes;
  changes = ({[name]: value, adopt: false});
  if (name === "target") {
    changes = ({...changes, start: (value === "live") ? "live" : "mode", adopt: value === "live"});
    if (value !== "live") {
      changes = ({...changes, noise: 0.0});
    }
  }
  if ((py.get(changes, "start", present.start) === "distance") && (present.distance >= present.radius)) {
    changes = ({...changes, distance: present.radius / 2});
  }
  return changes;
}

export function corrected(config) {
  let changes, words, distance;
  changes = ({});
  words = [];
  if ((config.start === "distance") && (config.distance >= config.radius)) {
    distance = config.radius / 2;
    words.push(`ρ₀ = ${py.format(config.distance, "g")} must be below r = ${py.format(config.radius, "g")}; took ${py.format(distance, "g")}.`);
    changes = ({...changes, distance: distance});
  }
  if ((0.0 < config.truncation) && (config.truncation < config.least_truncation)) {
    words.push(`Cξ = ${py.format(config.truncation, "g")} must be √(2d) = ${py.format(config.least_truncation, ".3g")} or more; took the best.`);
    changes = ({...changes, truncation: 0.0});
  }
  return [changes, words];
}
