// Where a run stands between two steps: configuration, stream, chains, target, pool. As `app/live/run_state.py`, with its names.

import {Settings} from "../dist/translated/sampler_settings.js"

export const SETTINGS = ["eta0", "batch_size", "i_max", "acceptance_radius", "offset", "variance_reduction", "reset", "random_length",
  "refresh"]
const AFTER_END = 1e-3 // a change made after the end of epoch t is marked this much after t

/** What the sampler takes of a configuration. */
export const settingsOf = config => Object.fromEntries(SETTINGS.map(name => [name, config[name]]))

/** What the translated rules call knobs: settings and escape radius. */
export const knobsOf = config => [new Settings(settingsOf(config)), config.escape_radius]

export const isPowerOfTwo = t => t > 0 && (t & (t - 1)) === 0

/** Largest power of two up to t >= 1. */
export const octaveOf = t => 2 ** (31 - Math.clz32(t))

/** What can be turned without a restart differs between two configurations. */
export function knobsDiffer(one, other) {
  return one.escape_radius !== other.escape_radius || SETTINGS.some(name => one[name] !== other[name])
}

/** A run between two steps. Others read it; only `LabRun` changes it. */
export class RunState {
  /** `parts`: kernels, config, problem (its record), stream, saga, target, pool, constants. */
  constructor(parts) {
    Object.assign(this, {advanced: 0, since: 0}, parts) // lockstep steps of this epoch; epoch of the start or the last revival
  }

  /** A copy of what changes, at the end of an epoch; its future is the same bit for bit. */
  kept() {
    return {t: this.t, since: this.since, settings: settingsOf(this.config), escape_radius: this.config.escape_radius,
      saga: this.saga.kept(), target: this.target.copy(), pool: this.pool.copy(), constants: this.constants.kept()}
  }

  /** Put a kept state back; how the run is shown stays. */
  putBack(kept) {
    this.saga.putBack(kept.saga)
    this.constants.putBack(kept.constants)
    Object.assign(this, {target: kept.target.copy(), pool: kept.pool.copy(), since: kept.since,
      advanced: 0, config: {...this.config, ...kept.settings, escape_radius: kept.escape_radius}})
  }

  /** Make new knobs act from the next step on. */
  turn(config) {
    this.config = config
    this.saga.settings = settingsOf(config)
  }

  /** Whether epoch t took in the last datum of the user's own. */
  get data() { return {spent: t => this.config.problem === "given" && t >= this.stream.length} }

  /** The last steps of the traced chain, as `sampler.algorithms.StepTrace`; null where it made none. */
  get trace() {
    const {saga} = this, d = saga.dim, numbers = saga.trace(), n = numbers.length / (4 * d)
    if (!n) return null
    const terms = i => Array.from({length: n}, (_, step) => numbers.slice((4 * step + i) * d, (4 * step + i + 1) * d))
    const [before, guess, correction, noise] = [0, 1, 2, 3].map(terms), last = saga.positions().slice(this.chain * d, (this.chain + 1) * d)
    return {t: this.t, step_size: this.step_size, before, guess, correction, noise, after: [...before.slice(1), last]}
  }

  get t() { return this.saga.t }
  get done() { return this.saga.done }
  get ended() { return this.t >= this.stream.length && this.done }
  get halted() { return this.lost > 0 }

  /** Chains that have diverged. */
  get lost() { return this.saga.state.array("diverged_epoch").reduce((sum, epoch) => sum + (epoch > 0n ? 1 : 0), 0) }

  /** Chain, epoch and step of the first divergence; null while all chains are sound. */
  get divergence() {
    if (!this.halted) return null
    const epochs = this.saga.diverged(), steps = this.saga.divergedSteps()
    const lost = [...epochs.keys()].filter(k => epochs[k])
    const [first] = lost.sort((one, other) => epochs[one] - epochs[other] || steps[one] - steps[other] || one - other)
    return [first, epochs[first], steps[first]]
  }

  /** Whether each chain is sound. */
  get sound() { return this.saga.diverged().map(epoch => epoch === 0) }

  /** The followed chain, else chain 0. */
  get chain() {
    const {follow} = this.config
    return follow !== null && follow >= 0 && follow < this.saga.chains ? follow : 0
  }

  get preconditioned() { return this.config.algorithm === "preconditioned" }

  /** Step of the epoch: eta0/(t + c), or eta0 itself in a metric. */
  get step_size() {
    const {eta0, offset} = this.saga.settings
    return this.preconditioned ? eta0 : eta0 / (this.t + offset || 1)
  }

  get run_length() { return this.t ? this.saga.runLengths()[this.chain] : 0 }
  get step() { return this.t ? Math.min(this.saga.stepsDone()[this.chain], this.run_length) : 0 }
  get longest() { return Math.max(...this.saga.runLengths()) }

  /** Epochs done, with the part of the one under way. */
  get position() { return this.done ? this.t : this.t - 1 + Math.min(this.advanced / this.longest, 1 - AFTER_END) }

  /** Where a change made now is marked on the time axes. */
  get mark_position() { return this.done ? this.t + AFTER_END : this.position }

  /** R/sqrt(t + c). */
  get escape_distance() { return this.config.escape_radius / (Math.sqrt(this.t + this.saga.settings.offset) || 1) }
}
