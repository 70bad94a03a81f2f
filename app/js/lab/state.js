// Everything that the user can set on Live, and what a change takes along: the rules of `app.state.live.LiveState`.
import {LiveConfig, LiveMenu} from "./live_config.js"
import {view_within, with_algorithm, with_problem} from "../dist/translated/app_state_live.js"
import {coordinate_names} from "../dist/translated/app_state_live_menu.js"
import {same} from "../common/dom.js"

/** The entry that the user's own data have in the menu of problems; {label, kind, dim, knobs: algorithm -> knobs}. */
export function ownProblem(live, {label, kind, dim, knobs}) {
  const like = Object.values(live.problems).find(problem => problem.kind === kind), {refused, lacks} = like
  const opens = algorithm => ({...like.defaults[algorithm], ...knobs[algorithm], problem: "given", stream: "given", seed: 1})
  return {label, kind, dim, coordinates: coordinate_names(dim), note: "", refused, lacks, streams: {"In the order given": "given"},
    defaults: Object.fromEntries(Object.keys(like.defaults).map(algorithm => [algorithm, opens(algorithm)]))}
}

export class LabState {
  #listeners = []

  /** `live` is what the file knows of Live; `config` what it opens with; `own` the entry of the user's own data, or null. */
  constructor(live, config, own = null) {
    Object.assign(this, {live, own})
    this.values = {...config}
    this.base = this.menu.default(config.problem, config.algorithm)
  }

  /** The problem's entry; that of the user's own data, once there are some. */
  get choice() { return this.menu.problems[this.values.problem] }
  get menu() { return new LiveMenu(this.live, this.own) }

  get config() { return {...this.values} }
  get atDefaults() { return this.#knobs.every(name => this.values[name] === this.base[name]) }
  get #knobs() { return [...this.live.sampler, ...this.live.switches] }

  /** Key of the picture to try that is shown, however it is looked at; "" for none. */
  get preset() {
    const looks = Object.fromEntries(this.live.looks.map(name => [name, this.values[name]]))
    return this.live.presets.find(({config}) => same({...config, ...looks}, this.values))?.key ?? ""
  }

  /** Call `listener(names)` with what has changed, once for each change. */
  watch(listener) { this.#listeners.push(listener) }

  /** Set everything. */
  load(config) {
    this.base = this.menu.default(config.problem, config.algorithm)
    this.#put(config)
  }

  /** Set some; a problem or an algorithm brings its defaults. An Error says why one cannot be chosen. */
  update(changes) {
    const config = new LiveConfig({...this.values, ...changes})
    if (config.problem !== this.values.problem) this.load(with_problem(config, this.menu))
    else if (config.algorithm !== this.values.algorithm) this.#bringAlgorithm(config)
    else this.#put(changes)
  }

  #bringAlgorithm(config) {
    const refused = this.choice.refused[config.algorithm]
    if (refused) throw new Error(refused)
    this.load(with_algorithm(config, this.base, this.menu))
  }

  #put(changes) {
    const now = {...this.values, ...changes}
    Object.assign(now, view_within(now.follow, now.axes, now.chains, this.menu.dim(now.problem)))
    const names = Object.keys(now).filter(name => !same(now[name], this.values[name]))
    this.values = now
    if (names.length) for (const listener of this.#listeners) listener(names)
  }

  /** Set one knob from a slider's number or from what was typed; an Error has words for the user, nothing has changed then. */
  put(name, entered) {
    const fact = this.live.parameters[name], value = fact.read(entered, this.values[name])
    const unused = this.live.algorithms[this.values.algorithm].unused[name]
    if (unused) throw new Error(`${fact.plain} is ${unused}. Kept ${fact.format_value(this.values[name])}.`)
    this.update({[name]: value})
  }

  /** Put the sampler's knobs and switches back to their defaults. */
  toDefaults() { this.update(Object.fromEntries(this.#knobs.map(name => [name, this.base[name]]))) }
}
