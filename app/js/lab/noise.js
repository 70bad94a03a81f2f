// Accuracy predicted from a chain's noise at the mode, and its metric, on the library's kernels, called in the order of `metric_of`
// in `app/live/run_state.py` and of `predicted_accuracy.py`. Kernels read the sampler's arrays in place.
//
//   const forecast = new Forecast(kernels, problem)
//   forecast.add(saga, target)                          // at the end of every epoch
//   forecast.accuracy({saga, target, pool, chain})
//
// Results are null if they cannot be computed. `saga` is an OnlineSagaLD; `target` has mode, hessian and ready; `pool` has size.

import {eye} from "./numpy.js"
import {EVERY, GROWTH, MOST_NUMBERS} from "../dist/translated/app_live_predicted_accuracy.js"
import {EPOCHS} from "../dist/translated/app_live_recent_samples.js"
import {ROUNDING} from "../dist/translated/app_live_run_state.js"

const sizesOf = saga => ({...saga.state.sizes, D: saga.width, E: EPOCHS / EVERY})
export const familyOf = kind => kind === "gaussian_mean" ? "gaussian_mean" : "glm"

/** Return the result of `use` on an entry's arrays, then free them; arrays of the sampler are borrowed. */
export function borrowing(kernels, entry, saga, use, sizes = {}) {
  return kernels.borrow([entry], {...sizesOf(saga), ...sizes}, use, [saga.state])
}

/** Return H of a chain (d * d), its diagonal raised against rounding; the identity for plain chains; null if singular. */
export function metricOf(kernels, saga, chain) {
  const {data: metric} = saga.precision_matrix(chain) ?? {}
  return !metric ? eye(saga.dim).data : borrowing(kernels, "raise_metric", saga, state => {
    state.set("metric", metric)
    return kernels.call("raise_metric", state, {rounding: ROUNDING}) ? state.array("metric").slice() : null
  })
}

/** Return the largest eigenvalue of a Hessian in a metric, or null if there is none. */
export function curvatureIn(kernels, saga, hessian, metric) {
  return borrowing(kernels, "largest_curvature", saga, state => {
    state.set("metric", metric)
    state.set("hessian", hessian)
    return kernels.call("largest_curvature", state, {}) ? state.array("curvature")[0] : null
  })
}

/** Prediction from eta0 for the displayed chains: the closed Gaussian model with their recorded starting points. */
export class Forecast {
  #kernels
  #problem
  #starts = null // state of recent starting points
  #kept = 0
  #noise = null // state of the noise at the mode, measured again after 5 % more data
  #noiseT = 0 // data at that measurement

  constructor(kernels, problem) {
    this.#kernels = kernels
    this.#problem = problem
  }

  #startsOf(saga) {
    this.#starts ??= this.#kernels.state(["keep_starts"], sizesOf(saga), [saga.state])
    this.#starts.lenders = [saga.state]
    return this.#starts
  }

  /** Record the starting points of the chains in the last epoch, relative to its mode. */
  add(saga, target) {
    if ((saga.forgotten + saga.t) % EVERY) return
    const starts = this.#startsOf(saga)
    starts.set("mode", target.mode)
    this.#kernels.call("keep_starts", starts, {slot: this.#kept % starts.size("E"), t: saga.t})
    this.#kept += 1
  }

  /** Return the predicted marginal accuracy of the pooled samples. */
  accuracy({saga, target, pool, chain}) {
    const {t, settings} = saga, came = saga.forgotten + t, due = this.#noise === null || came < this.#noiseT || came > GROWTH * this.#noiseT
    const metric = pool.size && target.ready ? metricOf(this.#kernels, saga, chain) : null
    if (!metric || (due && !this.#measure(saga, target, metric))) return null
    this.#noise.lenders = [saga.state, this.#startsOf(saga)]
    const numbers = {...settings, t, kept: this.#kept, preconditioned: saga.family.startsWith("preconditioned"), most: MOST_NUMBERS, draws: pool.size,
      reference_draws: Infinity}
    return this.#kernels.call("forecast", this.#noise, numbers) ? this.#noise.array("accuracy")[0] : null
  }

  #measure(saga, target, metric) {
    const {t} = saga, family = familyOf(this.#problem.kind), entry = `${family}_noise`
    const Y = family === "glm" ? Math.ceil(t / Math.ceil(t / this.#kernels.constants.noise_rows)) : 0
    this.#noise?.release()
    const lenders = [saga.state, this.#startsOf(saga)]
    const noise = this.#noise = this.#kernels.state([entry, "forecast"], {...sizesOf(saga), Y}, lenders)
    noise.set("hessian", target.hessian)
    noise.set("metric", metric)
    noise.set("prior", this.#problem.prior_precision)
    if (family === "glm") noise.set("mode", target.mode)
    this.#noiseT = this.#kernels.call(entry, noise, {kind: this.#kernels.constants.kinds[this.#problem.kind], t}) ? saga.forgotten + t : 0
    return this.#noiseT > 0
  }
}
