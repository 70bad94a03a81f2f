// One configuration of the Exit time page, computed in a worker: a block of chains at once, the bounds, then the whole crowd. The
// order is that of `app/exit_time/job.py`; every number and every sentence is the library's and the served page's.
import {ExitSimulation, PATHS, bowl} from "./simulation.js"
import {NdArray, asarray, kernels as bound} from "../numpy.js"
import {kernelCalls} from "../kernel_calls.js"
import {CURVES, QUICK, bound_curves} from "../../dist/translated/app_exit_time_bound_curves.js"
import {order} from "../../dist/translated/app_exit_time_crowd.js"
import {drawings_of, survival_columns} from "../../dist/translated/app_exit_time_drawings.js"
import {EpochLaw} from "../../dist/translated/app_exit_time_epoch_law.js"
import {ExitResult, filled} from "../../dist/translated/app_exit_time_job.js"
import {bowl_start, epoch_promise, process_of} from "../../dist/translated/app_exit_time_promise.js"
import * as words from "../../dist/translated/app_exit_time_result_words.js"
import {ExitSetup, affordable} from "../../dist/translated/app_exit_time_setup.js"
import {columns_of} from "../../dist/translated/app_plots_line_columns.js"
import {chart_words} from "../../dist/translated/app_plots_style.js"
import {bowl_levels, lanes_of} from "../../dist/translated/sampler_theory_exit_simulation.js"
import {ExitEpoch} from "../../dist/translated/app_state_exit_epoch.js"

const SLICE = 0.03, EVERY = 0.15 // seconds between two looks at what is asked for, and between two results
const KERNELS = ["bounded_noise_path", "binomial_limits", "chi_square_levels"]
const WORK = 400_000 // coordinate-steps of the first slice: how long they take says how many the next has
const soon = () => new Promise(resume => setTimeout(resume))
const seconds = () => performance.now() / 1000

/** Arrays as a message takes them. */
const plain = value => value instanceof NdArray ? value.data : Array.isArray(value) ? value.map(plain) : value

function setupOf(values) {
  const config = Object.assign(new ExitEpoch(), values), {curvature: m, dim} = values, notes = [], start = config.start_distance
  const chains = affordable(config, 0, notes)
  return new ExitSetup({config, target: bowl(m, dim), start, distances: asarray([start]), weights: asarray([1]), curvature: m, smoothness: m, chains, notes, live: null})
}

/** What the page shows of a result: columns and axes of each figure, words of each card. */
function shown(result, squared, done) {
  const figures = Object.fromEntries(Object.entries(drawings_of(result, squared)).map(([name, {drawn, x, y, options}]) => {
    const columns = Object.entries(columns_of(drawn)).map(([glyph, own]) => [glyph, Object.fromEntries(Object.entries(own).map(([key, value]) => [key, plain(value)]))])
    return [name, {columns: Object.fromEntries(columns), x, y, options, spoken: chart_words(x, y, drawn.map(line => line.name))}]
  }))
  const {crowd, sums, promise} = result
  return {figures, done, chains: crowd.chains, inside: plain(crowd.inside.share).at(-1), complete: result.complete, tooLong: result.too_long,
    sums: sums && {chain: sums.chain, order: order(crowd.path_exits)}, csv: Object.fromEntries(Object.entries(survival_columns(result)).map(([key, value]) => [key, plain(value)])),
    words: {reading: words.reading(result), warnings: words.warnings(result), spoken: words.spoken(result), splitting: words.splitting(result), pushing: words.pushing(result),
      timing: words.timing(result), process: result.complete ? words.process_caption(result) : "", promise: result.complete ? words.promise_caption(result) : "",
      promiseSpoken: promise ? words.promise_spoken(promise) : "", hasProcess: Boolean(result.process), hasPromise: Boolean(promise)}}
}

export class ExitJobs {
  #kernels
  #asked = 0
  #kept = null // {key, simulation, law, seconds} of the last crowd

  /** `publish(number, message)` takes {progress, working} or {result} of the request of that number. */
  constructor(kernels, publish) {
    this.#kernels = kernels
    this.publish = publish
    Object.assign(bound, kernelCalls(kernels, KERNELS))
  }

  /** Compute; a newer request cuts it short. */
  async run(number, config, squared) {
    this.#asked = number
    await soon() // those that a moving slider has sent meanwhile come first
    if (this.#asked !== number) return
    const setup = setupOf(config), {chain, truncation, ...rest} = config, key = JSON.stringify(rest)
    const say = (result, done = false) => this.publish(number, {result: shown(result, squared, done)})
    const quick = config.noise === 0 || config.steps <= 1000
    let result = new ExitResult({config: setup.config, bounds: bound_curves(setup, quick ? CURVES : QUICK), notes: setup.notes})
    if (this.#kept && this.#kept.key !== key) this.#drop()
    if (!this.#kept) {
      const first = new ExitSimulation(this.#kernels, setup, Math.min(lanes_of(config.dim), setup.chains), PATHS)
      const went = await this.#walk(number, first, first.steps, () => { say(result = filled(result, first)) }, true)
      if (went) say(result = filled(result, first))
      first.release()
      if (!went) return
    }
    if (!quick) {
      result.bounds = bound_curves(setup)
      if (result.crowd) say(result)
    }
    if (!this.#kept && !await this.#crowd(number, setup, key)) return
    const {simulation, law, seconds: took} = this.#kept
    result = Object.assign(filled(result, simulation), {complete: true, seconds: took})
    result.process = process_of(setup, result.crowd)
    result.promise = law.has_statistic ? epoch_promise(setup, result.bounds, law, bowl_start(setup)) : null
    say(result, true)
  }

  #drop() {
    this.#kept.simulation.release()
    this.#kept = null
  }

  async #crowd(number, setup, key) {
    const simulation = new ExitSimulation(this.#kernels, setup, setup.chains), began = seconds(), {steps} = simulation
    const law = new EpochLaw(setup, simulation.target.name === "quadratic" ? away => bowl_levels(away, simulation.target.precision) : null)
    const working = `running ${setup.chains.toLocaleString("en-US")} chains`
    for (const stop of law.has_statistic ? law.stops : [steps]) {
      const tell = () => { if (seconds() - began > 0.5) this.publish(number, {progress: simulation.steps_done / steps, working}) }
      if (!await this.#walk(number, simulation, stop, tell)) {
        simulation.release()
        return false
      }
      if (law.has_statistic) law.look(simulation)
    }
    this.#kept = {key, simulation, law, seconds: seconds() - began}
    return true
  }

  /** Run to a step in slices; `tell` is called now and then. False when a newer request has come: `first` lets one be told before. */
  async #walk(number, simulation, until, tell, first = false) {
    let told = seconds()
    const began = told, cost = simulation.chains * simulation.target.dim
    let count = Math.max(1, Math.floor(WORK / cost))
    while (simulation.steps_done < until) {
      const at = seconds(), before = simulation.steps_done
      simulation.advance(Math.min(count, until - simulation.steps_done))
      const took = Math.max(seconds() - at, 1e-4)
      count = Math.max(1, Math.round((simulation.steps_done - before) * Math.min(4, SLICE / took)))
      if (seconds() - told > EVERY) {
        told = seconds()
        tell()
      }
      await soon()
      if (this.#asked !== number && !(first && seconds() - began < EVERY)) return false
    }
    return true
  }
}
