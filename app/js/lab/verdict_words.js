// The verdict as its card shows it: the file holds the tables of `app/widgets/verdict_card.py`.
import {escapeHtml} from "../common/dom.js"
import {knob_text} from "../dist/translated/app_state_parameters_knob_values.js"

const pattern = text => text.replaceAll("\\ ", " ").replaceAll("[\\w", "[\\p{L}\\p{N}_") // Python's \w in a class holds every letter

/** Dresses verdicts by the tables of the file. */
export class VerdictWords {
  constructor({looks, written, symbols, switched, number, terms, meters}) {
    Object.assign(this, {looks, written, symbols, switched, meters})
    this.number = new RegExp(pattern(number), "gu")
    this.terms = terms.map(([first, name]) => [new RegExp(pattern(first), "u"), name])
  }

  symbolsIn(text) { return Object.entries(this.written).reduce((all, [plain, sign]) => all.replaceAll(plain, sign), text) }

  /** A sentence as HTML, its measured numbers in bold, the first of each term marked. */
  sentence(text) {
    const html = escapeHtml(this.symbolsIn(text))
    const bold = html.replace(this.number, (all, ...rest) => {
      const at = rest.find(one => typeof one === "number")
      return at === 0 || html.slice(0, at).trimEnd().endsWith("=") ? all : `<b>${all}</b>`
    })
    return this.terms.reduce((all, [first, name]) => all.replace(first, word => `<lab-term key="${escapeHtml(name)}">${word}</lab-term>`), bold)
  }

  button(change) {
    if (!change || !Object.keys(change).length) return ""
    const [[name, value]] = Object.entries(change)
    if (typeof value === "boolean") return `Switch ${this.switched[name] ?? name} ${value ? "on" : "off"}`
    return `Set ${this.symbols[name] ?? name} = ${knob_text(value)}`
  }

  /** What `VerdictCard` shows of a verdict. */
  card({kind, title, subtitle, sentence, suggestion, change}) {
    return {look: this.looks[kind] ?? this.looks.waiting, title, subtitle, sentence: this.sentence(sentence),
      suggestion: this.symbolsIn(suggestion), button: this.button(change)}
  }

  rows(meters) {
    return meters.map(({label, text, fill, tick, bad}) => [label, text, Math.round(fill * 1000) / 1000, tick, bad, this.meters[label] ?? ""])
  }
}
