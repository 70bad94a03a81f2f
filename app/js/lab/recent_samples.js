// The chains' samples of the last epochs in the browser, each seen through its own epoch's target: `app/live/recent_samples.py`.
// Pooled, they are one large sample. Arrays of an epoch are never changed, so that what is kept shares them.
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
  #samples = [] // of each epoch {uniforms, scores}
  #pairs = [] // of each epoch but the first {previous, current}
  #last = null

  constructor(kernels, d) {
    Object.assign(this, {d, ceilings: new Map()})
    this.#work = new Workspace(kernels, ENTRIES, {d, R: 64})
  }

  #rows(values, sound) { // of the chains that count
    return Float64Array.from(values).filter((_, i) => sound[Math.floor(i / this.d)])
  }

  /** Take in epoch t: uniforms and standardised positions (K * d), and which chains count (K booleans). */
  add(t, uniforms, scores, sound) {
    this.#samples = keep(this.#samples, {uniforms: this.#rows(uniforms, sound), scores: this.#rows(scores, sound)})
    if (this.#last !== null && this.#last.t === t - 1) {
      const both = Array.from(sound, (one, k) => one && this.#last.sound[k])
      this.#pairs = keep(this.#pairs, {previous: this.#rows(this.#last.scores, both), current: this.#rows(scores, both)})
    }
    this.#last = {t, scores: Float64Array.from(scores), sound: Array.from(sound)}
  }

  #count(list, name) { return list.reduce((total, one) => total + one[name].length, 0) / this.d }

  /** Draws pooled, and pairs of successive ones. */
  get size() { return this.#count(this.#samples, "uniforms") }
  get pairs() { return this.#count(this.#pairs, "current") }

  #measure(entry, list, names, numbers) { // on the arrays of these names, of all epochs in a row
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

  /** Marginal accuracy of the pool; null of none. */
  accuracy() { return this.size ? this.#measure("pool_accuracy", this.#samples, ["uniforms"])[0] : null }

  /** Mean and standard deviation of what as many independent exact draws would score. */
  ceiling() {
    const n = this.size
    if (!this.ceilings.has(n)) this.ceilings.set(n, this.#measure("pool_ceiling", [], [], {n}).slice(0, 2))
    return this.ceilings.get(n)
  }

  /** Width bias, lag and narrowness in target widths. */
  shape() { return this.size < 2 ? [0, 0, 0] : this.#measure("pool_shape", this.#samples, ["scores"]) }

  /** Correlation of successive samples, the highest coordinate; null with too few pairs. */
  memory() {
    if (this.pairs < 3) return null
    const [highest] = this.#measure("pool_memory", this.#pairs, ["previous", "current"])
    return Number.isFinite(highest) ? highest : null
  }

  /** What epochs change; `putBack` goes on from there. */
  kept() { return [this.#samples, this.#pairs, this.#last] }
  putBack(kept) { [this.#samples, this.#pairs, this.#last] = kept }
}
