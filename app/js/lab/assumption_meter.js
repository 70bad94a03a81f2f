// Drift of the mode on the library's kernels: the part of `sampler.theory.AssumptionMeter` that `app/live/assumptions.py` uses.

import {RunningSmoothness} from "../dist/translated/sampler_theory_assumptions.js"

const PAIRS = 4096 // at most one per mode stored up to the horizon
const STORED = ["epochs", "modes", "places", "pairs", "mode"]

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

  /** Add an epoch: the length of its row, and its mode. */
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

  capture() { return {arrays: STORED.map(name => this.#state.save(name)), numbers: {...this}} }

  restore({arrays, numbers}) {
    STORED.forEach((name, i) => this.#state.load(name, arrays[i]))
    Object.assign(this, numbers)
  }
}
