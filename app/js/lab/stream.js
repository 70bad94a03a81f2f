// Initial state of a run, computed by the library's kernels: the stream of rows, and a sampler before its first row.
//
//   const stream = new Stream(kernels, problem, "paper", 5)             // problem: from `sampler.wasm.problem_record`
//   const start = {algorithm: "saga-ld", settings, chains: 64, seed: 5, stream}, saved = initialState(kernels, problem, start)
//   new OnlineSagaLD(kernels, saved).append(...stream.encoded(1, 100))  // rows of epochs 1 to 100
//   stream.until(1)                                                     // features and labels up to epoch 1
//
// The result is that of Python for each seed and number of chains: `sampler.synthetic_stream`, and `to_browser` of a new sampler.

import {NdArray} from "./numpy.js"
import {textOf} from "./compressed_parts.js"

const BLOCK = 256 // rows encoded at once

/** Stream of supplied rows in order of arrival: features n * d, labels n (none for "gaussian_mean"). */
export class RowStream {
  #kernels
  #problem
  #state

  constructor(kernels, problem, features, labels, length = features.length / problem.dim) {
    if (!Number.isInteger(length) || length < 1) {
      throw new RangeError(`rows must have ${problem.dim} numbers each, got ${features.length} in total`)
    }
    if (labels && labels.length !== length) throw new RangeError(`labels must have one number per row (${length}), got ${labels.length}`)
    Object.assign(this, {length, theta: null})
    this.#kernels = kernels
    this.#problem = problem
    this.#state = kernels.state(["fill_stream", "encode_rows"], {T: length, d: problem.dim, R: BLOCK})
    this.#state.set("features", features)
    if (labels) this.#state.set("labels", labels)
  }

  /** Draw the rows of a stream of `sampler.synthetic_stream`, by name. */
  draw(stream, seed) {
    const {drawn_kinds: kinds, streams} = this.#kernels.constants, {kind} = this.#problem
    if (!streams.includes(stream)) throw new RangeError(`stream must be one of ${streams.join(", ")}, got ${stream}`)
    this.#kernels.call("fill_stream", this.#state, {kind: kinds.indexOf(kind), stream: streams.indexOf(stream), seed})
    this.theta = this.#state.array("theta").slice()
  }

  /** Return the features (n, d) and labels (n), or null for observations, of the last n epochs up to t. */
  until(t, n = t) {
    const {kind, dim} = this.#problem, last = (name, wide) => this.#state.array(name).slice((t - n) * wide, t * wide)
    return [new NdArray(last("features", dim), [n, dim]), kind === "gaussian_mean" ? null : new NdArray(last("labels", 1))]
  }

  /** Return the rows, targets and labels of n epochs from t for `OnlineSagaLD.append`. */
  encoded(t, n) {
    const {dim, kind, numbers} = this.#problem, first = t - 1
    if (!Number.isInteger(t) || t < 1 || first + n > this.length) throw new RangeError(`rows must be of epochs 1 to ${this.length}, got ${n} from ${t}`)
    const parts = {rows: new Float64Array(n * dim), targets: new Float64Array(n), classes: new Float64Array(n)}
    for (let done = 0; done < n; done += BLOCK) {
      const count = Math.min(BLOCK, n - done)
      this.#kernels.call("encode_rows", this.#state, {...numbers, first: first + done, count})
      for (const [name, part] of Object.entries(parts)) {
        const wide = name === "rows" ? dim : 1
        part.set(this.#state.array(name).subarray(0, count * wide), done * wide)
      }
    }
    return kind === "gaussian_mean" ? [parts.rows] : [parts.rows, parts.targets, parts.classes]
  }

  /** Free the memory; no row can be read afterwards. */
  release() { this.#state.release() }
}

/** Stream of `sampler.synthetic_stream`, by name, drawn up to a horizon; `theta` is its true parameter. */
export class Stream extends RowStream {
  constructor(kernels, problem, stream, seed, horizon = 65536) {
    super(kernels, problem, [], null, horizon)
    this.draw(stream, seed)
  }
}

/** Return the width to which rows of `dim` numbers are padded: the smallest for which the module has the family. */
function widthOf({constants, entries}, family, dim) {
  return constants.widths.find(width => width >= dim && `${family}_advance_${width}` in entries)
}

/**
 * Return the state of a sampler at t = 0, as `sampler.wasm.to_browser` does, without arrays of zeros. `stream` has the first row,
 * at which chains of a flat prior start; `settings` has only the knobs and switches of the sampler.
 */
export function initialState(kernels, problem, {algorithm, settings, chains, seed, stream}) {
  const own = problem.algorithms[algorithm], {starts, line, noise_block: noiseBlock} = kernels.constants
  if (!own) throw new RangeError(`algorithm must be one of ${Object.keys(problem.algorithms).join(", ")}, got ${algorithm}`)
  const {family, numbers} = own, D = widthOf(kernels, family, problem.dim), block = Math.max(noiseBlock, D)
  const declared = ["arrive", "advance"].flatMap(step => kernels.entries[`${family}_${step}_${D}`].arguments)
  const names = declared.filter(one => one.shape).map(one => one.name)
  const state = kernels.state(["begin_chains"], {K: chains, d: problem.dim, D, M: names.includes("whitener") ? chains : 0})
  state.set("prior", problem.prior_precision)
  if (problem.start === "first row") state.set("first", stream.until(1)[0].data)
  kernels.call("begin_chains", state, {rule: starts.indexOf(problem.start), seed, block})
  const arrays = Object.fromEntries(state.names.filter(name => names.includes(name)).map(name => [name, textOf(state.save(name))]))
  state.release()
  const plain = {settings: {...settings}, t: 0, done: true, gradient_evaluations: 0, epoch_counts: [0, 0, 0, 0]}
  return {family, dim: problem.dim, numbers, ...plain, stored: 0, refresh_lapsed: false, forgotten: 0, since: null,
    sizes: {K: chains, N: block + line, C: 0, D}, labels: [], arrays,
    meta: {...problem.state, algorithm: own.name, problem: problem.saved, chains, seed, ...plain, memory: own.memory, rows: true}}
}
