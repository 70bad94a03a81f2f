// Simulation of chains in one epoch on the library's kernels, with the interface of `sampler.theory.ExitSimulation` and arrays of
// `numpy.js`.
import {NdArray, at, concatenate, multiply, slice, zeros} from "../numpy.js"
import {Pushes} from "../../dist/translated/sampler_theory_decomposition.js"
import {lanes_of, stride_of} from "../../dist/translated/sampler_theory_exit_simulation.js"

const BINS = 24, POINTS = 200 // as in `app.exit_time.job.simulation_of`
const PATHS = 80
const floats = (array, shape) => new NdArray(Float64Array.from(array, Number), shape)

export class ExitSimulation {
  #kernels
  #state
  #lanes
  #blocks
  #stride
  #begin

  /** Simulate the first `chains` chains of a setup, which start at a distance from the mode or at positions (K, d). */
  constructor(kernels, {target, start, config, walks_free: walk_free}, chains) {
    const {step_size, steps, radius, noise} = config, {dim} = target
    Object.assign(this, {target, step_size, steps, radius, chains, noise_bound: noise, walk_free, steps_done: 0})
    this.#kernels = kernels
    this.#lanes = lanes_of(dim)
    this.#blocks = Math.ceil(chains / this.#lanes)
    this.#stride = stride_of(steps, POINTS)
    this.path_steps = floats(Array.from({length: Math.floor(steps / this.#stride) + 1}, (_, k) => k * this.#stride))
    const shown = Math.min(chains, PATHS), sizes = {B: this.#blocks, d: dim, W: this.#lanes, R: target.rows.length, H: BINS, P: shown, Q: this.path_steps.size, S: 0}
    this.#state = kernels.state(["begin_walks", "exit_walk_advance"], sizes)
    kernels.call("begin_walks", this.#state, {seed: 0, distance: start.ndim ? 0 : start, chains})
    if (start.ndim) for (let k = 0; k < chains; k++) for (let q = 0; q < dim; q++) this.#state.array("x")[this.#place(k, q)] = start.data[k * dim + q]
    this.#begin = {x: this.#state.array("x").slice(), rng: this.#state.array("rng").slice()}
    this.#state.set("free", this.#begin.x)
    this.#setTarget(this.#state)
    for (const name of ["exits", "free_exits"]) this.#state.array(name).fill(-1n, chains) // padding lanes of a block are ignored
    const away = this.displacements
    multiply(away, away).sum({axis: 1}).data.subarray(0, shown).forEach((square, k) => this.#state.set("paths", [square], k * this.path_steps.size))
  }

  #place(k, q) { return Math.floor(k / this.#lanes) * this.target.dim * this.#lanes + k % this.#lanes + q * this.#lanes }

  #setTarget(state) {
    const {precision, mode, rows, scores, labels} = this.target
    for (const [name, {data}] of Object.entries({curvature: precision, at_zero: multiply(precision, mode), rows, offsets: scores, targets: labels})) state.set(name, data)
  }

  #walk(more) {
    const {step_size, radius, target, noise_bound} = this, {targets, noises} = this.#kernels.constants
    return {step_size, radius, kind: targets[target.name], noise_kind: noises.sphere, noise_bound, stride: this.#stride, ...more}
  }

  get #same() { return this.target.name === "flat" && this.noise_bound === 0 } // the chain equals the free walk

  /** Run `steps` more steps. Return whether all are done. */
  advance(steps) {
    const count = Math.min(steps, this.steps - this.steps_done)
    this.#kernels.call("exit_walk_advance", this.#state, this.#walk({first: this.steps_done, count, walk_free: this.walk_free && !this.#same, free_keep: 1}))
    this.steps_done += count
    return this.steps_done === this.steps
  }

  #read(name) { return floats(this.#state.array(name).subarray(0, this.chains)) }
  get exit_steps() { return this.#read("exits") }
  get free_exit_steps() { return this.#same && this.walk_free ? this.exit_steps : this.#read("free_exits") }
  get paths() { return floats(this.#state.array("paths"), [this.#state.size("P"), this.path_steps.size]) }
  pushes() { return Pushes.from_sums(floats(this.#state.array("sums"), [this.#blocks, 5, BINS]).sum({axis: 0}), this.radius, this.step_size) }

  /** Positions of the chains relative to the mode, (K, d). */
  get displacements() {
    const {dim} = this.target, x = this.#state.array("x"), out = zeros([this.chains, dim])
    for (let k = 0; k < this.chains; k++) for (let q = 0; q < dim; q++) out.data[k * dim + q] = x[this.#place(k, q)]
    return out
  }

  /** Return all steps of a chain from the start. */
  record(chain) {
    const {dim} = this.target, W = this.#lanes, block = Math.floor(chain / W), lane = chain % W, sizes = {d: dim, W, R: this.target.rows.length, H: 0, P: 0, Q: 1, S: this.steps}
    return this.#kernels.borrow(["exit_walk_record"], sizes, state => {
      state.set("x", this.#begin.x.subarray(block * dim * W, (block + 1) * dim * W))
      state.set("rng", this.#begin.rng.subarray(block * 16, (block + 1) * 16))
      this.#setTarget(state)
      this.#kernels.call("exit_walk_record", state, this.#walk({first: 0, count: this.steps, walk_free: false, free_keep: 1, lane}))
      const [before, guess, noise] = floats(state.array("record"), [3, this.steps, dim])
      const last = floats(Array.from({length: dim}, (_, q) => state.array("x")[q * W + lane]), [1, dim])
      return {t: 1, step_size: this.step_size, before, guess, correction: zeros(guess.shape), noise, after: concatenate([at(before, slice(1, null)), last])}
    })
  }

  release() { this.#state.release() }
}
