// Translated from app/exit_time/job.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {choose, crowd_of, split} from "./app_exit_time_simulated_chains.js"

export class ExitResult {
  constructor({config = py.missing("ExitResult.config"), bounds = py.missing("ExitResult.bounds"), crowd = null, sums = null, too_long = false, notes = [], live = null, process = null, promise = null, complete = false, seconds = 0.0} = {}) {
    Object.assign(this, {config, bounds, crowd, sums, too_long, notes, live, process, promise, complete, seconds});
  }
}

export function filled(result, simulation) {
  let crowd, exits, chain, sums;
  crowd = crowd_of(simulation);
  result = py.replace(result, {crowd: crowd});
  if (simulation.steps_done < simulation.steps) {
    return result;
  }
  exits = simulation.exit_steps;
  chain = choose(exits, py.len(crowd.paths), result.config.chain);
  sums = result.sums;
  if ((sums == null) || !py.eq(sums.chain, chain)) {
    sums = split(simulation, chain);
  }
  return py.replace(result, {sums: sums, too_long: sums == null});
}
