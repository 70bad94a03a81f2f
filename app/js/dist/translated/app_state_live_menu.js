// Translated from app/state/live_menu.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {PLAIN} from "./sampler_algorithms_algorithm_names.js"

export function coordinate_names(dim, intercept = false) {
  let names;
  names = py.tuple(py.range(dim).map((i) => ("θ" + py.iter(py.iter(py.str(i + 1)).map((digit) => "₀₁₂₃₄₅₆₇₈₉"[py.int(digit)])).join(""))));
  return py.truthy(intercept) ? [...py.iter(names.slice(0, -1)), "intercept"] : names;
}

export class AlgorithmChoice {
  constructor({key = py.missing("AlgorithmChoice.key"), label = py.missing("AlgorithmChoice.label"), short = py.missing("AlgorithmChoice.short"), prefix = py.missing("AlgorithmChoice.prefix"), step = ["η<sub>t</sub>", "= η₀/(t + c)"], variance = "E‖g − ∇F‖², log scale", help = py.dict(), words = py.dict(), unused = py.dict()} = {}) {
    Object.assign(this, {key, label, short, prefix, step, variance, help, words, unused});
  }
}

export const ALGORITHMS = Object.fromEntries([new AlgorithmChoice({key: PLAIN, label: "SAGA-LD", short: "SAGA-LD", prefix: ""}), new AlgorithmChoice({key: "preconditioned", label: "Preconditioned SAGA-LD", short: "Preconditioned", prefix: "preconditioned ", step: ["η<sub>0</sub>", "in its own metric"], variance: "E‖L⁻¹(g − ∇F)‖² in its own metric, log scale", help: ({eta0: "Step size: η₀ at every step, in the chain's own metric H, in which the target is nearly round.", acceptance_radius: "Acceptance radius: a chain more than C′ standard deviations of its own metric from its checkpoint is reset to it, at most once per checkpoint.", escape_radius: "Escape radius: the ball of radius R/√(t + c) around the mode, round in θ for every algorithm. It changes the counts, not the chains."}), words: ({acceptance_radius: "reset beyond, sd"}), unused: ({offset: "not used except in R/√(t + c)"})})].map((choice) => [choice.key, choice]));
