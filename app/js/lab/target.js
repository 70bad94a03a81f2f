// Target of a run in the browser, with one datum per epoch: its mode, distribution and contours, as in `app/live/truth.py`.
// Its kernels are exact for quadratic F_t, use a grid in the plane, and else Laplace's approximation.
//
//   const target = new Target(kernels, problem)           // problem: a record {kind, dim, prior_precision, ...}
//   target.add(row, response)                             // encoded, as for OnlineSagaLD.append
//   target.mode; target.std; target.uniforms(positions)
//   target.forget(1)                                      // drop the oldest datum
//   const state = target.capture()                        // `restore(state)` resumes from it

const QUADRATIC = ["gaussian_mean", "linear"], PLANE = 2
const MODE = ["mode", "hessian", "covariance", "mean", "std"], GRID = ["spread", "x", "y", "weights", "marginals"]
const MODE_ENTRIES = ["mode_add", "solve_mode", "normal_marginals", "normal_cdf", "standardise", "normal_contours"]
const GRID_ENTRIES = ["grid_place", "grid_potential", "grid_settle", "grid_add", "grid_cdf", "grid_contours", "grid_ellipses"]

/** Arrays of an object; `room` is the capacity per symbol. */
export class Workspace {
  #entries
  #kernels

  constructor(kernels, entries, sizes) {
    this.#kernels = kernels
    this.#entries = entries
    this.room = sizes
    this.state = kernels.state(entries, sizes)
  }

  /** Raise the capacity of a symbol; the arrays keep their contents. */
  reserve(symbol, size) {
    if (size <= this.room[symbol]) return
    const old = this.state
    this.room = {...this.room, [symbol]: Math.max(size, 2 * this.room[symbol])}
    this.state = this.#kernels.state(this.#entries, this.room)
    for (const name of old.names) this.state.set(name, old.array(name))
    old.release()
  }

  /** Call an entry with the sizes of some symbols, on the rows after the first `skipped`. */
  call(name, numbers = {}, sizes = {}, skipped = 0) {
    Object.assign(this.state, {sizes: {...this.room, ...sizes}, skipped})
    return this.#kernels.call(name, this.state, numbers)
  }

  release() { this.state.release() }
}

/** Target of the last t rows; the `forgotten` rows before them are stored but not used. */
export class Target {
  #kernels
  #work
  #solvedAt = -1 // t at the last exact solution for the mode; -1: none

  constructor(kernels, problem) {
    const {kind, dim, prior_precision: matrix} = problem, {constants} = kernels
    const prior = Array.from({length: dim}, (_, i) => matrix[i * (dim + 1)])
    this.#kernels = kernels
    Object.assign(this, {problem, dim, t: 0, forgotten: 0, draws: null, epoch: null, busy: false, kind: constants.kinds[kind],
      gridded: !QUADRATIC.includes(kind) && dim === PLANE && prior.every(one => one > 0)})
    this.words = QUADRATIC.includes(kind) ? "exact" : this.gridded ? "grid" : "Laplace (mode and curvature)"
    const entries = [...MODE_ENTRIES, ...this.gridded ? GRID_ENTRIES : []]
    this.#work = new Workspace(kernels, entries, {d: dim, T: 64, K: 64, G: constants.grid_points})
    this.#set("prior", prior)
    this.#set("masses", constants.masses)
    if (!this.#solve()) for (let i = 0; i < dim; i++) this.#set("covariance", [Infinity], i * (dim + 1))
    this.#call("normal_marginals")
    if (this.gridded) this.#fitWindow()
  }

  #set(name, values, first) { this.#work.state.set(name, values, first) }

  #call(name, numbers, sizes) {
    const {kind, t, forgotten} = this
    return this.#work.call(name, {kind, t, ...numbers}, {T: this.#work.room.T - forgotten, ...sizes}, forgotten)
  }

  #read(name) { return this.#work.state.array(name).slice() }

  #solve() {
    const solved = this.#call("solve_mode")
    if (solved) this.#solvedAt = this.t
    return solved
  }

  #fitWindow() {
    for (let i = 0; i < this.#kernels.constants.grid_rounds; i++) {
      this.#call("grid_place")
      this.#call("grid_potential")
      if (this.#call("grid_settle", {power: 1})) return
    }
  }

  /** Add a datum: its encoded row (d numbers) and response. */
  add(row, response = 0) {
    if (row.length !== this.dim) throw new RangeError(`row must have ${this.dim} numbers, got ${row.length}`)
    const came = this.forgotten + this.t
    this.#work.reserve("T", came + 1)
    this.#set("rows", row, came * this.dim)
    this.#set("targets", [response], came)
    this.t += 1
    if (!this.#call("mode_add", {solved_at: this.#solvedAt}) && !this.#solve() && this.#solvedAt >= 0) throw this.#noMode()
    if (!this.gridded) this.#call("normal_marginals")
    else if (!this.#call("grid_add")) this.#fitWindow()
  }

  #noMode() { return new Error(`the target of ${this.t} data must have a mode, got none; set a prior precision above 0`) }

  /** Drop the n oldest data, fewer than t. */
  forget(n) {
    if (!Number.isInteger(n) || n < 1 || n >= this.t) throw new RangeError(`n must be a whole number in [1, ${this.t - 1}], got ${n}`)
    this.forgotten += n
    this.t -= n
    if (!this.#solve()) throw this.#noMode()
    if (this.gridded) this.#fitWindow()
    else this.#call("normal_marginals")
  }

  /** Mode (d), Hessian at the mode and its inverse (d * d), mean and standard deviations of the distribution (d). Copies. */
  get mode() { return this.#read("mode") }
  get hessian() { return this.#read("hessian") }
  get covariance() { return this.#read("covariance") }
  get mean() { return this.#read("mean") }
  get std() { return this.#read("std") }

  /** Whether the target has a density. */
  get ready() { return this.covariance.every(Number.isFinite) }

  #ofSamples(entry, positions, out) {
    const K = positions.length / this.dim
    if (!Number.isInteger(K)) throw new RangeError(`positions must have ${this.dim} numbers each, got ${positions.length} in total`)
    this.#work.reserve("K", K)
    this.#set("samples", positions)
    this.#call(entry, {}, {K})
    return this.#work.state.array(out).slice(0, positions.length)
  }

  /** Return the marginal distribution functions at positions (K * d), and their scores in standard deviations from the mean. */
  uniforms(positions) { return this.#ofSamples(this.gridded ? "grid_cdf" : "normal_cdf", positions, "uniforms") }
  scores(positions) { return this.#ofSamples("standardise", positions, "scores") }

  /** Return the contours of the usual masses in the plane of two directions (d each) as x, y, x, y, ...; none without a density. */
  contours(px, py) {
    if (!this.ready) return []
    this.#set("projection", Array.from(px, (x, i) => [x, py[i]]).flat())
    if (!this.gridded) this.#call("normal_contours")
    else if (!this.#call("grid_contours")) this.#call("grid_ellipses")
    const loops = Float32Array.from(this.#work.state.array("loops")), size = 2 * this.#kernels.constants.loop_points
    return this.#kernels.constants.masses.map((_, i) => loops.slice(i * size, (i + 1) * size))
  }

  /** Return the state that data change, without rows; `restore` resumes from it any number of times, with the rows added since. */
  capture() {
    const names = this.gridded ? [...MODE, ...GRID] : MODE
    return {arrays: names.map(name => [name, this.#read(name)]), solvedAt: this.#solvedAt, t: this.t, forgotten: this.forgotten}
  }

  restore({arrays, solvedAt, t, forgotten}) {
    for (const [name, values] of arrays) this.#set(name, values)
    this.#solvedAt = solvedAt
    Object.assign(this, {t, forgotten})
  }

  release() { this.#work.release() }

  /** No-ops: unlike in `app/live/truth.py`, nothing is computed in the background. */
  refresh() { return false }
  close() {}
}
