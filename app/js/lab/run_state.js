// `app/live/run_state.py` on the kernels in the browser: chains, target, pool and position of a run.

import {borrowing, curvatureIn, familyOf, metricOf} from "./noise.js"
import {NdArray, asarray, eye} from "./numpy.js"
import {RunPosition} from "../dist/translated/app_live_run_position.js"
import {Settings} from "../dist/translated/sampler_settings.js"
import {WINDOW} from "../dist/translated/app_state_live.js"
import {concentration_of} from "../dist/translated/sampler_theory_assumptions.js"

const ROWS_AHEAD = 256 // rows encoded at a time
const diagonal = (matrix, d) => matrix.filter((_, i) => i % (d + 1) === 0)

/** State that observers read; only `LabRun` changes it. */
export class RunState extends RunPosition {
  /** `parts`: kernels, config, problem (its record), stream, saga, target, pool, constants. */
  constructor(parts) {
    super()
    const {stream, config, problem: {kind, label}} = parts
    Object.assign(this, {advanced: 0, since: 0, data: {kind, label, length: stream.length, exhausted: t => config.problem === "given" && t >= stream.length}}, parts)
  }

  /** Return the variable state at the end of an epoch, from which `restored` resumes bit for bit, any number of times. */
  copy() {
    const {t, since, knobs, nbytes, saga, target, pool, constants: {meter, ...constants}} = this
    return {t, since, knobs, nbytes, saga: saga.capture(), target: target.capture(), pool: pool.capture(), meter: meter.capture(),
      constants: structuredClone(constants)}
  }

  restored({since, knobs, saga, target, pool, meter, constants}) {
    this.saga.restore(saga)
    this.#store(this.saga.forgotten + this.saga.t)
    this.saga.settings = knobs[0]
    this.target.restore(target)
    this.pool.restore(pool)
    this.constants.meter.restore(meter)
    Object.assign(this.constants, structuredClone(constants))
    return Object.assign(this, {since, advanced: 0, config: this.config.turned(knobs)})
  }

  get nbytes() { return this.saga.bytes }

  #store(t) { // give the sampler the rows up to epoch t, and some more
    const {saga, stream} = this, first = saga.forgotten + saga.stored + 1
    if (first <= t) saga.append(...stream.encoded(first, Math.min(Math.max(ROWS_AHEAD, t - first + 1), stream.length - first + 1)))
  }

  arrive() {
    const {saga, stream, target, config} = this, t = this.t + 1
    if (config.forget && this.count >= WINDOW) {
      saga.keep_last(WINDOW - 1)
      target.forget(1)
    }
    this.#store(t)
    saga.arrive()
    const [row, [response]] = stream.encoded(t, 1).concat([[]])
    target.add(row, response)
    this.constants.add(t, target.mode, this.variances, row)
    saga.watch(asarray(target.mode))
    this.advanced = 0
  }

  // chains ---------------------------------------------------------------------------------------------------------------

  farthest() { return super.farthest().data }
  get sound() { return Array.from(this.saga.diverged.data, lost => !lost) }

  /** Last steps of the traced chain, as `sampler.algorithms.StepTrace`; null without any. */
  get trace() {
    const {saga} = this, d = saga.dim, numbers = saga.trace(), n = numbers.length / (4 * d)
    if (!n) return null
    const terms = i => Array.from({length: n}, (_, step) => numbers.slice((4 * step + i) * d, (4 * step + i + 1) * d))
    const [before, guess, correction, noise] = [0, 1, 2, 3].map(terms)
    return {t: this.t, step_size: this.step_size, before, guess, correction, noise, after: [...before.slice(1), this.position_of(this.chain).data]}
  }

  // measurements of the chains -------------------------------------------------------------------------------------------

  pool_samples() {
    const {target} = this, {data: samples} = this.saga.positions
    this.pool.add(this.t, target.uniforms(samples), target.scores(samples), this.sound)
  }

  measure_cloud() {
    return borrowing(this.kernels, "measure_cloud", this.saga, cloud => {
      cloud.set("samples", this.saga.positions.data)
      cloud.set("sound", this.sound)
      cloud.set("mode", this.target.mode)
      this.kernels.call("measure_cloud", cloud, {square: this.escape_distance ** 2})
      const [count, farthest, exits] = cloud.array("result")
      return [cloud.array("inside").slice(0, count).sort(), farthest, exits]
    })
  }

  work() {
    const [evaluations, , , steps] = this.saga.counts
    return [evaluations, steps]
  }

  outline() {
    return borrowing(this.kernels, "outline", this.saga, arrays => {
      arrays.set("samples", this.saga.positions.data)
      arrays.set("sound", this.sound)
      return this.kernels.call("outline", arrays, {}) ? ["mean", "covariance"].map(name => arrays.array(name).slice()) : null
    })
  }

  noise_here() { return this.gradient_variance(this.chain) ?? {} }

  /** Return a chain's gradient variance with and without cached gradients, and Lemma 6.2's bound, in its metric; null without one. */
  gradient_variance(chain) {
    const {kernels, saga, problem: {kind, curvature_bound}} = this, metric = this.metric_of(chain), entry = `${familyOf(kind)}_variance`
    if (!metric) return null
    return borrowing(kernels, entry, saga, state => {
      state.set("metric", metric)
      state.set("theta", this.position_of(chain).data)
      kernels.call(entry, state, {kind: kernels.constants.kinds[kind], curvature_bound: curvature_bound ?? Infinity, chain, t: saga.t,
        batch_size: saga.settings.batch_size})
      const [reduced, sgld, bound] = state.array("variance")
      return {saga: reduced, sgld, bound: Number.isNaN(bound) ? null : bound}
    })
  }

  /** Return the gradients of all terms at a chain's position, minus the cached ones if `cached`, (t, d). */
  terms(chain, cached) {
    const {kernels, saga, count, problem: {kind}} = this, entry = `${familyOf(kind)}_terms`
    return borrowing(kernels, entry, saga, state => {
      state.set("theta", this.position_of(chain).data)
      state.set("indices", Array.from({length: count}, (_, i) => i))
      kernels.call(entry, state, {kind: kernels.constants.kinds[kind], chain, cached})
      return [new NdArray(state.array("terms").slice(), [count, saga.dim]), null]
    }, {R: count})
  }

  rows_so_far() { return [...this.stream.until(this.t, this.count), asarray(diagonal(this.problem.prior_precision, this.saga.dim))] }

  metric_of(chain) { return metricOf(this.kernels, this.saga, chain) }
  #lengths(metrics) { return this.preconditioned ? metrics : [eye(this.saga.dim).data] }

  smoothness(metrics) {
    const {kernels, saga, problem: {kind, curvature_bound: bound, prior_precision: prior}} = this
    if (bound === null) return Infinity
    if (kind === "gaussian_mean") return Math.max(...this.#lengths(metrics).map(metric => curvatureIn(kernels, saga, this.target.hessian, metric)))
    return borrowing(kernels, "smoothness", saga, state => Math.max(...this.#lengths(metrics).map(metric => {
      state.set("prior", prior)
      state.set("metric", metric)
      kernels.call("smoothness", state, {curvature_bound: bound, t: this.count})
      return state.array("curvature")[0]
    })))
  }

  start_distance(chains, metrics) {
    const {mean, std, covariance} = this.target, lengths = this.#lengths(metrics)
    return borrowing(this.kernels, "start_distance", this.saga, state => {
      for (const [name, numbers] of Object.entries({chains, mean, std, laplace: covariance})) state.set(name, numbers)
      lengths.forEach((metric, i) => state.set("metrics", metric, i * metric.length))
      this.kernels.call("start_distance", state, {})
      return state.array("distance")[0]
    }, {R: chains.length, B: lengths.length})
  }

  // target ---------------------------------------------------------------------------------------------------------------

  get truth() { return this.target }
  get tracker() { return this.target }
  get variances() { return diagonal(this.target.covariance, this.saga.dim) }
  get curvatures() { return diagonal(this.target.hessian, this.saga.dim) }

  get concentration() {
    const {ready, mode, mean} = this.target
    return concentration_of(this.count, this.saga.settings.offset, this.variances, ready ? mean : mode, mode)
  }

  get advised() {
    const advised = this.problem.advised?.[this.config.algorithm]
    return advised ? new Settings(advised) : null
  }

  get plain_settings() { return new Settings({...this.saga.settings, ...(this.problem.advised ?? this.problem.opens)["saga-ld"]}) }

  largest_curvature() { // at the mode, in the chain's metric
    const metric = this.metric_of(this.chain)
    return metric && curvatureIn(this.kernels, this.saga, this.target.hessian, metric)
  }
}
