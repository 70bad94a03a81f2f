// Computation of a configuration of the Exit time page in a worker: a block of chains, the bounds, then all chains. The order is that
// of `app/exit_time/job.py`; numbers and texts are those of the library and the served page.
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

class Config extends ExitEpoch { // `replace` calls this constructor
  constructor(values) { super(); Object.assign(this, values) }
}

const SLICE = 0.03, EVERY = 0.15 // seconds between checks for newer requests, and between results
const WORK = 400_000 // coordinate-steps of the first slice; its duration determines the size of the next one
const soon = () => new Promise(resume => setTimeout(resume))
const seconds = () => performance.now() / 1000

/** Convert arrays for a message. */
const plain = value => value instanceof NdArray ? value.data : Array.isArray(value) ? value.map(plain) : value

const plainColumns = columns => Object.fromEntries(Object.entries(columns).map(([key, value]) => [key, plain(value)]))

function figureOf({drawn, x, y, options}) {
  const columns = Object.entries(columns_of(drawn)).map(([glyph, own]) => [glyph, plainColumns(own)])
  return {columns: Object.fromEntries(columns), x, y, options, spoken: chart_words(x, y, drawn.map(line => line.name))}
}

/** Return the values of a run of Live for other cards: the good events, and the price of theory or the reason why there is none. */
function measuredOn(live) {
  const {epochs, escape, reset_epochs, reset, words: caption} = good_events(live), own = {key: live.key, caption, head: words.measured_on(live)}
  const good = figureOf(good_drawing(epochs, escape, reset_epochs, reset))
  try { return {...own, good, price: {...price(live)}} } catch (error) { return {...own, good, price: {rows: [], source: "", verdict: error.message, why: ""}} }
}

/** Return the contents of the page for a result: columns and axes per figure, texts per card. */
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
  #cached = null // {key, simulation, law, seconds} of the last crowd
  #live = null // run handed over by Live; if one is needed without it, Live's default, run here once
  #reported = null // key of the run last published
  #grid = null // {rows, target, cdf} of the last logistic posterior in the plane

  /** `publish(number, message)` is called with {progress, working}, {result} or {live} for a request number. */
  constructor(kernels, publish) {
    this.#kernels = kernels
    this.publish = publish
    Object.assign(bound, kernelCalls(kernels))
  }

  /** Store the run handed over by Live, in the form of a message. */
  receiveRun(state) {
    const arrays = Object.entries(state).map(([name, value]) => [name, value?.shape ? new NdArray(value.data, value.shape, value.truths) : value])
    this.#live = new LiveHandover({...Object.fromEntries(arrays), settings: new Settings(state.settings)})
    this.#publishRun(0)
  }

  #publishRun(number) {
    if (this.#live.key !== this.#reported) this.publish(number, {live: measuredOn(this.#live)})
    this.#reported = this.#live.key
  }

  /** Run Live's default, {kernels: a separate instance, problem, config}, to epoch `EPOCH`. */
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

  /** Compute a configuration until a newer request arrives. */
  async run(number, values, squared, opens) {
    this.#request = number
    await soon() // receive newer requests of a moving slider first
    const wanted = new Config(values)
    if (wanted.needs_live && !this.#live) await this.#runDefault(number, opens)
    if (this.#request !== number) return
    const live = wanted.needs_live ? this.#live : null, setup = prepare_exits(wanted, live), {config} = setup
    if (live) this.#publishRun(number)
    const key = JSON.stringify([{...config, chain: null, truncation: 0}, setup.chains, live?.key])
    const show = (result, done = false) => this.publish(number, {result: shown(result, squared, done)})
    const quick = config.noise === 0 || config.steps <= 1000
    let result = new ExitResult({config, bounds: bound_curves(setup, quick ? CURVES : QUICK), notes: setup.notes, live})
    if (this.#cached && this.#cached.key !== key) this.#drop()
    if (!this.#cached) {
      const first = new ExitSimulation(this.#kernels, setup, Math.min(lanes_of(config.dim), setup.chains))
      const finished = await this.#walk(number, first, first.steps, () => { show(result = filled(result, first)) }, true)
      if (finished) show(result = filled(result, first))
      first.release()
      if (!finished) return
    }
    if (!quick) {
      result.bounds = bound_curves(setup)
      if (result.crowd) show(result)
    }
    if (live) result.bounds = with_batches(setup, result.bounds)
    if (!this.#cached && !await this.#crowd(number, setup, key)) return
    const {simulation, law, seconds: took} = this.#cached
    result = Object.assign(filled(result, simulation), {complete: true, seconds: took})
    result.process = process_of(setup, result.crowd)
    result.promise = promise_of(setup, result.bounds, law)
    if (!("mixed" in this.#cached)) { // takes some seconds, so that the result is shown before
      show(result)
      await soon()
      if (this.#request !== number) return
      this.#cached.mixed = with_mixture(setup, result.bounds).mixed
    }
    result.bounds = replace(result.bounds, {mixed: this.#cached.mixed})
    show(result, true)
  }

  /** See `app.exit_time.promise.grid_of`. */
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
    this.#cached.simulation.release()
    this.#cached = null
  }

  async #crowd(number, setup, key) {
    const simulation = new ExitSimulation(this.#kernels, setup, setup.chains), began = seconds(), {steps} = simulation
    const law = new EpochLaw(setup, levels_of(setup, target => this.#gridOf(target)))
    const working = `running ${setup.chains.toLocaleString("en-US")} chains`
    for (const stop of law.has_statistic ? law.stops : [steps]) {
      const report = () => { if (seconds() - began > 0.5) this.publish(number, {progress: simulation.steps_done / steps, working}) }
      if (!await this.#walk(number, simulation, stop, report)) {
        simulation.release()
        return false
      }
      if (law.has_statistic) law.record(simulation)
    }
    this.#cached = {key, simulation, law, seconds: seconds() - began}
    return true
  }

  /** Run to a step in slices, calling `report` regularly. Return false at a newer request, with `first` after at least one report. */
  async #walk(number, simulation, until, report, first = false) {
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
        report()
      }
      await soon()
      if (this.#request !== number && !(first && seconds() - began < EVERY)) return false
    }
    return true
  }
}

let jobs = null

/** Handle a request, or a run handed over by Live; `module` and `manifest` are promises of the compiled kernels and their entries. */
export async function exitTime({number, config, squared, live, opens}, module, manifest) {
  const fresh = async () => Kernels.of(await module, await manifest)
  jobs ??= fresh().then(kernels => new ExitJobs(kernels, (of, message) => postMessage({type: "exit", number: of, ...message})))
  try {
    const own = await jobs
    if (live) own.receiveRun(live)
    else await own.run(number, config, squared, {...opens, kernels: fresh})
  } catch (error) { postMessage({type: "exit", number, fault: errorWords(error)}) }
}
