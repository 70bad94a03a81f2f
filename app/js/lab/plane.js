// From chains in d dimensions to the plotted plane: projection, rescaling, window, balls. As `app/live/plotted_plane.py`.

import {float32} from "./frame.js"
import {ROUNDING, borrowing} from "./noise.js"
import {octaveOf} from "./online_saga_ld.js"
import {largest_deviation, root_of} from "../dist/translated/app_live_plotted_plane.js"

const ZOOM = 1.1 // half of the window in units of the escape ball
const OWN_REACH = 6.5 // deviations of the target up to which an acceptance ball in its own metric is fitted into the window
const LARGEST = 1e6

const dot = (one, other) => one.reduce((sum, value, i) => sum + value * other[i], 0)
const times = (matrix, vector) => vector.map((_, i) => dot(matrix.subarray(i * vector.length, (i + 1) * vector.length), vector))

/** The plane and the window, fitted anew at each checkpoint epoch and whenever the view is changed. `look` comes first. */
export class View {
  #key = ""

  /** Take in where a run stands, and the mode at its last checkpoint. */
  look({kernels, config, t, target, problem}, center) {
    const {mode, covariance} = target
    Object.assign(this, {config, t, mode, covariance})
    this.known = covariance.every(Number.isFinite) // whether the target has a width in every direction
    this.root = Math.sqrt(t + config.offset) || 1
    this.scale = config.rescaled ? this.root : 1 // of lengths
    const plain = config.algorithm !== "preconditioned"
    const reach = plain ? 3 : Math.min(Math.max(config.acceptance_radius, 3), OWN_REACH), octave = t ? octaveOf(t) : 0
    const key = JSON.stringify([octave, config.axes, config.rescaled, config.escape_radius, config.offset, reach])
    if (key === this.#key) return
    this.#key = key
    this.#choosePlane(kernels, problem.coordinates)
    const shrunk = config.rescaled ? 1 : Math.sqrt(octave + config.offset) || 1
    this.halfWidth = ZOOM * Math.max(config.escape_radius / shrunk, reach * this.#spread())
    this.center = config.rescaled ? [0, 0] : this.#onto(center)
  }

  #onto(theta) { return this.projection.map(axis => dot(axis, theta)) }

  /** Plot points (n * d) as (n * 2): projected, and rescaled round the mode if asked. */
  points(theta) {
    const d = this.mode.length, n = theta.length / d, out = new Float64Array(2 * n), {scale, projection, mode} = this
    const origin = this.config.rescaled ? mode : new Float64Array(d)
    for (let i = 0; i < n; i++) for (const axis of [0, 1]) {
      let sum = 0
      for (let q = 0; q < d; q++) sum += (theta[i * d + q] - origin[q]) * scale * projection[axis][q]
      out[2 * i + axis] = sum
    }
    return out
  }

  /** Rescale loops of projected points as `points` does. */
  loops(loops) {
    const origin = this.config.rescaled ? this.#onto(this.mode) : [0, 0]
    return loops.map(loop => float32(Float64Array.from(loop, (value, i) => (value - origin[i % 2]) * this.scale)))
  }

  /** Length of a ball's radius R or C' in the plot. */
  radius(radius) { return this.config.rescaled ? radius : radius / this.root }

  #shown(matrix) { // B' M B of a (d, d) matrix, as xx, xy, yy
    const [x, y] = this.projection, [mx, my] = [x, y].map(axis => times(matrix, axis))
    return [dot(x, mx), dot(x, my), dot(y, my)]
  }

  /** Square root (xx, xy, yy) of the plotted part of a covariance, rescaled as the plot is. */
  shape(covariance) { return root_of(...this.#shown(covariance)).map(value => this.scale * value) }

  /** Outline (xx, xy, yy) of the shadow on the plane of the unit ball of a metric; NaN where it is not positive definite. */
  shadow({kernels, saga}, metric) {
    return borrowing(kernels, "shadow", saga, state => {
      state.set("metric", metric)
      this.projection.forEach((axis, i) => state.set("axes", axis, i * axis.length))
      if (!kernels.call("shadow", state, {rounding: ROUNDING})) return [NaN, NaN, NaN]
      const [xx, xy, , yy] = state.array("seen")
      return root_of(xx, xy, yy)
    })
  }

  /** Escape ball at the last two earlier checkpoints, [epoch, center, radius]; none when rescaled (they would coincide). */
  balls(modes) {
    if (this.config.rescaled) return []
    const {escape_radius: radius, offset} = this.config
    return Object.keys(modes).map(Number).filter(t => this.t / 4 <= t && t < this.t)
      .map(t => [t, float32(this.#onto(modes[t])), radius / (Math.sqrt(t + offset) || 1)])
  }

  #spread() { // largest standard deviation of the target in the plane, rescaled as the plot is
    if (!this.known) return this.scale
    return this.scale * (largest_deviation(...this.#shown(this.covariance)) || 1)
  }

  #choosePlane(kernels, names) {
    const {axes} = this.config, d = this.mode.length
    if (axes === "principal" && this.known) {
      this.projection = kernels.borrow(["widest_axes"], {d}, state => {
        state.set("covariance", this.covariance)
        kernels.call("widest_axes", state, {})
        const axes = state.array("axes")
        return [axes.slice(0, d), axes.slice(d)]
      })
      this.names = ["widest axis", "second axis"]
      return
    }
    const pair = axes === "principal" ? [0, 1] : axes
    this.projection = pair.map(place => Float64Array.from({length: d}, (_, q) => Number(q === place)))
    this.names = pair.map(place => names[place])
  }
}

/** Acceptance balls of chains with metrics of their own: a ball stands from one checkpoint to the next, so it is kept. */
export class OwnBalls {
  #roots = []
  #of = []

  /** {radius, chain, inForce, outline} of one chain, as `FramePacker` takes it; null for plain chains. */
  ball(state, view, chain, checkpoints) {
    const {saga} = state, force = saga.acceptanceInForce()
    if (!force) return null
    const [projection, kept] = this.#of
    if (projection !== view.projection || !kept || kept.some((value, i) => value !== checkpoints[i])) {
      this.#roots = []
      this.#of = [view.projection, checkpoints]
    }
    this.#roots[chain] ??= view.shadow(state, saga.acceptanceMatrix(chain))
    const radius = Math.min(saga.settings.acceptance_radius, LARGEST)
    return {radius, chain, inForce: force[chain] && saga.settings.reset,
      outline: float32(this.#roots[chain].map(value => radius * view.scale * value))}
  }
}
