// Settings of Live and the consequences of a change, by the rules of `app.state.live.LiveState`.
import {LiveConfig, LiveMenu} from "./live_config.js"
import {view_within, with_algorithm, with_problem} from "../dist/translated/app_state_live.js"
import {coordinate_names} from "../dist/translated/app_state_live_menu.js"
import {same} from "../common/dom.js"

/** Return the menu entry of the user's own data, {label, kind, dim, knobs: algorithm -> knobs}, as a problem. */
export function ownProblem(live, {label, kind, dim, knobs}) {
  const like = Object.values(live.problems).find(problem => problem.kind === kind), {refused, lacks} = like
  const opens = algorithm => ({...like.defaults[algorithm], ...knobs[algorithm], problem: "given", stream: "given", seed: 1})
  return {label, kind, dim, coordinates: coordinate_names(dim), note: "", refused, lacks, streams: {"In the order given": "given"},
    defaults: Object.fromEntries(Object.keys(like.defaults).map(algorithm => [algorithm, opens(algorithm)]))}
}

export class LabState {
  #listeners = []

  /** `live` has the file's facts about Live; `config` is the initial configuration; `own` is the user's own problem, or null. */
  constructor(live, config, own = null) {
    Object.assign(this, {live, own})
    this.values = {...config}
    this.base = this.menu.default(config.problem, config.algorithm)
  }

  /** Menu entry of the current problem. */
  get choice() { return this.menu.problems[this.values.problem] }
  get menu() { return new LiveMenu(this.live, this.own) }

  get config() { return {...this.values} }
  get atDefaults() { return this.#knobs.every(name => this.values[name] === this.base[name]) }
  get #knobs() { return [...this.live.sampler, ...this.live.switches] }

  /** Key of the displayed preset, whatever the view; "" for none. */
  get preset() {
    const looks = Object.fromEntries(this.live.looks.map(name => [name, this.values[name]]))
    return this.live.presets.find(({config}) => same({...config, ...looks}, this.values))?.key ?? ""
  }

  /** Call `listener(names)` with the changed names, once per change. */
  watch(listener) { this.#listeners.push(listener) }

  /** Set all values. */
  load(config) {
    this.base = this.menu.default(config.problem, config.algorithm)
    this.#put(config)
  }

  /** Set some values; a problem or an algorithm sets its defaults. Throw an Error if it cannot be chosen. */
  update(changes) {
    const config = new LiveConfig({...this.values, ...changes})
    if (config.problem !== this.values.problem) this.load(with_problem(config, this.menu))
    else if (config.algorithm !== this.values.algorithm) this.#setAlgorithm(config)
    else this.#put(changes)
  }

  #setAlgorithm(config) {
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

  /** Set a knob to a slider's number or a typed text; throw an Error with a message for the user if it is invalid. */
  put(name, entered) {
    const fact = this.live.parameters[name], value = fact.read(entered, this.values[name])
    const unused = this.live.algorithms[this.values.algorithm].unused[name]
    if (unused) throw new Error(`${fact.plain} is ${unused}. Kept ${fact.format_value(this.values[name])}.`)
    this.update({[name]: value})
  }

  /** Reset the sampler's knobs and switches to their defaults. */
  toDefaults() { this.update(Object.fromEntries(this.#knobs.map(name => [name, this.base[name]]))) }
}
