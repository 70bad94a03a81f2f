// Translated from app/exit_time/theory_price.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {scientific} from "./app_number_words.js"
import {Settings} from "./sampler_settings.js"
import {tail_rate} from "./sampler_theory_assumptions.js"
import {theorem_constants, theorem_rates} from "./sampler_theory_theorem_constants.js"

export const EPSILON = 0.1;

export const EXAMPLE = {"horizon": 1000, "epsilon": 0.1, "dim": 21, "smoothness": 1.5, "concentration": 1.0, "drift": 1.0};

export const TUNED = new Settings({eta0: 0.1, i_max: 1000});

export const FAST = 10000000.0;

export const YEAR = 31560000.0;

export class Price {
  constructor({source = py.missing("Price.source"), rows = py.missing("Price.rows"), verdict = py.missing("Price.verdict"), why = py.missing("Price.why")} = {}) {
    Object.assign(this, {source, rows, verdict, why});
  }
}

export function price(state) {
  let problem, tuned, source, smoothness, rate, first, theory, rows, orders, years, wait, rates, grows;
  if (state == null) {
    [problem, tuned] = [EXAMPLE, TUNED];
    source = "the paper’s size: T = 1,000, ε = 0.1, d = 21, L = 1.5, k = 1, D = 1";
  } else {
    smoothness = state.smoothness;
    if (!Number.isFinite(smoothness) || np.less_equal(smoothness, 0.0)) {
      throw new py.PythonError("ValueError", "A Poisson term has no finite smoothness L, so the theorem does not apply.");
    }
    rate = tail_rate(state.t, state.settings.offset, np.linalg.inv(state.hessian));
    first = py.float(state.prior_precision.max());
    problem = ({horizon: py.max([state.t, 2]), epsilon: EPSILON, dim: state.dim, smoothness: smoothness, concentration: rate, amplitude: Math.E, drift: state.drift});
    tuned = state.settings;
    source = `Live: T = t = ${py.format(state.t, ",")}, ε = 0.1, d = ${py.str(state.dim)}; measured L = ${py.format(smoothness, ".2g")}, L₀ = ${py.format(first, ".2g")} (L₀/L = ${py.format(np.divide(first, smoothness), ".2g")}, c = ${py.format(state.settings.offset, "g")}), k = ${py.format(rate, ".2g")} with A = e (Laplace), D = ${py.format(state.drift, ".2g")}, the largest so far`;
    if (py.truthy(state.preconditioned)) {
      source = np.add(source, "; Live ran preconditioned, so “by hand” are plain SAGA-LD’s defaults");
    }
  }
  theory = theorem_constants(...py.taken(problem, ["horizon", "epsilon", "dim", "smoothness", "concentration", "drift", "amplitude"]));
  rows = [_row("η<sub>0</sub>", "step size", theory.eta0, tuned.eta0), _row("i<sub>max</sub>", "steps per epoch", theory.i_max, tuned.i_max), _row("C′", "reset beyond", theory.acceptance_radius, tuned.acceptance_radius), _row("b", "batch per step", theory.batch_size, tuned.batch_size)];
  orders = py.round(Math.log10(np.divide(theory.i_max, tuned.i_max)));
  years = np.divide(np.divide(theory.i_max, FAST), YEAR);
  years = py.float(`${py.format(years, ".2g")}`);
  wait = np.less(years, 10000000.0) ? `${py.format(years, ",.0f")} years` : `${py.str(scientific(years))} years`;
  rates = theorem_rates(...py.taken(problem, ["horizon", "epsilon", "dim", "smoothness", "concentration", "drift", "amplitude"]));
  grows = ` It grows like ε to the ${py.str(_power(np.at(rates, "epsilon")))} (LMV-n’s Theorem 2.1: −6) and T to the ${py.str(_power(np.at(rates, "horizon")))} here, through logarithms.`;
  return new Price({source: source, rows: rows, verdict: `${py.str(orders)} orders of magnitude more steps: at ten million steps per second one epoch would take ${py.str(wait)}.${py.str(grows)} That is why η₀ is tuned by hand.`, why: _why(theory, tuned)});
}

export const _STEP = "Why not the <lab-term key=\"theorem&#x27;s constants\">theorem's step size</lab-term>: <lab-math tex=\"\\eta_0 = \\varepsilon_2^2/(2L^2R^2)\"></lab-math>";

export function _why(theory, tuned) {
  let less, error;
  [less, error] = [Math.log10(np.divide(tuned.eta0, theory.eta0)), np.multiply(-2, Math.log10(theory.eps2))];
  return `${py.str(_STEP)} is ${py.format(less, ".0f")} orders of magnitude below ${py.format(tuned.eta0, "g")}. The error ε = ${py.format(EPSILON, "g")} is divided among all doublings of T (ε<sub>2</sub> = ${py.format(theory.eps2, ".2g")}), which accounts for ${py.format(error, ".1f")} of them; the ball must contain the worst path of the worst problem of the class (R = ${py.format(theory.escape_radius, ",.0f")}), which accounts for ${py.format(np.subtract(less, error), ".1f")}. The proof is for the whole class; the page measures your problem.`;
}

export function _row(symbol, words, theory, tuned) {
  return [symbol, words, _number(theory), _number(tuned), Math.log10(np.divide(theory, tuned))];
}

export function _power(value) {
  return `${py.format(value, ".1f")}`.replaceAll("-", "−");
}

export function _number(value) {
  return ((np.equal(value, py.int(value))) && np.less(value, 1000000.0)) ? `${py.format(value, ",.0f")}` : scientific(py.float(value));
}
