// Live's sidebar in the lab file (`app/live/components/sidebar.py`), with each part bound to the state.
import {knobOf, section, sidebarOf} from "./sidebar_parts.js"
import {Assumptions, PromiseRows} from "../live/theory_rows.js"
import {unserved} from "../common/panel_stand_in.js"
import {Menu, PresetButtons, Segments, SwitchList} from "../widgets/choices.js"
import {LiveSidebar} from "../widgets/page_shell.js"

/** Return a menu of [words, value] pairs; `take(value)` is called with a chosen value. */
function menu(label, take, {className = "", small = false} = {}) {
  let options = []
  const shown = unserved(Menu, {label, small, words: [], chosen: -1}, {className, answers: {choose: ({index}) => take(options[index][1])}})
  return {...shown, show: (pairs, value) => {
    options = pairs
    shown.set({words: pairs.map(([words]) => words), chosen: pairs.findIndex(([, one]) => one === value)})
  }}
}

/** Return the two menus of the plotted coordinates: `app.widgets.param_controls.axes_menu`. */
export function axesMenu(state) {
  const host = document.createElement("span"), put = axes => state.update({axes})
  host.style.cssText = "display:flex;gap:6px"
  const first = menu("coordinate across", across => {
    const {axes} = state.values, up = axes === "principal" ? second.value : axes[1]
    put(across === "principal" ? "principal" : across === up ? [across, +(across === 0)] : [across, up])
  }, {small: true})
  const second = menu("coordinate up", up => { const [across] = state.values.axes; put(up === across ? [+(up === 0), up] : [across, up]) }, {small: true})
  for (const {host: one} of [first, second]) one.style.width = "102px"
  host.append(first.host, second.host)
  const show = () => {
    const {axes} = state.values, names = state.choice.coordinates.map((name, k) => [name, k])
    first.show([["principal axes", "principal"], ...names], axes === "principal" ? axes : axes[0])
    second.value = axes === "principal" ? second.value ?? 1 : axes[1]
    second.show(names, second.value)
    second.host.hidden = axes === "principal"
  }
  state.watch(show)
  show()
  return host
}

export class Knobs {
  /** `showPreset(key)` starts a picture to try; `picker` is the element that loads the user's own data. */
  constructor(state, showPreset, picker) {
    Object.assign(this, {state, picker})
    const {live} = state, names = Object.keys(live.parameters).filter(name => live.parameters[name].kind === "knob")
    this.knobs = Object.fromEntries(names.map(name => [name, this.#knob(name)]))
    this.algorithm = unserved(Segments, {label: "", spoken: "Algorithm", value: "", refused: {},
      options: Object.values(live.algorithms).map(({key, short}) => [key, short])}, {
      className: "choice-algorithm", answers: {choose: ({value}) => this.#choose({algorithm: value})}})
    const rows = live.switches.map(name => { const {label, doc, term} = live.parameters[name]; return [name, label, "", "", "", doc, term] })
    this.switches = unserved(SwitchList, {label: "Switches", rows, active: [], warns: live.warns}, {
      answers: {turn: ({key, on}) => state.update({[key]: on})}})
    this.problem = menu(live.parameters.problem.label, problem => this.#choose({problem}), {className: "menu-problem"})
    this.stream = menu(live.parameters.stream.label, stream => this.#choose({stream}), {className: "menu-stream"})
    this.assumptions = unserved(Assumptions, {rows: []}, {className: "assumptions"})
    this.promise = unserved(PromiseRows, {rows: [], note: ""}, {className: "promise"})
    this.presets = unserved(PresetButtons, {presets: live.presets.map(({key, label, says}) => [key, label, says]), chosen: "", says: ""}, {
      answers: {choose: ({key}) => { this.clearErrors(); showPreset(key) }}})
    this.host = this.#build()
    state.watch(() => this.show())
    this.show()
  }

  #build() {
    const {live} = this.state, of = names => names.map(name => this.knobs[name].host)
    const back = () => { this.clearErrors(); this.state.toDefaults() }
    this.sampler = section("Sampler", [this.algorithm.host, ...of(live.sampler.filter(name => !live.more.includes(name)))],
      {action: "defaults", hint: "Knobs and switches back to this problem’s and algorithm’s defaults"}, {act: back, more: of(live.more)})
    this.measured = [section("Assumptions, measured", [this.assumptions.host], {hidden: true}),
      section("The theorem and this run", [this.promise.host], {hidden: true})]
    const sections = [this.sampler, section("Switches", [this.switches.host]),
      section("Problem", [this.problem.host, this.stream.host, ...of(["chains", "seed"]), this.picker]), ...this.measured,
      section("Pictures to try", [this.presets.host])]
    return sidebarOf(LiveSidebar, sections)
  }

  #knob(name) {
    const {state} = this, values = {grouped: false, ...this.#valuesOf(name)}
    return knobOf(name, state.live.parameters[name], values, entered => state.put(name, entered), () => this.mark())
  }

  /** Return the texts and values of a knob for the chosen algorithm. */
  #valuesOf(name) {
    const {values, base, live} = this.state, {label, doc} = live.parameters[name], chosen = live.algorithms[values.algorithm]
    return {words: chosen.words[name] ?? label, help: chosen.help[name] ?? doc, unused: chosen.unused[name] ?? "", default: base[name], value: values[name]}
  }

  #choose(changes) {
    this.clearErrors()
    this.state.update(changes)
    this.show()
  }

  clearErrors() { for (const knob of Object.values(this.knobs)) knob.set({error: ""}) }

  show() {
    const {state} = this, {values, live, choice, own} = state
    for (const [name, knob] of Object.entries(this.knobs)) knob.show(this.#valuesOf(name))
    this.algorithm.set({value: values.algorithm, refused: choice.lacks})
    this.switches.set({active: live.switches.filter(name => values[name])})
    const problems = [...(own ? [[own.label, "given"]] : []), ...Object.entries(live.problems).map(([key, {label}]) => [label, key])]
    this.problem.show(problems, values.problem)
    this.stream.show(Object.entries(choice.streams), values.stream)
    this.mark()
  }

  /** Mark the displayed preset; enable the link to the defaults if a value or a faulty entry differs from them. */
  mark() {
    if (!this.sampler) return
    const {preset, live, atDefaults} = this.state
    this.presets.set({chosen: preset, says: live.presets.find(({key}) => key === preset)?.says ?? ""})
    this.sampler.set({active: !atDefaults || Object.values(this.knobs).some(({model}) => model.error)})
  }

  /** Show the measured assumptions and the promise of the theorem; hide missing ones. */
  measure(assumptions, promise) {
    this.measured[0].set({hidden: !assumptions?.length})
    this.measured[1].set({hidden: !promise})
    if (assumptions?.length) this.assumptions.set({rows: assumptions})
    if (promise) this.promise.set({rows: promise.rows, note: promise.note})
  }
}
