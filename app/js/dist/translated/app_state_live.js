// Translated from app/state/live.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {shown} from "../../lab/numbers.js"
import {OWN} from "./app_state_user_data.js"
import {PLAIN} from "./sampler_algorithms_algorithm_names.js"

export const VERSION = "1";

export const SPEEDS = [["1 step a second", "steps", 1.0], ["2 steps a second", "steps", 2.0], ["4 steps a second", "steps", 4.0], ["10 steps a second", "steps", 10.0], ["half an epoch a second", "epochs", 0.5], ["1 epoch a second", "epochs", 1.0], ["2 epochs a second", "epochs", 2.0], ["4 epochs a second", "epochs", 4.0], ["8 epochs a second", "epochs", 8.0], ["16 epochs a second", "epochs", 16.0], ["32 epochs a second", "epochs", 32.0], ["64 epochs a second", "epochs", 64.0], ["128 epochs a second", "epochs", 128.0], ["as fast as it goes", "epochs", Infinity]];

export const SAMPLER = ["eta0", "batch_size", "i_max", "acceptance_radius", "escape_radius", "offset"];

export const WINDOW = 200;

export const RESTARTING = ["problem", "stream", "algorithm", "chains", "seed", "forget", "user_data"];

export function with_problem(config, menu) {
  let problem, algorithm, default_;
  [problem, algorithm] = [config.problem, config.algorithm];
  default_ = menu.default(problem, (py.truthy(menu.refusal(problem, algorithm))) ? PLAIN : algorithm);
  return py.replace(default_, {speed: config.speed, stream: py.contains([problem, config.stream], OWN) ? default_.stream : config.stream});
}

export function with_algorithm(config, base, menu) {
  let default_;
  default_ = menu.default(config.problem, config.algorithm);
  return py.replace(config, {...Object.fromEntries(py.iter(SAMPLER).filter((name) => py.eq(config[name], base[name])).map((name) => [name, default_[name]]))});
}

export function view_within(follow, axes, chains, dim) {
  let there;
  there = (axes === "principal") || (py.all(py.iter(axes).map((axis) => ((0 <= axis) && (axis < dim)))));
  return ({follow: ((follow == null) || ((0 <= follow) && (follow < chains))) ? follow : (chains - 1), axes: py.truthy(there) ? axes : [0, 1]});
}

export function live_query(record, parameters) {
  return ({v: VERSION, ...Object.fromEntries(py.items(parameters).map(([name, one]) => [one.key, one.write(record[name])]))});
}

export function live_in(link, menu) {
  let parameters, version, problem, algorithm, refused;
  [parameters, version] = [menu.parameters, link.text("v")];
  if ((version != null) && !py.eq(version, VERSION)) {
    link.words.push(`This link has version ${py.str(shown(version))}, not ${py.str(VERSION)}; unknown keys were ignored.`);
  }
  if ((py.eq(link.text("problem"), OWN)) && !py.truthy(menu.has_own)) {
    link.words.push(`This link was made on a user's own data, which are not loaded here: ${py.str(menu.action)}. The page took problem = logistic2.`);
    return menu.default("logistic2", PLAIN);
  }
  problem = parameters["problem"].from_link(link, "logistic2");
  algorithm = parameters["algorithm"].from_link(link, PLAIN);
  refused = menu.refusal(problem, algorithm);
  if (py.truthy(refused)) {
    link.words.push(refused);
    algorithm = PLAIN;
  }
  return read_live(link, menu.default(problem, algorithm), menu);
}

export function read_live(link, base, menu) {
  let parameters, apart, config, streams, stream, follow, axes;
  [parameters, apart] = [menu.parameters, ["problem", "algorithm", "stream", "follow", "axes"]];
  config = py.replace(base, {...Object.fromEntries(py.items(parameters).filter(([name, one]) => !py.contains(apart, name)).map(([name, one]) => [name, one.from_link(link, base[name])]))});
  streams = py.iter(parameters["stream"].objects).filter((name) => !py.eq(name, OWN));
  stream = py.eq(base.problem, OWN) ? OWN : link.choice("stream", streams, base.stream);
  follow = parameters["follow"].from_link(link, base.follow, config.chains);
  axes = parameters["axes"].from_link(link, base.axes, menu.dim(base.problem));
  return py.replace(config, {stream: stream, follow: follow, axes: axes});
}
