// Translated from app/live/page_words.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {ALGORITHMS} from "./app_state_live_menu.js"
import {PLAIN} from "./sampler_algorithms_algorithm_names.js"

export const TRUTHS = {"exact": "the exact posterior", "grid": "the posterior on a grid"};

export class Titles {
  constructor({chains = py.missing("Titles.chains"), hint = py.missing("Titles.hint"), accuracy = py.missing("Titles.accuracy"), variance = py.missing("Titles.variance")} = {}) {
    Object.assign(this, {chains, hint, accuracy, variance});
  }
}

export function titles_of(snapshot) {
  let config, algorithm, chains, target, followed, title, hint;
  config = snapshot.config;
  algorithm = ALGORITHMS[config.algorithm];
  chains = `${py.str(config.chains)} ${py.str(algorithm.prefix)}chain${py.str((config.chains > 1) ? "s" : "")}`;
  target = py.eq(config.algorithm, PLAIN) ? ` and ${py.str((config.chains > 1) ? "their" : "its")} target` : "";
  followed = (config.follow == null) ? "click a chain to follow it" : `following chain ${py.str(config.follow)}`;
  [title, hint] = [`${py.str(chains)}${py.str(target)}`, followed];
  if (snapshot.cloud.arrows != null) {
    [title, hint] = ["One step of one chain", `zoomed to chain ${py.str(py.or(config.follow, () => 0))}`];
  }
  return new Titles({chains: title, hint: hint, accuracy: `${py.str(chains)} × last 16 epochs${py.str(_against(snapshot.reference))}`, variance: algorithm.variance});
}

export function _against(reference) {
  let words;
  if (!py.truthy(reference)) {
    return "";
  }
  if (reference === "being drawn") {
    return "; the reference is being drawn";
  }
  words = py.or(py.get(TRUTHS, reference), () => py.iter(reference.replaceAll(" effective", "").split(", ").slice(0, 2)).join(", "));
  return `, against ${py.str(words)}`;
}

export const ACTIONS = {"ended": "Restart", "error": "Go on", "arrived": "Play on"};

export class RunNotice {
  constructor({words = null, kind = null, progress = null} = {}) {
    Object.assign(this, {words, kind, progress});
  }
}

export const NOTHING = new RunNotice({});

export function replay_notice(replay) {
  let words;
  words = `Replaying exactly to epoch ${py.format(replay.target, ",")}: ${py.format(replay.fraction, ".0%")}`;
  return new RunNotice({words: words, kind: "replaying", progress: replay.fraction});
}

export function run_notice(run, arrived) {
  let state, verdict, why, changes, way;
  state = run.state;
  if (py.truthy(state.halted)) {
    verdict = run.verdict()[0];
    return new RunNotice({words: `${py.str(verdict.sentence)} ${py.str(verdict.suggestion)}`, kind: "diverged"});
  }
  if (py.truthy(state.ended)) {
    why = (py.truthy(state.data.exhausted(state.t))) ? "where your data end" : "so that its memory stays bounded";
    return new RunNotice({words: `The run ends at epoch ${py.format(state.t, ",")}, ${py.str(why)}. Restart it, or rewind.`, kind: "ended"});
  }
  if (py.truthy(arrived)) {
    changes = py.len(run.moment.way);
    way = py.truthy(changes) ? `, with ${py.str(changes)} change${py.str((changes > 1) ? "s" : "")} on the way` : "";
    return new RunNotice({words: `This is epoch ${py.format(state.t, ",")} as it was shared${py.str(way)}.`, kind: "arrived"});
  }
  return NOTHING;
}

export function fault_notice(error, t) {
  let on;
  on = py.truthy(t) ? `replays it to epoch ${py.format(t, ",")}, the last one shown` : "begins it again";
  return new RunNotice({words: `The run stopped: ${py.str(py.rstrip(error, "."))}. Go on ${py.str(on)}; if it stops there again, press Restart.`, kind: "error"});
}

export function notice_of(snapshot) {
  let kind, progress;
  kind = snapshot.notice_kind;
  if (py.contains([null, "diverged"], kind)) {
    return ({notice: "", kind: ""});
  }
  progress = (snapshot.progress == null) ? null : py.round(snapshot.progress, 2);
  return ({notice: py.or(snapshot.notice, () => ""), kind: kind, progress: progress, action: py.get(ACTIONS, kind, "")});
}
