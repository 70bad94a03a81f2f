// Translated from app/live/snapshot.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const COLUMNS = {"t": "epoch", "accuracy": "marginal accuracy of all chains over the last 16 epochs, in [0, 1]", "ceiling_low": "accuracy of an exact sampler, minus two standard deviations", "ceiling_high": "the same, plus two", "predicted": "accuracy that eta0 predicts", "tv": "1 - accuracy, the mean total variation of the marginals (noisy, see the ceiling)", "median": "squared distance to the mode over r^2 = R^2/(t + c), at the end of the epoch: median of the chains", "q95": "the same: 95 % quantile", "farthest": "the same: maximum over chains and over the steps of the epoch", "memory": "correlation of a chain's successive samples, maximum over coordinates, in [-1, 1]", "saga": "E||g - grad F||^2 with the cached gradients, interpolated (log, log) between measurements", "sgld": "the same without the cache", "bound": "Lemma 6.2's bound of it; NaN if the model has no finite smoothness", "cost": "gradient evaluations of one chain in the epoch", "full": "gradient evaluations of a full-gradient chain: t times the steps of the epoch"};

export const JUDGED = ["accuracy", "ceiling_low", "ceiling_high", "predicted", "tv", "memory"];

export class Series {
  constructor({columns = py.missing("Series.columns"), exits_t = py.missing("Series.exits_t"), exits_value = py.missing("Series.exits_value"), events = py.missing("Series.events"), checkpoints = py.missing("Series.checkpoints"), recent = null} = {}) {
    Object.assign(this, {columns, exits_t, exits_value, events, checkpoints, recent});
  }
  get t() {
    return np.at(this.columns, "t");
  }
}

export class Meter {
  constructor({key = py.missing("Meter.key"), label = py.missing("Meter.label"), text = py.missing("Meter.text"), fill = py.missing("Meter.fill"), tick = py.missing("Meter.tick"), bad = py.missing("Meter.bad")} = {}) {
    Object.assign(this, {key, label, text, fill, tick, bad});
  }
}

export class Assumption {
  constructor({number = py.missing("Assumption.number"), name = py.missing("Assumption.name"), text = py.missing("Assumption.text"), ok = py.missing("Assumption.ok"), help = py.missing("Assumption.help")} = {}) {
    Object.assign(this, {number, name, text, ok, help});
  }
}

export class Promise {
  constructor({rows = py.missing("Promise.rows"), note = py.missing("Promise.note")} = {}) {
    Object.assign(this, {rows, note});
  }
}

export class Comparison {
  constructor({knobs = py.missing("Comparison.knobs"), measured = py.missing("Comparison.measured"), words = py.missing("Comparison.words")} = {}) {
    Object.assign(this, {knobs, measured, words});
  }
}
