// The assumption meter, as `app/live/assumptions.py`: constants of LMV-n's three assumptions as the stream shows them.

import {isPowerOfTwo} from "./run_state.js"
import {concentration_before, lines_at, not_measured, spread_of, unevenness_of} from "../dist/translated/app_live_assumptions.js"
import {concentration_of, smoothness_of} from "../dist/translated/sampler_theory_assumptions.js"

const PAIRS = 4096 // at most one for each mode remembered up to the horizon
const KEPT = ["epochs", "modes", "places", "pairs"]

const diagonal = (matrix, d) => matrix.filter((_, i) => i % (d + 1) === 0)

/** Measured constants; they depend on the data only. */
export class Constants {
  #kernels
  #state
  #bound
  #even // every term has the same Hessian (the Gaussian mean)
  #spreads = {} // at epochs 2^k: root second moment about the mode
  #squares = 0
  #largestRow = 0

  constructor(kernels, {kind, dim, curvature_bound: bound}) {
    this.#kernels = kernels
    this.#state = kernels.state(["remember_mode", "largest_drift"], {d: dim, P: PAIRS})
    this.#state.set("places", [0, 1, 0])
    this.#bound = bound ?? Infinity
    this.#even = kind === "gaussian_mean"
    this.modes = new Map() // mode at epochs 2^k
  }

  #call(name, {t, mode}, offset) {
    this.#state.set("mode", mode)
    this.#kernels.call(name, this.#state, {t, offset})
  }

  /** Take in the datum that opens an epoch, once the target has it. */
  add(target, row, offset) {
    const {t, mode, covariance} = target, length = this.#even ? 1 : Math.hypot(...row)
    this.#squares += length ** 2
    this.#largestRow = Math.max(this.#largestRow, length)
    this.#call("remember_mode", target, offset)
    if (!isPowerOfTwo(t)) return
    this.modes.set(t, mode.slice())
    this.#spreads[t] = spread_of(diagonal(covariance, mode.length))
  }

  /** L of one term so far; 0 before any row. */
  get smoothness() { return smoothness_of(this.#bound, this.#largestRow) }

  /** D: how far the mode ever moved while the data doubled, times sqrt(t + c). */
  largestDrift(target, offset) {
    this.#call("largest_drift", target, offset)
    return this.#state.array("out")[0]
  }

  /** The three lines of the meter. */
  lines(target, offset) {
    const {t, mode, covariance, hessian} = target, d = mode.length
    if (t < 2 || !covariance.every(Number.isFinite)) return not_measured()
    const {mean} = target.known ? target : {mean: mode}, variances = diagonal(covariance, d)
    const constants = [this.smoothness, concentration_of(t, offset, variances, mean, mode), this.largestDrift(target, offset)]
    return lines_at(t, constants, this.#bound * this.#squares / t, concentration_before(t, this.#spreads, offset),
      unevenness_of(diagonal(hessian, d), variances))
  }

  kept() {
    return {arrays: KEPT.map(name => this.#state.save(name)), modes: new Map(this.modes), spreads: {...this.#spreads},
      squares: this.#squares, largestRow: this.#largestRow}
  }

  putBack({arrays, modes, spreads, squares, largestRow}) {
    KEPT.forEach((name, i) => this.#state.load(name, arrays[i]))
    this.modes = new Map(modes)
    this.#spreads = {...spreads}
    this.#squares = squares
    this.#largestRow = largestRow
  }
}
