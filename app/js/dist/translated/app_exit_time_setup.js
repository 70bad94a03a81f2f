// Translated from app/exit_time/setup.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const WORK = 3000000000;

export const FEWEST = 100;

export class ExitSetup {
  constructor({config = py.missing("ExitSetup.config"), target = py.missing("ExitSetup.target"), start = py.missing("ExitSetup.start"), distances = py.missing("ExitSetup.distances"), weights = py.missing("ExitSetup.weights"), curvature = py.missing("ExitSetup.curvature"), smoothness = py.missing("ExitSetup.smoothness"), chains = py.missing("ExitSetup.chains"), notes = py.missing("ExitSetup.notes"), live = py.missing("ExitSetup.live")} = {}) {
    Object.assign(this, {config, target, start, distances, weights, curvature, smoothness, chains, notes, live});
  }
  get largest_curvature() {
    return this.target.smoothness;
  }
  get walks_free() {
    return (this.config.noise === 0.0) && ((this.config.step_size * this.smoothness) <= 2.0);
  }
}

export function affordable(config, rows, notes) {
  let one, most;
  one = (config.steps * config.dim) * (1 + rows);
  most = py.max([FEWEST, py.int(Math.floor(WORK / one))]);
  if (config.chains > most) {
    notes.push(`${py.format(config.chains, ",")} chains of ${py.format(config.steps, ",")} steps would take long: ${py.format(most, ",")} are run.`);
  }
  return py.min([config.chains, most]);
}
