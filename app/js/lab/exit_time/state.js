// Settings of the Exit time page: `app.state.exit_time.ExitState`, with translated rules.
import {withRules} from "../live_config.js"
import {ExitEpoch, chain_in, chain_text, chosen, corrected, kept_truncation, turned} from "../../dist/translated/app_state_exit_time.js"
import {LinkReader} from "../../dist/translated/app_state_parameters_knob_values.js"
import {same} from "../../common/dom.js"

const plain = config => ({...config, chain: null, adopt: false})

export class ExitState {
  #listeners = []
  #shown = ""

  /** `facts` is Python's `exit_facts()`. */
  constructor(facts) {
    const {chain, ...others} = facts.parameters, {high} = others.chains
    this.parameters = {...withRules({parameters: others}).parameters, chain: {...chain, write: chain_text, from_link: link => chain_in(link, chain.key, high)}}
    Object.assign(this, {facts, values: {}})
    this.load(this.#preset(facts.default))
  }

  #preset(key) { return this.facts.presets.find(one => one.key === key)?.config }
  get config() { return {...this.values} }

  #presetOf(config) { return this.facts.presets.find(one => same({...one.config, chain: config.chain}, config))?.key ?? "" }

  /** Key of the displayed preset, whatever the chosen chain; "" for none. */
  get preset() { return same(plain(this.values), plain(this.base)) ? this.#shown : this.#presetOf(this.values) }

  /** Call `listener()` after each change. */
  watch(listener) { this.#listeners.push(listener) }

  load(config) {
    this.#shown = this.#presetOf(config)
    this.base = this.#preset(this.#shown) ?? config
    this.update(config)
  }

  /** Set the values filled in by a computation. */
  settle(config) {
    if (this.values.adopt) this.base = config
    this.update(config)
  }

  update(changes) {
    const now = {...this.values, ...changes}
    now.truncation = kept_truncation(now.truncation, now.dim)
    if (same(now, this.values)) return
    this.values = now
    for (const listener of this.#listeners) listener()
  }

  /** Set a knob to a slider's number or a typed text; throw an Error with a message for the user if it is invalid. */
  put(name, entered) {
    const knob = this.parameters[name], value = knob.read(entered, this.values[name])
    this.update(turned(this.#epoch(this.values), name, value, typeof entered === "string", `Kept ${knob.format_value(this.values[name])}.`))
  }

  choose(name, value) { this.update(chosen(this.#epoch(this.values), name, value)) }

  #epoch(values) { return Object.assign(new ExitEpoch(), values) }

  // links -----------------------------------------------------------------------------------------------------------

  query(values = this.values) {
    return Object.fromEntries(Object.entries(this.parameters).map(([name, one]) => [one.key, one.write(values[name])]))
  }

  /** Return [configuration of a link's parameters, messages about corrected ones]. */
  fromQuery(query) {
    const link = new LinkReader(query), {presets} = this.facts
    const base = this.#preset(link.choice("preset", presets.map(({key}) => key), this.facts.default)), config = {...base}
    for (const [name, one] of Object.entries(this.parameters)) config[name] = one.from_link(link, base[name])
    config.adopt = base.adopt && !link.has(...this.facts.knobs.map(name => this.parameters[name].key))
    const [changes, words] = corrected(this.#epoch(config))
    return [{...config, ...changes}, [...link.words, ...words]]
  }
}
