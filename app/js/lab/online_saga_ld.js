// Online SAGA-LD in the browser: the library's OnlineSagaLD on the same kernels, numbers and state, for models with kernels.
// Kernels are called in the order of `sampler/algorithms/online_saga_ld.py`, `saga_memory.py` and `stream_sampler.py`; the chains
// are read by `chain_states.py`, translated, from arrays in the module's memory.
//
//   const saga = new OnlineSagaLD(kernels, saved)      // saved: result of `sampler.wasm.handover.to_browser`, parsed
//   saga.settings.eta0 = 0.2                           // takes effect at the next step
//   saga.arrive(); saga.advance(2 ** 52)               // an entire epoch; or step by step:
//   saga.arrive(); while (!saga.advance(1)) draw(saga.positions.data)
//   saga.keep_last(200)                                // forget earlier data
//   saga.saved()                                       // for `from_browser` in Python

import {bytesOf, textOf} from "./compressed_parts.js"
import {wholeNumbers} from "./kernels.js"
import {NdArray, asarray} from "./numpy.js"
import {ChainStates} from "../dist/translated/sampler_algorithms_chain_states.js"
import {CheckpointCalendar} from "../dist/translated/sampler_algorithms_checkpoint_calendar.js"

const TRACED = 1024 // maximum number of traced steps per call
const OF_ROWS = ["rows", "targets"] // arrays that also have rows of future epochs
const INNER = ["trace", "indices", "theta", "fresh"] // scratch arrays of a call

export class OnlineSagaLD extends ChainStates {
  done = true
  #kernels
  #names
  #numbers

  /** `room` is the capacity in rows, which doubles when it is exceeded. */
  constructor(kernels, saved, room = Math.max(64, saved.stored)) {
    super()
    const {dim, family, sizes} = saved, width = sizes.D, name = step => `${family}_${step}_${width}`
    this.#kernels = kernels
    this.#names = {arrive: name("arrive"), advance: name("advance"), rebuild: name("rebuild"),
      gradients: name("gradients"), metric: name("metric"), keepLast: `${this.#ofVectors(family) ? "gaussian_mean" : "glm"}_keep_last`}
    if (family === "preconditioned") Object.assign(this.#names, {rebuild: `glm_rebuild_${width}`, rebuildMetric: "rebuild_metric"})
    for (const [step, entry] of Object.entries(this.#names)) if (!(entry in kernels.entries)) delete this.#names[step]
    this.#numbers = saved.numbers
    Object.assign(this, {family, dim, width, chains: sizes.K, settings: {...saved.settings}, t: saved.t, done: saved.done,
      stored: saved.stored, refreshLapsed: saved.refresh_lapsed, gradientEvaluations: saved.gradient_evaluations,
      forgotten: saved.forgotten, calendar: new CheckpointCalendar(saved.since), counts: saved.epoch_counts,
      labels: [...saved.labels], meta: saved.meta})
    this.#allocate({K: sizes.K, T: Math.max(room, saved.stored), N: sizes.N, d: dim})
    for (const [array, text] of Object.entries(saved.arrays)) {
      this.state.load(array, bytesOf(text), OF_ROWS.includes(array) ? saved.stored : saved.t)
    }
    this.state.sizes.C = sizes.C
    this.#fillMetric()
  }

  #ofVectors(family = this.family) { return family.endsWith("gaussian_mean") } // whether cached gradients are vectors

  #fillMetric() { // fill the matrices of a diagonal metric
    if (this.#names.metric) this.#call("metric", {})
  }

  #allocate(sizes) {
    this.state = this.#kernels.state(Object.values(this.#names), {...sizes, D: this.width, C: this.width, S: TRACED, R: sizes.T})
    Object.assign(this.state.sizes, {C: 0, S: 0}) // no center, no trace
  }

  /**
   * Store n rows of future epochs, n * d numbers encoded as by `problem.encode`, with the targets and raw labels of a one-score
   * model. For logistic regression a row is minus the features times the label, -1 or +1, and the target is 0.
   */
  append(rows, targets = [], labels = targets) {
    const n = rows.length / this.dim, gaussian = this.#ofVectors(), wide = this.#rowWidth
    if (!Number.isInteger(n)) throw new RangeError(`rows must have ${this.dim} numbers each, got ${rows.length} in total`)
    if (!gaussian && (targets.length !== n || labels.length !== n)) throw new RangeError(`targets and labels must have one number per row (${n}), got ${targets.length} and ${labels.length}`)
    if (this.stored + n > this.state.sizes.T) this.#makeRoom(Math.max(2 * this.state.sizes.T, this.stored + n))
    for (let i = 0; i < n; i++) {
      this.state.set("rows", rows.slice(i * this.dim, (i + 1) * this.dim), (this.stored + i) * wide)
    }
    if (!gaussian) {
      this.state.set("targets", targets, this.stored)
      this.labels.push(...labels)
    }
    this.stored += n
  }

  get #rowWidth() { return this.#ofVectors() ? this.dim : this.width }

  /** Forget all data but the last n between two epochs, as in Python; rows of future epochs stay. No effect while t <= n. */
  keep_last(n) {
    if (!this.done) throw new Error(`epoch ${this.t} is unfinished; call advance until it returns true`)
    const dropped = this.t - n, came = this.forgotten + this.t
    if (dropped <= 0) return
    for (const [name, wide] of [["rows", this.#rowWidth], ...this.#ofVectors() ? [] : [["targets", 1]]]) {
      this.state.array(name).copyWithin(0, dropped * wide, this.stored * wide)
    }
    this.labels.splice(0, dropped)
    this.stored -= dropped
    this.#call("keepLast", {dropped, t: n})
    if (this.#names.rebuildMetric) for (let k = 0; k < this.chains; k++) this.#call("rebuildMetric", {k, t: n})
    if (this.state.names.includes("trusted")) this.state.array("trusted").fill(0)
    else this.calendar.forget(came, this.t, n)
    Object.assign(this, {t: n, forgotten: this.forgotten + dropped, refreshLapsed: true})
  }

  #makeRoom(rows) {
    const old = this.state, {C} = old.sizes
    this.#allocate({...old.sizes, T: rows})
    for (const name of old.names) if (!INNER.includes(name)) this.state.load(name, old.save(name), old.sizes.T)
    this.state.sizes.C = C
    old.release()
  }

  #call(name, numbers) {
    return this.#kernels.call(this.#names[name], this.state, {...this.#numbers, ...this.settings, ...numbers})
  }

  #count() {
    this.counts = wholeNumbers(this.state.array("counts"))
  }

  /** Begin the epoch of the next stored row without making a step. */
  arrive() {
    if (!this.done) throw new Error(`epoch ${this.t} is unfinished; call advance until it returns true`)
    if (this.t === this.stored) throw new RangeError(`epoch ${this.t + 1} needs a stored row, got ${this.stored} rows; call append`)
    this.state.array("counts").fill(0n)
    const rebuild = this.refreshLapsed && this.settings.refresh
    if (this.calendar.is_due(this.forgotten + this.t)) this.state.set("checkpoint", this.state.array("position"))
    this.#call("arrive", {t: this.t + 1, rebuild})
    this.#fillMetric()
    this.refreshLapsed = !this.settings.refresh
    this.t += 1
    this.done = false
    this.#count()
    this.gradientEvaluations += this.counts[0]
  }

  /** Make up to n steps of every unfinished chain, and trace `chain` unless null. Return whether all have finished the epoch. */
  advance(n, chain = null) {
    const traced = chain ?? -1
    this.traced = 0
    if (this.done) return true
    const [before] = this.counts, done = traced < 0 ? 0 : this.steps_done.data[traced]
    if (traced >= 0) {
      this.state.sizes.S = this.diverged.data[traced] ? 0 : Math.min(n, this.run_lengths.data[traced] - done)
      if (this.state.sizes.S > TRACED) throw new RangeError(`n must be at most ${TRACED} with a trace, got ${n}`)
    }
    this.done = this.#call("advance", {t: this.t, n, traced: this.state.sizes.S ? traced : -1})
    this.#count()
    if (this.state.sizes.S) this.traced = this.steps_done.data[traced] - done
    this.state.sizes.S = 0
    this.gradientEvaluations += this.counts[0] - before
    return this.done
  }

  /** Return a copy of the terms of the steps traced in the last `advance`: before, guess, correction, noise (steps * 4 * d). */
  trace() { return this.state.array("trace").slice(0, this.traced * 4 * this.dim) }

  /** Arrays of the chains for the methods of `ChainStates`; those of integers are copies. */
  get _state() {
    const {state, chains, width} = this
    const points = name => new NdArray(state.array(name), [chains, width]), whole = name => asarray(wholeNumbers(state.array(name)))
    return {
      get position() { return points("position") }, get checkpoint() { return points("checkpoint") }, get warm_start() { return points("warm_start") },
      get farthest() { return new NdArray(state.array("farthest")) }, get length_draw() { return new NdArray(state.array("length_draw")) },
      get was_reset() { return new NdArray(state.array("was_reset"), [chains], true) }, get steps_done() { return whole("steps_done") },
      get diverged_epoch() { return whole("diverged_epoch") }, get diverged_step() { return whole("diverged_step") }}
  }

  get checkpoint_epoch() { return Math.max(super.checkpoint_epoch, this.calendar.newest(this.forgotten + this.t - 1) - this.forgotten) }

  /** Center of `farthest`: D numbers in the module's memory, or none. */
  get _center() { return new NdArray(this.state.array("center")) }
  set _center({data}) {
    this.state.sizes.C = data.length
    this.state.set("center", data)
  }

  /** Reset diverged chains to their checkpoint, recompute all gradients and end their epoch. Return the number of these chains. */
  restart_diverged() {
    if (!this.#names.rebuild) throw new Error(`family must support restarts in the browser, got ${this.family}`)
    const {data: lost} = this.diverged, {data: lengths} = this.run_lengths, chains = [...lost.keys()].filter(k => lost[k])
    this.state.sizes.R = this.t
    for (const k of chains) {
      const place = k * this.width, checkpoint = this.state.array("checkpoint").slice(place, place + this.width)
      this.state.set("position", checkpoint, place)
      if (this.#names.gradients) {
        this.state.set("theta", checkpoint.subarray(0, this.dim))
        this.state.set("indices", Array.from({length: this.t}, (_, i) => i))
        this.#call("gradients", {})
      }
      this.#call("rebuild", {k, t: this.t})
      if (this.#names.rebuildMetric) this.#call("rebuildMetric", {k, t: this.t})
      this.state.set("diverged_epoch", [0], k)
      this.state.set("steps_done", [lengths[k]], k)
    }
    this.gradientEvaluations += chains.length * this.t
    return chains.length
  }

  /** H of a preconditioned chain, (d, d), now and, for its acceptance test, at the checkpoint; null for plain chains. */
  precision_matrix(chain) { return this.#matrix("precision_matrix", chain) }
  acceptance_matrix(chain) { return this.#matrix("frozen", chain) }

  #matrix(name, chain) {
    if (!this.state.names.includes(name)) return null
    const {dim, width} = this, first = chain * dim * width, out = new Float64Array(dim * dim), all = this.state.array(name)
    for (let i = 0; i < dim; i++) out.set(all.subarray(first + i * width, first + i * width + dim), i * dim)
    return new NdArray(out, [dim, dim])
  }

  /** Whether each preconditioned chain can be reset to its checkpoint. */
  get acceptance_in_force() { return new NdArray(this.state.array("trusted").slice(), [this.chains], true) }

  /** Return the epoch of the last update of each cached gradient of a chain (t). */
  cached_epochs(chain) {
    const name = this.state.names.includes("items") ? "items" : "links"
    return asarray(this.state.field(name, "touched", chain * this.state.sizes.T, this.t))
  }

  get #epochArrays() { return this.state.names.filter(name => !INNER.includes(name) && !OF_ROWS.includes(name)) }

  /** Bytes of the arrays of `capture`. */
  get bytes() { return this.#epochArrays.reduce((sum, name) => sum + this.state.bytes(name, this.t), 0) }

  /**
   * Return the state that epochs change, bytes per array and numbers, from which `restore` resumes bit for bit. Rows are not part of
   * it: if the number of forgotten data differs, `restore` drops the rows, and those from `forgotten` + 1 must be appended again.
   */
  capture() {
    const arrays = Object.fromEntries(this.#epochArrays.map(name => [name, this.state.save(name, this.t)]))
    return {arrays, t: this.t, done: this.done, forgotten: this.forgotten, since: this.calendar.since,
      settings: {...this.settings}, refreshLapsed: this.refreshLapsed, gradientEvaluations: this.gradientEvaluations,
      counts: [...this.counts], C: this.state.sizes.C}
  }

  /** Return to a state of `capture`, which may be restored more than once. */
  restore({arrays, t, done, forgotten, since, settings, refreshLapsed, gradientEvaluations, counts, C}) {
    if (forgotten !== this.forgotten) Object.assign(this, {stored: 0, labels: []})
    for (const [name, bytes] of Object.entries(arrays)) this.state.load(name, bytes, t)
    this.state.sizes.C = C
    Object.assign(this, {t, done, forgotten, calendar: new CheckpointCalendar(since), settings: {...settings}, refreshLapsed,
      gradientEvaluations, counts: [...counts], traced: 0})
  }

  /** Return the entire state as a value for JSON. */
  saved() {
    const names = this.state.names.filter(name => !INNER.includes(name))
    const arrays = Object.fromEntries(names.map(name =>
      [name, textOf(this.state.save(name, OF_ROWS.includes(name) ? this.stored : this.t))]))
    const {K, N, C} = this.state.sizes
    return {family: this.family, dim: this.dim, numbers: this.#numbers, settings: this.settings, t: this.t, done: this.done, stored: this.stored,
      refresh_lapsed: this.refreshLapsed, forgotten: this.forgotten, since: this.calendar.since,
      gradient_evaluations: this.gradientEvaluations, epoch_counts: this.counts,
      sizes: {K, N, C, D: this.width}, labels: this.labels, arrays, meta: this.meta}
  }
}
