// Parts that both pages of the lab file have: their frame, a section of the sidebar, a knob, the notices.
import {unserved} from "../common/panel_stand_in.js"
import {KnobSlider} from "../widgets/knob_slider.js"
import {Notices, PageShell} from "../widgets/page_shell.js"

/** A page's frame round its cards, area -> component; `glossary(what)` answers with what terms and formulas need. Returns its element. */
export function frameOf(values, cards, children, glossary) {
  const shell = unserved(PageShell, {framed: true, variables: "", areas: Object.keys(cards), ...values}, {
    children: {...children, items: [children.notices, ...Object.values(cards).map(({host}) => host)]},
    answers: {glossary: async ({what}) => shell.send({glossary: what, given: await glossary(what)})}})
  return shell.host
}

/** A section of a sidebar; `more` stands behind a fold, `act()` follows the link beside the heading. `set` is of one in a sidebar. */
export function section(heading, items, values = {}, {act = () => {}, more = []} = {}) {
  return {items: [...items, ...more], words: {heading, ...values, items: items.length, more: more.length}, act}
}

/** A sidebar with these sections; returns its element. */
export function sidebarOf(component, sections) {
  const {host, send} = unserved(component, {sections: sections.map(({words}) => words)}, {
    children: {items: sections.flatMap(({items}) => items)}, answers: {action: message => sections[message.section].act()}})
  for (const [k, one] of sections.entries()) one.set = changed => send({section: k, ...changed})
  return host
}

/** The knob of a parameter: `put(entered)` takes what is turned or typed, or throws words; `changed(knob)` after either. */
export function knobOf(name, fact, values, put, changed = () => {}) {
  const {symbol, term, whole, low, high, token, scale, lowest} = fact
  const say = error => { knob.set({error}); changed() }
  const take = entered => {
    let error = ""
    try { put(entered) } catch (wrong) { error = wrong.message }
    say(error)
  }
  const knob = unserved(KnobSlider, {symbol, term, whole, low, high, token, scale, lowest, error: "", unused: "", ...values}, {
    className: `knob-${name}`, answers: {slide: ({value}) => take(value), typed: ({text}) => { take(text); knob.send({value: knob.model.value}) }, escape: () => say("")}})
  return {...knob, show: facing => knob.set(facing.value === knob.model.value ? facing : {...facing, error: ""})}
}

/** What a page says at its foot; `act(kind)` follows its button. */
export function noticesOf(act) {
  const notices = unserved(Notices, {words: [], notice: "", kind: "", progress: null, action: ""}, {answers: {
    dismiss: ({index}) => notices.set({words: notices.model.words.filter((_, k) => k !== index)}), act: () => act(notices.model.kind)}})
  return {...notices, say: words => notices.set({words: [...new Set([...notices.model.words, ...words])]})}
}
