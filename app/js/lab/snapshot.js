// Snapshots of a run, one per frame, as in `app/live/snapshot_builder.py` and `app/canvas/chain_canvas.py`.

import {halfAxes} from "../canvas/frame_bytes.js"
import {NdArray, asarray, multiply} from "./numpy.js"
import {compare} from "../dist/translated/app_live_ghost_run.js"
import {LARGEST, OwnBalls, View, float32} from "../dist/translated/app_live_plotted_plane.js"

const CHARTS = 0.17 // seconds between updates of series and texts while the run plays
const CONTOURS = 0.1 // seconds between updates of the target's contours

const matrix = numbers => new NdArray(numbers, [Math.sqrt(numbers.length), Math.sqrt(numbers.length)])
const shown = values => float32(asarray(values)).data

/** Builder of snapshots of one run; caches parts that change rarely. */
export class SnapshotBuilder {
  #view = new View()
  #balls = new OwnBalls()
  #contours = []
  #contourClock = -Infinity
  #contourKey = []
  #seriesClock = -Infinity
  #seriesKey = []
  #words = {verdict: null, meters: [], assumptions: [], promise: null, comparison: null}
  #ghost // ghost last sent to the page

  constructor(number) {
    this.number = number
    this.frames = 0
  }

  /** Begin a new run number: views clear their trails, the window is fitted again and all parts are updated. */
  restart() {
    this.number++
    this.#view = new View()
    this.#contourKey = this.#seriesKey = []
  }

  /** Return the snapshot, with a frame for `ChainPicture`; while busy (playing or replaying) series are updated six times a second. */
  build(run, now, {playing, busy, notice, ghost, steps, label}) {
    const {state} = run, {config, target, t, constants} = state, mode = asarray(target.mode), center = asarray(constants.last_mode(t, target.mode))
    this.#view.look(config, t, mode, matrix(target.covariance), center, state.problem.coordinates, state.count)
    const series = this.#series(run, now, busy, ghost, label), frame = this.#frame(run, now, busy, ghost, steps)
    const changed = this.#ghost === ghost ? {} : {ghost: ghost?.series ?? null}
    this.#ghost = ghost
    return {
      run: this.number, playing, config: {...config}, t: state.t, step: state.step, run_length: state.run_length, step_size: state.step_size,
      furthest: Math.max(state.t, run.history.t), frame, series, ...this.#words,
      notice: notice.words, notice_kind: notice.kind, progress: notice.progress, reference: target.words,
      moment: run.moment, ...changed,
    }
  }

  /** Return the series and update the texts; null if unchanged or updated recently, and in the first snapshot of a busy run. */
  #series(run, now, busy, ghost, label) {
    if (busy && !this.frames) return null
    const {state} = run, key = [state.t, state.done, state.config, run.history.t, ghost]
    if (key.every((value, i) => value === this.#seriesKey[i]) || busy && now - this.#seriesClock < CHARTS) return null
    this.#seriesKey = key
    this.#seriesClock = now
    const [verdict, meters, lines] = run.verdict(), upto = Math.max(state.done ? state.t : state.t - 1, 0)
    this.#words = {verdict, meters: meters.map(one => ({...one})), promise: run.promise() && {...run.promise()},
      assumptions: lines.map(({number, name, text, ok, help}) => [number, name, text, ok, help]),
      comparison: ghost && {...compare(ghost, run, label)}}
    return run.history.series(upto, run.timeline.events(state.position + 0.01))
  }

  #frame({state, effects}, now, busy, ghost, steps) {
    const view = this.#view, {saga, config, chain} = state, checkpoints = view.points(saga.checkpoints), point = shown(checkpoints)
    const points = list => list.flatMap(one => [...view.points(asarray(one)).data]), [x, y] = shown(view.center)
    const frame = {
      frame: ++this.frames, t: state.t, run: this.number, chains: saga.chains, rung: null, rescaled: config.rescaled,
      coordinates: `${config.rescaled} ${view.names}`, followed: config.follow < saga.chains ? config.follow : null,
      positions: shown(view.points(saga.positions)), jumped: Uint8Array.from({length: saga.chains}, (_, k) => effects.jumped.has(k)),
      mode: [...shown(view.points(view.mode))], checkpoint: [...point.slice(2 * chain, 2 * chain + 2)], window: {x, y, half: view.half_width},
      escape: view.radius(config.escape_radius), acceptance: view.radius(Math.min(saga.settings.acceptance_radius, LARGEST)),
      ellipse: this.#ball(state), ghost: this.#outline(ghost, state), arrows: this.#arrows(state, steps),
      resets: shown(effects.resets().flatMap(([k, from, to]) => [k, ...points([from, to])])),
      exits: shown(effects.exits().flatMap(([k, place]) => [k, ...points([place])])),
      scenery: {contours: this.#target(state, now, busy), balls: view.balls(state.constants.modes).map(([epoch, center, radius]) => ({
        epoch, x: center.data[0], y: center.data[1], radius}))},
    }
    effects.mark_published()
    return frame
  }

  /** Return the acceptance ball of the followed chain in its own metric, as `Ellipse.of` does; null for plain chains. */
  #ball(state) {
    const rows = this.#balls.rows(state, this.#view, state.saga.checkpoints), {chain} = state
    if (!rows) return null
    const [xx, xy, yy, inForce, radius] = rows.data.subarray(5 * chain)
    return {radius, chain, inForce: Boolean(inForce), ...halfAxes(xx, xy, yy)}
  }

  /** Return the ellipse of two standard deviations of the ghost's chains at this epoch, around their mean. */
  #outline(ghost, {t, saga}) {
    const outline = ghost?.outline(t, saga.dim)
    if (!outline) return null
    const [xx, xy, , yy] = shown(multiply(2, this.#view.shape(matrix(outline[1]))))
    return {center: [...shown(this.#view.points(asarray(outline[0])))], ...halfAxes(xx, xy, yy)}
  }

  #arrows({chain, t, saga}, steps) {
    if (!steps.shows(chain, t)) return null
    const [ends, path] = [steps.ends, steps.path].map(list => shown(list.flatMap(one => [...this.#view.points(asarray(one)).data])))
    return {ends, path, batch: saga.settings.batch_size, t}
  }

  /** Return the contours of the target; while the run plays in the same view they are updated ten times a second. */
  #target(state, now, busy) {
    const view = this.#view, key = [state.config, view.projection, state.t]
    if (!view.bounded || key.every((value, i) => value === this.#contourKey[i])) return this.#contours
    const same = key[0] === this.#contourKey[0] && key[1] === this.#contourKey[1]
    if (busy && same && now - this.#contourClock < CONTOURS) return this.#contours
    this.#contourKey = key
    this.#contourClock = now
    const [across, up] = view.projection.T
    this.#contours = view.loops(state.target.contours(across.data, up.data).map(loop => new NdArray(loop, [loop.length / 2, 2]))).map(({data}) => data)
    return this.#contours
  }
}
