// Everything that the user can set on Live, and what a change takes along: the rules of `app.state.live.LiveState`.
import {same} from "../shared/dom.js"

/** The entry that the user's own data have in the menu of problems; {label, kind, dim, knobs: algorithm -> knobs}. */
export function ownProblem(live, {label, kind, dim, knobs}) {
  const like = Object.values(live.problems).find(problem => problem.kind === kind), {refused, lacks} = like, digits = "₀₁₂₃₄₅₆₇₈₉"
  const coordinates = Array.from({length: dim}, (_, k) => `θ${String(k + 1).replace(/\d/g, digit => digits[digit])}`)
  const opens = algorithm => ({...like.defaults[algorithm], ...knobs[algorithm], problem: "given", stream: "given", seed: 1})
  return {label, kind, dim, coordinates, note: "", refused, lacks, streams: {"In the order given": "given"},
    defaults: Object.fromEntries(Object.keys(like.defaults).map(algorithm => [algorithm, opens(algorithm)]))}
}

export class LabState {
  #listeners = []

  /** `live` is what the file knows of Live; `config` what it opens with; `own` the entry of the user's own data, or null. */
  constructor(live, config, own = null) {
    Object.assign(this, {live, own})
    this.values = {...config}
    this.base = this.#opens(config)
  }

  /** The problem's entry; that of the user's own data, once there are some. */
  get choice() { return this.#choice(this.values.problem) }
  #choice(problem) { return problem === "given" ? this.own : this.live.problems[problem] }
  #opens({problem, algorithm}) { return this.#choice(problem).defaults[algorithm] }

  get config() { return {...this.values} }
  get atDefaults() { return this.#knobs.every(name => this.values[name] === this.base[name]) }
  get #knobs() { return [...this.live.sampler, ...this.live.switches] }
  get restarting() { return this.live.restarting }

  /** Key of the picture to try that is shown, however it is looked at; "" for none. */
  get preset() {
    const looks = Object.fromEntries(this.live.looks.map(name => [name, this.values[name]]))
    return this.live.presets.find(({config}) => same({...config, ...looks}, this.values))?.key ?? ""
  }

  /** Call `listener(names)` with what has changed, once for each change. */
  watch(listener) { this.#listeners.push(listener) }

  /** Set everything. */
  load(config) {
    this.base = this.#opens(config)
    this.#put(config)
  }

  /** Set some; a problem or an algorithm brings its defaults. An Error says why one cannot be chosen. */
  update(changes) {
    const {problem, algorithm} = {...this.values, ...changes}
    if (problem !== this.values.problem) this.#bringProblem({...this.values, ...changes})
    else if (algorithm !== this.values.algorithm) this.#bringAlgorithm({...this.values, ...changes})
    else this.#put(changes)
  }

  #bringProblem(config) {
    const {defaults, refused} = this.#choice(config.problem), plain = this.live.parameters.algorithm.default
    const opens = defaults[refused[config.algorithm] ? plain : config.algorithm]
    const stream = [config.problem, config.stream].includes("given") ? opens.stream : config.stream
    this.load({...opens, stream, speed: config.speed})
  }

  #bringAlgorithm(config) {
    const refused = this.choice.refused[config.algorithm]
    if (refused) throw new Error(refused)
    const opens = this.#opens(config), before = this.base
    const untouched = this.live.sampler.filter(name => config[name] === before[name])
    this.load({...config, ...Object.fromEntries(untouched.map(name => [name, opens[name]]))})
  }

  #put(changes) {
    const now = {...this.values, ...changes}
    if (now.follow !== null && !(now.follow >= 0 && now.follow < now.chains)) now.follow = now.chains - 1
    if (now.axes !== "principal" && now.axes.some(axis => axis >= this.#choice(now.problem).dim)) now.axes = [0, 1]
    const names = Object.keys(now).filter(name => !same(now[name], this.values[name]))
    this.values = now
    if (names.length) for (const listener of this.#listeners) listener(names)
  }

  /** Set one knob from a slider's number or from what was typed; an Error has words for the user, nothing has changed then. */
  put(name, given) {
    const fact = this.live.parameters[name], value = fact.read(given, this.values[name])
    const unused = this.live.algorithms[this.values.algorithm].unused[name]
    if (unused) throw new Error(`${fact.plain} is ${unused}. Kept ${fact.say(this.values[name])}.`)
    this.update({[name]: value})
  }

  /** Put the sampler's knobs and switches back to their defaults. */
  toDefaults() { this.update(Object.fromEntries(this.#knobs.map(name => [name, this.base[name]]))) }
}
