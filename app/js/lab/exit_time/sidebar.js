// Sidebar of the Exit time page: `app.exit_time.cards.ExitSidebar`, with each part bound to the state.
import {knobOf, section, sidebarOf} from "../sidebar_parts.js"
import {unserved} from "../../common/panel_stand_in.js"
import {PresetButtons, Segments} from "../../widgets/choices.js"
import {PageSidebar} from "../../widgets/page_shell.js"

export class Sidebar {
  /** `preset(key)` is called with a chosen picture to try. */
  constructor(state, preset) {
    this.state = state
    const {facts} = state
    this.knobs = Object.fromEntries(facts.knobs.map(name => [name, this.#knob(name)]))
    this.target = unserved(Segments, {label: "F", spoken: "Target F", options: facts.targets, value: state.values.target, refused: {}}, {
      answers: {choose: ({value}) => state.choose("target", value)}})
    this.start = unserved(Segments, {label: "", spoken: "Start", options: facts.starts, value: state.values.start, refused: {}}, {
      answers: {choose: ({value}) => state.choose("start", value)}})
    this.presets = unserved(PresetButtons, {presets: facts.presets.map(({key, label, says}) => [key, label, says]), chosen: "", says: ""}, {
      className: "presets", answers: {choose: ({key}) => preset(key)}})
    const of = names => names.map(name => this.knobs[name].host), starts = ["distance", "chains"]
    this.cost = section("", [])
    this.starts = section("Start", [this.start.host, ...of(starts)])
    const sections = [section("One epoch", [this.target.host, ...of(facts.knobs.filter(name => !starts.includes(name)))], facts.section, {
      act: () => preset("live")}), this.starts, section("Pictures to try", [this.presets.host]), this.cost]
    this.host = sidebarOf(PageSidebar, sections)
    state.watch(() => this.show())
    this.show()
  }

  #knob(name) {
    const {state} = this, fact = state.facts.parameters[name]
    const values = {words: fact.label, help: fact.doc, grouped: true, default: state.base[name], value: state.values[name]}
    return knobOf(name, fact, values, entered => state.put(name, entered))
  }

  show() {
    const {values, base, preset, facts} = this.state
    for (const [name, knob] of Object.entries(this.knobs)) knob.show({default: base[name], value: values[name]})
    this.knobs.distance.host.hidden = values.start !== "distance"
    this.start.set({value: values.start})
    this.target.set({value: values.target})
    this.presets.set({chosen: preset, says: facts.presets.find(({key}) => key === preset)?.says ?? ""})
  }

  /** Show the duration of the computation, unless empty, and the values that target and start take from Live. */
  showNotes({timing, fromLive}) {
    if (timing) this.cost.set({note: timing})
    this.starts.set({note: fromLive})
  }
}
