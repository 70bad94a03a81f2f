// One configuration of the Exit time page, computed in a worker: a block of chains at once, the bounds, then the whole crowd. The
// order is that of `app/exit_time/job.py`; every number and every sentence is the library's and the served page's.
import {ExitSimulation} from "./simulation.js"
import {LiveConfig} from "../live_config.js"
import {errorWords} from "../error_words.js"
import {Kernels, kernelCalls} from "../kernels.js"
import {NdArray, diag, kernels as bound} from "../numpy.js"
import {replace} from "../python.js"
import {LabRun} from "../run.js"
import {Target} from "../target.js"
import {CURVES, QUICK, bound_curves, with_batches, with_mixture} from "../../dist/translated/app_exit_time_bound_curves.js"
import {order} from "../../dist/translated/app_exit_time_simulated_chains.js"
import {drawings_of, survival_columns} from "../../dist/translated/app_exit_time_drawings.js"
import {ExitResult, filled} from "../../dist/translated/app_exit_time_job.js"
import {EpochLaw, good_events, levels_of, process_of, promise_of} from "../../dist/translated/app_exit_time_promise.js"
import * as words from "../../dist/translated/app_exit_time_result_words.js"
import {EPOCH, prepare_exits} from "../../dist/translated/app_exit_time_target_and_start.js"
import {price} from "../../dist/translated/app_exit_time_theory_price.js"
import {LiveHandover, hand_over} from "../../dist/translated/app_live_run_handover.js"
import {good_drawing} from "../../dist/translated/app_plots_exit_probability_drawings.js"
import {columns_of} from "../../dist/translated/app_plots_lines.js"
import {chart_words} from "../../dist/translated/app_plots_style.js"
import {Settings} from "../../dist/translated/sampler_settings.js"
import {lanes_of} from "../../dist/translated/sampler_theory_exit_simulation.js"
import {ExitEpoch} from "../../dist/translated/app_state_exit_time.js"

class Config extends ExitEpoch { // `replace` makes another by this constructor
  constructor(values) { super(); Object.assign(this, values) }
}

const SLICE = 0.03, EVERY = 0.15 // seconds between two looks at what is asked for, and between two results
const WORK = 400_000 // coordinate-steps of the first slice: how long they take says how many the next has
const soon = () => new Promise(resume => setTimeout(resume))
const seconds = () => performance.now() / 1000

/** Arrays as a message takes them. */
const plain = value => value instanceof NdArray ? value.data : Array.isArray(value) ? value.map(plain) : value

const plainColumns = columns => Object.fromEntries(Object.entries(columns).map(([key, value]) => [key, plain(value)]))

function figureOf({drawn, x, y, options}) {
  const columns = Object.entries(columns_of(drawn)).map(([glyph, own]) => [glyph, plainColumns(own)])
  return {columns: Object.fromEntries(columns), x, y, options, spoken: chart_words(x, y, drawn.map(line => line.name))}
}

/** What a run of Live is to the page's other cards: the good events, and the price of theory or why there is none. */
function measuredOn(live) {
  const {epochs, escape, reset_epochs, reset, words: caption} = good_events(live), own = {key: live.key, caption, head: words.measured_on(live)}
  const good = figureOf(good_drawing(epochs, escape, reset_epochs, reset))
  try { return {...own, good, price: {...price(live)}} } catch (wrong) { return {...own, good, price: {rows: [], source: "", verdict: wrong.message, why: ""}} }
}

/** What the page shows of a result: columns and axes of each figure, words of each card. */
function shown(result, squared, done) {
  const figures = Object.fromEntries(Object.entries(drawings_of(result, squared)).map(([name, drawing]) => [name, figureOf(drawing)]))
  const {crowd, sums, promise} = result
  return {figures, done, config: {...result.config}, chains: crowd.chains, inside: plain(crowd.inside.share).at(-1), tooLong: result.too_long,
    sums: sums && {chain: sums.chain, order: order(crowd.path_exits)}, csv: plainColumns(survival_columns(result)),
    words: {crowd: words.crowd_caption(result), fromLive: words.from_live(result.config, result), warnings: words.warnings(result), spoken: words.spoken(result), splitting: words.splitting(result), pushing: words.pushing(result),
      timing: words.timing(result), process: result.complete ? words.process_caption(result) : "", promise: result.complete ? words.promise_caption(result) : "",
      promiseSpoken: promise ? words.promise_spoken(promise) : "", hasProcess: Boolean(result.process), hasPromise: Boolean(promise)}}
}

export class ExitJobs {
  #kernels
  #request = 0
  #kept = null // {key, simulation, law, seconds} of the last crowd
  #live = null // the run that Live has left; where one is needed and there is none, Live's default, run here once
  #reported = null // key of the run whose measures the page has
  #grid = null // {rows, target, cdf} of the last logistic posterior in the plane

  /** `publish(number, message)` takes {progress, working}, {result} or {live} of the request of that number. */
  constructor(kernels, publish) {
    this.#kernels = kernels
    this.publish = publish
    Object.assign(bound, kernelCalls(kernels))
  }

  /** Take the run that Live has left, as it came from another worker. */
  leave(state) {
    const arrays = Object.entries(state).map(([name, value]) => [name, value?.shape ? new NdArray(value.data, value.shape, value.truths) : value])
    this.#live = new LiveHandover({...Object.fromEntries(arrays), settings: new Settings(state.settings)})
    this.#tell(0)
  }

  #tell(number) {
    if (this.#live.key !== this.#reported) this.publish(number, {live: measuredOn(this.#live)})
    this.#reported = this.#live.key
  }

  /** Run Live's default, {kernels of its own, problem, config}, to epoch `EPOCH`. */
  async #runDefault(number, {kernels, problem, config}) {
    const run = new LabRun(await kernels(), problem, new LiveConfig(config))
    this.publish(number, {progress: null, working: `running Live's default to epoch ${EPOCH}`})
    for (let slice = seconds(); run.state.t < EPOCH || !run.state.done;) {
      run.go(run.state.done ? 1 : run.state.longest)
      if (seconds() - slice > SLICE) {
        await soon()
        slice = seconds()
        if (this.#request !== number) return
      }
    }
    this.#live ??= hand_over(run, true)
    Object.assign(bound, kernelCalls(this.#kernels))
  }

  /** Compute; a newer request cuts it short. */
  async run(number, values, squared, opens) {
    this.#request = number
    await soon() // those that a moving slider has sent meanwhile come first
    const wanted = new Config(values)
    if (wanted.needs_live && !this.#live) await this.#runDefault(number, opens)
    if (this.#request !== number) return
    const live = wanted.needs_live ? this.#live : null, setup = prepare_exits(wanted, live), {config} = setup
    if (live) this.#tell(number)
    const key = JSON.stringify([{...config, chain: null, truncation: 0}, setup.chains, live?.key])
    const say = (result, done = false) => this.publish(number, {result: shown(result, squared, done)})
    const quick = config.noise === 0 || config.steps <= 1000
    let result = new ExitResult({config, bounds: bound_curves(setup, quick ? CURVES : QUICK), notes: setup.notes, live})
    if (this.#kept && this.#kept.key !== key) this.#drop()
    if (!this.#kept) {
      const first = new ExitSimulation(this.#kernels, setup, Math.min(lanes_of(config.dim), setup.chains))
      const went = await this.#walk(number, first, first.steps, () => { say(result = filled(result, first)) }, true)
      if (went) say(result = filled(result, first))
      first.release()
      if (!went) return
    }
    if (!quick) {
      result.bounds = bound_curves(setup)
      if (result.crowd) say(result)
    }
    if (live) result.bounds = with_batches(setup, result.bounds)
    if (!this.#kept && !await this.#crowd(number, setup, key)) return
    const {simulation, law, seconds: took} = this.#kept
    result = Object.assign(filled(result, simulation), {complete: true, seconds: took})
    result.process = process_of(setup, result.crowd)
    result.promise = promise_of(setup, result.bounds, law)
    if (!("mixed" in this.#kept)) { // some seconds, for which nothing waits
      say(result)
      await soon()
      if (this.#request !== number) return
      this.#kept.mixed = with_mixture(setup, result.bounds).mixed
    }
    result.bounds = replace(result.bounds, {mixed: this.#kept.mixed})
    say(result, true)
  }

  /** As `app.exit_time.promise.grid_of`. */
  #gridOf({dim, precision, rows, labels}) {
    if (this.#grid?.rows !== rows) {
      this.#grid?.target.release()
      const target = new Target(this.#kernels, {kind: "logistic", dim, prior_precision: diag(precision).data})
      labels.data.forEach((label, k) => target.add(rows.data.slice(k * dim, (k + 1) * dim).map(value => label ? -value : value))) // encoded
      this.#grid = {rows, target, cdf: points => new NdArray(target.uniforms(points.data), points.shape)}
    }
    return this.#grid
  }

  #drop() {
    this.#kept.simulation.release()
    this.#kept = null
  }

  async #crowd(number, setup, key) {
    const simulation = new ExitSimulation(this.#kernels, setup, setup.chains), began = seconds(), {steps} = simulation
    const law = new EpochLaw(setup, levels_of(setup, target => this.#gridOf(target)))
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
    let reported = seconds()
    const began = reported, cost = simulation.chains * simulation.target.dim
    let count = Math.max(1, Math.floor(WORK / cost))
    while (simulation.steps_done < until) {
      const at = seconds(), before = simulation.steps_done
      simulation.advance(Math.min(count, until - simulation.steps_done))
      const took = Math.max(seconds() - at, 1e-4)
      count = Math.max(1, Math.round((simulation.steps_done - before) * Math.min(4, SLICE / took)))
      if (seconds() - reported > EVERY) {
        reported = seconds()
        tell()
      }
      await soon()
      if (this.#request !== number && !(first && seconds() - began < EVERY)) return false
    }
    return true
  }
}

let jobs = null

/** Take a request, or the run that Live has left; `module` and `manifest` are promises of the compiled kernels and their entries. */
export async function exitTime({number, config, squared, live, opens}, module, manifest) {
  const fresh = async () => Kernels.of(await module, await manifest)
  jobs ??= fresh().then(kernels => new ExitJobs(kernels, (of, message) => postMessage({type: "exit", number: of, ...message})))
  try {
    const own = await jobs
    if (live) own.leave(live)
    else await own.run(number, config, squared, {...opens, kernels: fresh})
  } catch (error) { postMessage({type: "exit", number, fault: errorWords(error)}) }
}
