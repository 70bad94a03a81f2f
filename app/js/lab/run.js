// One run of the sampler with everything measured about it, as `app/live/run.py`: no messages, no clock of its own.

import {Certificates} from "./certificates.js"
import {Constants} from "./constants.js"
import {CloudOutlines, Keeper} from "./epoch_records.js"
import {Flashes} from "./flashes.js"
import {History} from "../dist/translated/app_live_history.js"
import {Measures} from "./measures.js"
import {OnlineSagaLD} from "./online_saga_ld.js"
import {Pool} from "./pool.js"
import {RunState, knobsDiffer, knobsOf, settingsOf} from "./run_state.js"
import {GivenStream, Stream, beginning} from "./stream.js"
import {Target} from "./target.js"
import {ALGORITHMS} from "../dist/translated/app_state_algorithm_menu.js"
import {counted_since} from "../dist/translated/app_live_epoch_measures.js"
import {Change, Timeline, way_to} from "../dist/translated/app_live_timeline.js"
import {promise_of} from "../dist/translated/app_live_promise_words.js"
import {meters} from "../dist/translated/app_live_snapshot.js"
import {judge} from "../dist/translated/sampler_tuning_verdicts_judge.js"
import {Measurements} from "../dist/translated/sampler_tuning_verdicts_measurements.js"
import {Settings} from "../dist/translated/sampler_settings.js"

const HORIZON = 65536 // the last epoch of a run
const ROWS_AHEAD = 256 // are encoded at a time

/** Chains, stream, target, history and the log of changes; advanced in slices, one datum an epoch. */
export class LabRun {
  /**
   * `problem` is the record of a problem; `given` {features, labels} are somebody's own data, else null; `clock` gives seconds.
   * A run needs an instance of the module for itself: its arrays are never given back.
   */
  constructor(kernels, problem, config, given = null, clock = () => performance.now() / 1000) {
    const stream = given ? new GivenStream(kernels, problem, given.features, given.labels)
      : new Stream(kernels, problem, config.stream, config.seed, HORIZON)
    const saved = beginning(kernels, problem, {algorithm: config.algorithm, settings: settingsOf(config), chains: config.chains,
      seed: config.seed, stream})
    this.clock = clock
    this.state = new RunState({kernels, config, problem, stream, saga: new OnlineSagaLD(kernels, saved), target: new Target(kernels, problem),
      pool: new Pool(kernels, problem.dim), constants: new Constants(kernels, problem)})
    this.first = knobsOf(config)
    this.history = new History()
    this.timeline = new Timeline()
    this.measures = new Measures(kernels, problem, this.history, t => this.since(t))
    this.effects = new Flashes(config.chains)
    this.certificates = new Certificates(kernels, problem)
    this.outlines = new CloudOutlines()
    this.keeper = new Keeper(this.state)
  }

  /** Epochs after which each measure counts. */
  since(t) { return counted_since(this.timeline.changes, this.first, t) }

  /** The verdict, its four meters and the three assumptions. */
  verdict() {
    const {state} = this, lines = state.constants.lines(state.target, state.saga.settings.offset)
    const fields = {...this.measures.measured(state), drifts: lines[2].ok === false}
    const measured = new Measurements({...fields, settings: new Settings(fields.settings), advised: fields.advised && new Settings(fields.advised)})
    const verdict = judge(measured), since = this.since(state.t).words(state.t, state.config.reset, verdict.kind)
    const prefix = ALGORITHMS[state.config.algorithm].prefix.trim(), subtitle = (prefix && `${prefix}: `) + verdict.subtitle
    return [{...verdict, subtitle, sentence: verdict.sentence + since}, meters(measured), lines]
  }

  /** What the theorem promises of the latest certified epoch, beside what was measured; null before the first. */
  promise() {
    const {t, pool} = this.state
    return promise_of(this.certificates.until(t), this.history, t, pool.size ? pool.ceiling() : [null, 0])
  }

  // going on -------------------------------------------------------------------------------------------------------------

  /** Up to `steps` steps of every unfinished chain, in a new epoch when none is under way; false at an end, having done nothing. */
  advance(steps, trace = null) {
    if (this.behind) this.forget_future()
    return this.go(steps, trace)
  }

  /** `advance` without forgetting: for a replay. */
  go(steps, trace = null) {
    const {state, effects} = this, {saga} = state
    if (state.done) {
      if (state.ended || state.halted) return false
      this.#arrive()
    }
    const before = effects.enabled ? saga.farthest() : null
    saga.advance(steps, trace ?? -1)
    state.advanced += steps
    if (before) effects.noteExits(saga, state.target.mode, state.escape_distance, before)
    if (state.done) {
      this.measures.finish(state)
      this.certificates.finish(state)
      this.outlines.finish(state)
      this.keeper.keep(state)
    }
    return true
  }

  #arrive() {
    const {state, effects} = this, {saga, stream, target} = state, t = state.t + 1
    if (saga.stored < t) saga.append(...stream.encoded(t, Math.min(ROWS_AHEAD, stream.length - t + 1)))
    saga.arrive()
    const [row, [response]] = stream.encoded(t, 1).concat([[]])
    target.add(row, response)
    state.constants.add(target, row, saga.settings.offset)
    saga.watch(target.mode)
    state.advanced = 0
    effects.noteResets(saga)
    if (effects.enabled) effects.noteExits(saga, target.mode, state.escape_distance, new Float64Array(saga.chains))
  }

  // going back -----------------------------------------------------------------------------------------------------------

  /** Whether later epochs than this one have been recorded. */
  get behind() { return this.state.done && this.history.t > this.state.t }

  /** Drop what was recorded after the end of this epoch. */
  forget_future() {
    for (const record of [this.history, this.timeline, this.keeper, this.certificates, this.outlines]) record.truncate(this.state.t)
  }

  /** Put back a kept state; how the run is shown stays. */
  restore(kept) {
    this.state.putBack(kept)
    this.effects.clear()
  }

  // changes --------------------------------------------------------------------------------------------------------------

  /** Turn knobs that need no restart; they act before the next step, and the change is logged. */
  configure(config) {
    const {state} = this, before = state.config
    if (!knobsDiffer(before, config)) {
      state.config = config
      return
    }
    if (this.behind) this.forget_future()
    state.config = config
    this.#log(before, this.clock())
    state.turn(config)
  }

  /** Put diverged chains back at their checkpoint. */
  revive() {
    const {state} = this, chains = state.lost
    if (!chains) return
    if (this.behind) this.forget_future()
    this.#putBack()
    this.#logRevival(chains, this.clock())
  }

  #putBack() {
    this.state.saga.restartDiverged()
    this.state.since = this.state.t
  }

  #turned(change) { return {...this.state.config, ...change.settings, escape_radius: change.escape_radius} }

  /** Repeat a logged change in a replay. */
  apply(change) {
    this.state.turn(this.#turned(change))
    if (change.revive) this.#putBack()
  }

  /** Repeat a change of a link's history: it is logged and marked as if it were made now. */
  relive(change, clock) {
    const {state} = this, before = state.config, chains = state.lost
    state.config = this.#turned(change)
    if (knobsDiffer(before, state.config)) this.#log(before, clock) // marked where it was made, before a shorter epoch moves its end
    this.apply(change)
    if (change.revive && chains) this.#logRevival(chains, clock)
  }

  /** Where the run stands and how it came there, for a link. */
  get moment() {
    const {t, advanced} = this.#place, {changes} = this.timeline
    return {t, advanced, first: this.first, changes, way: way_to(t, advanced, changes)}
  }

  get #place() { return {t: this.state.t, advanced: this.state.done ? null : this.state.advanced} }

  #log(before, clock) {
    const {state, timeline} = this
    const continues = timeline.mark(state.mark_position, clock, knobsOf(before), knobsOf(state.config))
    timeline.add(this.#change({continues}))
  }

  #logRevival(chains, clock) {
    this.timeline.add(this.#change({revive: true}))
    this.timeline.mark_revived(this.state.mark_position, chains, clock)
  }

  #change(how) {
    const [settings, escape_radius] = knobsOf(this.state.config)
    return new Change({...this.#place, settings, escape_radius, ...how})
  }
}
