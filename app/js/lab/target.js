// The target of a run in the browser, one datum an epoch: its mode, its law, its contours, as `app/live/truth.py` has them.
// What stands here is the order of calls alone: exact where F_t is quadratic, on a grid in the plane, else Laplace's approximation.
//
//   const target = new Target(kernels, problem)           // problem: a record {kind, dim, prior_precision, ...}
//   target.add(row, response)                             // encoded, as OnlineSagaLD.append takes them
//   target.mode; target.std; target.uniforms(positions)
//   target.forget(1)                                      // the oldest datum no longer counts
//   const kept = target.kept()                            // `putBack(kept)` goes on from there

const QUADRATIC = ["gaussian_mean", "linear"], PLANE = 2
const MODE = ["mode", "hessian", "covariance", "mean", "std"], GRID = ["spread", "x", "y", "weights", "marginals"]
const MODE_ENTRIES = ["mode_add", "solve_mode", "normal_marginals", "normal_cdf", "standardise", "normal_contours"]
const GRID_ENTRIES = ["grid_place", "grid_potential", "grid_settle", "grid_add", "grid_cdf", "grid_contours", "grid_ellipses"]

/** Memory of an object: `room` says for how many of each symbol. */
export class Workspace {
  #entries
  #kernels

  constructor(kernels, entries, sizes) {
    this.#kernels = kernels
    this.#entries = entries
    this.room = sizes
    this.state = kernels.state(entries, sizes)
  }

  /** Make room for so many of a symbol; what the arrays hold stays at their beginning. */
  reserve(symbol, size) {
    if (size <= this.room[symbol]) return
    const old = this.state
    this.room = {...this.room, [symbol]: Math.max(size, 2 * this.room[symbol])}
    this.state = this.#kernels.state(this.#entries, this.room)
    for (const name of old.names) this.state.set(name, old.array(name))
    old.release()
  }

  /** Call an entry with so many of some symbols, on the rows after the first `skipped`. */
  call(name, numbers = {}, sizes = {}, skipped = 0) {
    Object.assign(this.state, {sizes: {...this.room, ...sizes}, skipped})
    return this.#kernels.call(name, this.state, numbers)
  }

  release() { this.state.release() }
}

/** Its rows are all that have come: `forgotten` of them no longer count, the t after these do. */
export class Target {
  #kernels
  #work
  #solvedAt = -1 // data at the last exact solution of the mode; -1: none yet

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

  /** Take in the next datum: its encoded row (d numbers) and response. */
  add(row, response = 0) {
    if (row.length !== this.dim) throw new RangeError(`row must be ${this.dim} numbers, got ${row.length}`)
    const came = this.forgotten + this.t
    this.#work.reserve("T", came + 1)
    this.#set("rows", row, came * this.dim)
    this.#set("targets", [response], came)
    this.t += 1
    if (!this.#call("mode_add", {solved_at: this.#solvedAt}) && !this.#solve() && this.#solvedAt >= 0) throw this.#noMode()
    if (!this.gridded) this.#call("normal_marginals")
    else if (!this.#call("grid_add")) this.#fitWindow()
  }

  #noMode() { return new Error(`the target of ${this.t} data must have a mode, none found; set a prior precision above 0`) }

  /** The n oldest data, fewer than t, no longer count: all is that of the others. */
  forget(n) {
    if (!Number.isInteger(n) || n < 1 || n >= this.t) throw new RangeError(`n must be a whole number in [1, ${this.t - 1}], got ${n}`)
    this.forgotten += n
    this.t -= n
    if (!this.#solve()) throw this.#noMode()
    if (this.gridded) this.#fitWindow()
    else this.#call("normal_marginals")
  }

  /** Mode (d), and at the mode second derivatives and their inverse (d * d); mean and deviations of the law (d). Copies. */
  get mode() { return this.#read("mode") }
  get hessian() { return this.#read("hessian") }
  get covariance() { return this.#read("covariance") }
  get mean() { return this.#read("mean") }
  get std() { return this.#read("std") }

  /** Whether the target has a density yet. */
  get ready() { return this.covariance.every(Number.isFinite) }

  #ofSamples(entry, positions, out) {
    const K = positions.length / this.dim
    if (!Number.isInteger(K)) throw new RangeError(`positions must be of ${this.dim} numbers each, got ${positions.length}`)
    this.#work.reserve("K", K)
    this.#set("samples", positions)
    this.#call(entry, {}, {K})
    return this.#work.state.array(out).slice(0, positions.length)
  }

  /** Marginal distribution functions at positions (K * d), and their scores, in deviations from the mean. */
  uniforms(positions) { return this.#ofSamples(this.gridded ? "grid_cdf" : "normal_cdf", positions, "uniforms") }
  scores(positions) { return this.#ofSamples("standardise", positions, "scores") }

  /** Closed loops in the plane of two directions (d each) that hold the usual masses: x, y, x, y, ...; none before it is known. */
  contours(px, py) {
    if (!this.ready) return []
    this.#set("projection", Array.from(px, (x, i) => [x, py[i]]).flat())
    if (!this.gridded) this.#call("normal_contours")
    else if (!this.#call("grid_contours")) this.#call("grid_ellipses")
    const loops = Float32Array.from(this.#work.state.array("loops")), size = 2 * this.#kernels.constants.loop_points
    return this.#kernels.constants.masses.map((_, i) => loops.slice(i * size, (i + 1) * size))
  }

  /** What data change but the rows; `putBack` goes on from there, as often as one likes, on the rows that have come since. */
  kept() {
    const names = this.gridded ? [...MODE, ...GRID] : MODE
    return {arrays: names.map(name => [name, this.#read(name)]), solvedAt: this.#solvedAt, t: this.t, forgotten: this.forgotten}
  }

  putBack({arrays, solvedAt, t, forgotten}) {
    for (const [name, values] of arrays) this.#set(name, values)
    this.#solvedAt = solvedAt
    Object.assign(this, {t, forgotten})
  }

  release() { this.#work.release() }

  /** Nothing is computed in the background, as it is where `app/live/truth.py` draws. */
  refresh() { return false }
  close() {}
}
