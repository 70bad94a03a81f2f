// Verdict in the form of its card, with the tables of `app/widgets/verdict_card.py` from the file.
import {escapeHtml} from "../common/dom.js"
import {LOOK, button_words, symbols} from "../dist/translated/app_widgets_verdict_card.js"

const pattern = text => text.replaceAll("\\ ", " ").replaceAll("[\\w", "[\\p{L}\\p{N}_") // Python's \w includes all letters

/** Formatter of verdicts. */
export class VerdictWords {
  constructor({number, terms, meters}) {
    this.meters = meters
    this.number = new RegExp(pattern(number), "gu")
    this.terms = terms.map(([first, name]) => [new RegExp(pattern(first), "u"), name])
  }

  /** Return a sentence as HTML, with measured numbers in bold and the first occurrence of each term marked. */
  sentence(text) {
    const html = escapeHtml(symbols(text))
    const bold = html.replace(this.number, (all, ...rest) => {
      const at = rest.find(one => typeof one === "number")
      return at === 0 || html.slice(0, at).trimEnd().endsWith("=") ? all : `<b>${all}</b>`
    })
    return this.terms.reduce((all, [first, name]) => all.replace(first, word => `<lab-term key="${escapeHtml(name)}">${word}</lab-term>`), bold)
  }

  /** Return the values of `VerdictCard` for a verdict. */
  card({kind, title, subtitle, sentence, suggestion, change}) {
    return {look: LOOK[kind] ?? LOOK.waiting, title, subtitle, sentence: this.sentence(sentence),
      suggestion: symbols(suggestion), button: button_words(change)}
  }

  rows(meters) {
    return meters.map(({label, text, fill, tick, bad}) => [label, text, Math.round(fill * 1000) / 1000, tick, bad, this.meters[label] ?? ""])
  }
}
