// Samples of the chains in recent epochs, each transformed by the target of its epoch and pooled: `app/live/recent_samples.py`.
// Arrays of an epoch are never changed, so that captured states share them.
//
//   const pool = new Pool(kernels, 2)
//   pool.add(t, target.uniforms(positions), target.scores(positions), sound)
//   pool.accuracy(); pool.ceiling(); pool.shape(); pool.memory()

import {Workspace} from "./target.js"
import {EPOCHS} from "../dist/translated/app_live_recent_samples.js"

const ENTRIES = ["pool_accuracy", "pool_ceiling", "pool_shape", "pool_memory"]
const keep = (list, one) => [...list, one].slice(-EPOCHS)

export class Pool {
  #work
  #samples = [] // {uniforms, scores} per epoch
  #pairs = [] // {previous, current} per epoch but the first
  #last = null

  constructor(kernels, d) {
    Object.assign(this, {d, ceilings: new Map()})
    this.#work = new Workspace(kernels, ENTRIES, {d, R: 64})
  }

  #rows(values, sound) { // of the sound chains
    return Float64Array.from(values).filter((_, i) => sound[Math.floor(i / this.d)])
  }

  /** Add epoch t: uniforms and standardised positions (K * d), and whether each chain is sound (K). */
  add(t, uniforms, scores, sound) {
    this.#samples = keep(this.#samples, {uniforms: this.#rows(uniforms, sound), scores: this.#rows(scores, sound)})
    if (this.#last !== null && this.#last.t === t - 1) {
      const both = Array.from(sound, (one, k) => one && this.#last.sound[k])
      this.#pairs = keep(this.#pairs, {previous: this.#rows(this.#last.scores, both), current: this.#rows(scores, both)})
    }
    this.#last = {t, scores: Float64Array.from(scores), sound: Array.from(sound)}
  }

  #count(list, name) { return list.reduce((total, one) => total + one[name].length, 0) / this.d }

  /** Number of pooled draws, and of pairs of successive ones. */
  get size() { return this.#count(this.#samples, "uniforms") }
  get pairs() { return this.#count(this.#pairs, "current") }

  #measure(entry, list, names, numbers) { // on the arrays of these names, concatenated over epochs
    const R = names.length ? this.#count(list, names[0]) : 0
    this.#work.reserve("R", R)
    for (const name of names) {
      let first = 0
      for (const one of list) {
        this.#work.state.set(name, one[name], first)
        first += one[name].length
      }
    }
    this.#work.call(entry, numbers, {R})
    return [...this.#work.state.array("result")]
  }

  /** Return the marginal accuracy of the pool, or null if it is empty. */
  accuracy() { return this.size ? this.#measure("pool_accuracy", this.#samples, ["uniforms"])[0] : null }

  /** Return the mean and standard deviation of the accuracy of equally many independent exact draws. */
  ceiling() {
    const n = this.size
    if (!this.ceilings.has(n)) this.ceilings.set(n, this.#measure("pool_ceiling", [], [], {n}).slice(0, 2))
    return this.ceilings.get(n)
  }

  /** Return the width bias, lag and narrowness in target widths. */
  shape() { return this.size < 2 ? [0, 0, 0] : this.#measure("pool_shape", this.#samples, ["scores"]) }

  /** Return the largest correlation of successive samples over coordinates, or null with too few pairs. */
  memory() {
    if (this.pairs < 3) return null
    const [highest] = this.#measure("pool_memory", this.#pairs, ["previous", "current"])
    return Number.isFinite(highest) ? highest : null
  }

  /** Return the state that epochs change, from which `restore` resumes. */
  capture() { return [this.#samples, this.#pairs, this.#last] }
  restore(state) { [this.#samples, this.#pairs, this.#last] = state }
}
