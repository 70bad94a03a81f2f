// How far the mode has moved, by the library's kernels: what `app/live/assumptions.py` asks of `sampler.theory.AssumptionMeter`.

import {RunningSmoothness} from "../dist/translated/sampler_theory_assumptions.js"

const PAIRS = 4096 // at most one for each mode remembered up to the horizon
const KEPT = ["epochs", "modes", "places", "pairs", "mode"]

export class Meter extends RunningSmoothness {
  #kernels
  #state

  constructor(kernels, {dim, curvature_bound: bound}) {
    super(bound ?? Infinity)
    this.#kernels = kernels
    this.#state = kernels.state(["remember_mode", "largest_drift"], {d: dim, P: PAIRS})
    this.#state.set("places", [0, 1, 0])
    Object.assign(this, {t: 0, offset: 0})
  }

  #call(name) { this.#kernels.call(name, this.#state, {t: this.t, offset: this.offset}) }

  /** Take in epoch t: the length of its row, and the mode. */
  add(length, mode) {
    this._note_row(length)
    this.t += 1
    this.#state.set("mode", mode)
    this.#call("remember_mode")
  }

  /** D of Assumption 3: the largest drift of any epoch so far. */
  get largest_drift() {
    this.#call("largest_drift")
    return this.#state.array("out")[0]
  }

  kept() { return {arrays: KEPT.map(name => this.#state.save(name)), numbers: {...this}} }

  putBack({arrays, numbers}) {
    KEPT.forEach((name, i) => this.#state.load(name, arrays[i]))
    Object.assign(this, numbers)
  }
}
