// Parts shared by both pages of the lab file: frame, section of the sidebar, knob, notices.
import {unserved} from "../common/panel_stand_in.js"
import {KnobSlider} from "../widgets/knob_slider.js"
import {Notices, PageShell} from "../widgets/page_shell.js"

/** Return a page's frame around its cards, area -> component; `glossary(what)` returns the resources of terms and formulas. */
export function frameOf(values, cards, children, glossary) {
  const shell = unserved(PageShell, {framed: true, variables: "", areas: Object.keys(cards), ...values}, {
    children: {...children, items: [children.notices, ...Object.values(cards).map(({host}) => host)]},
    answers: {glossary: async ({what}) => shell.send({glossary: what, given: await glossary(what)})}})
  return shell.host
}

/** Return a section for `sidebarOf`, which adds its `set`; `more` is folded, `act()` is called by the link next to the heading. */
export function section(heading, items, values = {}, {act = () => {}, more = []} = {}) {
  return {items: [...items, ...more], words: {heading, ...values, items: items.length, more: more.length}, act}
}

/** Return the element of a sidebar with sections. */
export function sidebarOf(component, sections) {
  const {host, send} = unserved(component, {sections: sections.map(({words}) => words)}, {
    children: {items: sections.flatMap(({items}) => items)}, answers: {action: message => sections[message.section].act()}})
  for (const [k, one] of sections.entries()) one.set = changed => send({section: k, ...changed})
  return host
}

/** Return the knob of a parameter: `put(entered)` sets a value or throws an Error; `changed(knob)` is called afterwards. */
export function knobOf(name, fact, values, put, changed = () => {}) {
  const {symbol, term, whole, low, high, token, scale, lowest} = fact
  const report = error => { knob.set({error}); changed() }
  const take = entered => {
    let error = ""
    try { put(entered) } catch (fault) { error = fault.message }
    report(error)
  }
  const knob = unserved(KnobSlider, {symbol, term, whole, low, high, token, scale, lowest, error: "", unused: "", ...values}, {
    className: `knob-${name}`, answers: {slide: ({value}) => take(value), typed: ({text}) => { take(text); knob.send({value: knob.model.value}) }, escape: () => report("")}})
  return {...knob, show: changed => knob.set(changed.value === knob.model.value ? changed : {...changed, error: ""})}
}

/** Return the notices at the foot of a page; `act(kind)` is called by their button. */
export function noticesOf(act) {
  const notices = unserved(Notices, {words: [], notice: "", kind: "", progress: null, action: ""}, {answers: {
    dismiss: ({index}) => notices.set({words: notices.model.words.filter((_, k) => k !== index)}), act: () => act(notices.model.kind)}})
  return {...notices, add: words => notices.set({words: [...new Set([...notices.model.words, ...words])]})}
}
