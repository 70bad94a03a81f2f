// Translated from app/exit_time/drawings.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {CURVES} from "./app_exit_time_bound_curves.js"
import {paths_drawing, process_drawing, pushes_drawing, sums_drawing} from "./app_plots_exit_path_drawings.js"
import {bounds_drawing, promise_drawing, survival_drawing} from "./app_plots_exit_probability_drawings.js"
import {joined} from "./app_plots_lines.js"

export function drawings_of(result, squared) {
  let config, pushes, made;
  [config, pushes] = [result.config, result.crowd.pushes];
  made = ({paths: drawn_paths(result, squared), survival: drawn_survival(result), square: pushes_drawing(pushes, config.dim, config.radius, true), plain: pushes_drawing(pushes, config.dim, config.radius, false)});
  if (result.sums != null) {
    np.put(made, "sums", sums_drawing(result.sums.parts, config.radius, result.sums.chain, result.sums.left));
  }
  if (result.process != null) {
    np.put(made, "process", process_drawing(result.process));
  }
  if (result.promise != null) {
    np.put(made, "promise", promise_drawing(result.promise));
  }
  return made;
}

export function drawn_paths(result, squared) {
  let config, lift;
  config = result.config;
  lift = np.divide(np.multiply(np.multiply(2, config.step_size), config.dim), np.power(config.radius, 2));
  return paths_drawing(result.crowd, squared, lift, result.sums, config.steps);
}

export function drawn_survival(result) {
  let crowd, curves, config, exits, figure, name;
  [crowd, curves, config] = [result.crowd, result.bounds, result.config];
  exits = Object.fromEntries(py.items(curves.exits).filter(([name, values]) => np.not_equal(name, "local") || np.greater(config.curvature, 0)));
  figure = bounds_drawing(exits, curves.steps, [], crowd.inside, curves.batch, py.contains(exits, "local"));
  if (crowd.free != null) {
    name = py.truthy(crowd.same) ? "the free walk itself" : "free walk";
    figure = joined(survival_drawing(crowd.free, name, "reference"), figure);
  }
  return joined(figure, survival_drawing(crowd.inside));
}

export function survival_columns(result) {
  let crowd, bounds, inside, columns, name, stays;
  [crowd, bounds] = [result.crowd, result.bounds];
  inside = crowd.inside;
  columns = ({step: inside.steps, inside: inside.share, band_low: inside.low, band_high: inside.high});
  if (crowd.free != null) {
    np.put(columns, "free_walk", crowd.free.share);
  }
  for (name of py.iter(CURVES)) {
    stays = bounds.stays(name);
    if (stays != null) {
      np.put(columns, name, np.interp(inside.steps, bounds.steps, stays));
    }
  }
  return columns;
}
