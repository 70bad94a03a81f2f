// What is kept of past epochs: outlines of the cloud, states to rewind to. As `app/live/epoch_records.py`.

import {is_charted as isCharted} from "../dist/translated/app_live_history.js"
import {isPowerOfTwo} from "./run_state.js"

const EARLIEST = 16
const BUDGET = 64 * 2 ** 20 // bytes of kept states; beyond, none is kept and a replay starts further back
const MOST_COORDINATES = 64 // beyond, no outline is kept

/** Mean and covariance of the chains at charted epochs. */
export class CloudOutlines {
  #outlines

  constructor(outlines = []) { this.#outlines = new Map(outlines) }

  /** Keep the outline at the end of an epoch, unless it has been (a replay). */
  finish(state) {
    const {t, saga, kernels, sound} = state, {dim: d, chains: K} = saga
    if (this.#outlines.has(t) || !isCharted(t) || d > MOST_COORDINATES) return
    kernels.borrow(["outline"], {K, d}, arrays => {
      arrays.set("samples", saga.positions())
      arrays.set("sound", sound)
      if (kernels.call("outline", arrays, {})) this.#outlines.set(t, ["mean", "covariance"].map(name => arrays.array(name).slice()))
    })
  }

  truncate(t) { for (const s of this.#outlines.keys()) if (s > t) this.#outlines.delete(s) }

  /** The newest outline at or before epoch t. */
  at(t) { return this.#outlines.get(Math.max(0, ...[...this.#outlines.keys()].filter(s => s <= t))) ?? null }

  copy() { return new CloudOutlines(this.#outlines) }
}

/** Kept states in order of their epochs, within a budget; the first is that of the start. */
export class Keeper {
  constructor(start, budget = BUDGET) {
    this.budget = budget
    this.states = [start.kept()]
  }

  /** Keep the state at the end of an epoch that is a power of two, if the budget allows. */
  keep(state) {
    const {t} = state
    if (t < EARLIEST || !isPowerOfTwo(t) || this.states.some(kept => kept.t === t)) return
    const kept = state.kept()
    if (this.bytes + kept.saga.bytes <= this.budget) this.states = [...this.states, kept].sort((one, other) => one.t - other.t)
  }

  get bytes() { return this.states.reduce((sum, {saga}) => sum + saga.bytes, 0) }

  /** The latest state that is not after epoch t. */
  latest(t) { return this.states.findLast(kept => kept.t <= t) }

  truncate(t) { this.states = this.states.filter(kept => kept.t <= t) }
}
