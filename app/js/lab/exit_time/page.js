// Exit time page in the lab file: cards and knobs of the served page, and a separate worker for the computation.
import {Figures} from "./figures.js"
import {Sidebar} from "./sidebar.js"
import {ExitState} from "./state.js"
import {frameOf, noticesOf} from "../sidebar_parts.js"
import {startWorker} from "../run_link.js"
import {PriceCard} from "../../pages/price_card.js"
import {same} from "../../common/dom.js"
import {unserved} from "../../common/panel_stand_in.js"
import {FigureCard} from "../../widgets/figure_card.js"
import {TextCard} from "../../widgets/text_card.js"
import {csvText} from "../../common/pictures.js"

export const LABEL = "Exit time"

export class ExitPage {
  /**
   * `parts` are {script, wasm, manifest} of a worker; `opens` is the initial {problem, config} of Live; `bokeh` is a promise of
   * BokehJS; `glossary(what)` returns the resources of terms and formulas.
   */
  constructor(facts, parts, opens, bokeh, glossary) {
    Object.assign(this, {facts, parts, opens, bokeh, number: 0, squared: true, worker: null, last: null, requested: null, own: null, liveRun: null, measured: null})
    this.state = new ExitState(facts)
    this.figures = new Figures(facts.charts, chain => this.choose(chain))
    this.sidebar = new Sidebar(this.state, key => this.show(key))
    this.cards = Object.fromEntries(Object.entries(facts.cards).map(([name, card]) => [name, this.#card(card)]))
    this.notices = noticesOf(() => this.retry())
    const price = this.price = unserved(PriceCard, facts.price, {answers: {choose: ({value}) => this.showPrice(value)}}), says = unserved(TextCard, {heading: "", look: ["", "", ""], buttons: [], links: {}, announces: false, ...facts.says})
    this.host = frameOf({label: LABEL, foot: "Knobs and pictures to try", layout: facts.layout, purpose: facts.purpose, narrow: "", phone: ""},
      {...this.cards, price, says}, {sidebar: this.sidebar.host, notices: this.notices.host}, glossary)
    Object.assign(this.host, {className: "exit", hidden: true})
    this.state.watch(() => { if (!same(this.state.config, this.requested)) this.compute() })
  }

  #card({figures, ...card}) {
    const own = unserved(FigureCard, {...card, figures, progress: null, working: "", warnings: []}, {
      children: {figures: figures.map(name => this.figures.elements[name])}, views: name => this.figures.viewOf(name), answers: {
        choose: ({name, value}) => { own.set({chosen: {...own.model.chosen, [name]: value}}); this.squared = value !== "plain"; this.compute() },
        press: () => this.show("live"), step: ({by}) => this.step(by), csv: () => own.send({csv: this.csv()})}})
    return own
  }

  /** Show the page; its figures are drawn the first time. */
  async open() {
    this.host.hidden = false
    if (this.number === 0) this.compute()
    this.built ??= this.bokeh.then(() => this.figures.build())
    await this.built
  }

  close() { this.host.hidden = true }

  restyle(dark) { this.figures.restyle(dark ? "dark" : "light") }

  // user actions ----------------------------------------------------------------------------------------------------

  /** Set all values and compute, even if unchanged. */
  load(config) {
    this.requested = null
    this.state.load(config)
    if (this.requested === null) this.compute()
  }

  /** Show one of the pictures to try. */
  show(key) { this.load(this.facts.presets.find(one => one.key === key).config) }

  choose(chain) { this.state.update({chain}) }

  step(by) {
    const {sums} = this.last ?? {}
    if (!sums) return
    const at = sums.order.indexOf(sums.chain), count = sums.order.length
    this.choose(sums.order[((at < 0 ? -by : at) + by + count) % count])
  }

  /** Restart the worker after a fault. */
  retry() {
    this.#startWorker()
    this.notices.set({notice: "", kind: "", action: ""})
    this.compute()
  }

  csv() {
    const columns = this.last?.csv ?? {}, names = Object.keys(columns)
    return csvText(names, Array.from(columns[names[0]] ?? [], (_, k) => names.map(name => columns[name][k])))
  }

  // computation -----------------------------------------------------------------------------------------------------

  compute() {
    if (this.worker === null) this.#startWorker()
    this.requested = this.state.config
    this.worker.postMessage({type: "exit", number: ++this.number, config: this.requested, squared: this.squared, opens: this.opens})
    this.host.dataset.done = "0"
  }

  /** Store the run handed over by Live and send it to the worker. */
  receiveRun(state) {
    this.liveRun = state
    if (this.worker === null) this.#startWorker()
    else this.worker.postMessage({type: "exit", live: state})
  }

  showPrice(choice) { this.price.set({choice, ...choice === "live" ? this.measured.price : this.facts.price, has_live: Boolean(this.measured)}) }

  #showLive(measured) {
    this.measured = measured
    this.figures.show("good", measured.good)
    this.cards.good.set({empty: "", button: "", caption: measured.caption, heads: [[this.cards.good.model.heads[0][0], measured.head]]})
    this.showPrice(this.price.model.choice)
  }

  #startWorker() {
    const own = startWorker(this.parts)
    this.worker?.terminate()
    this.worker = own
    own.onmessage = ({data}) => { if (data.type === "exit") this.#receive(data) }
    if (this.liveRun) own.postMessage({type: "exit", live: this.liveRun})
    own.addEventListener("error", () => this.#fault(own.failed))
  }

  #fault(message) { this.notices.set({notice: `The computation stopped: ${message}`, kind: "error", action: "Try again"}) }

  #receive({number, fault, progress = null, working = "", result, live}) {
    if (live) { this.#showLive(live); return }
    if (fault && number === this.number) this.#fault(fault)
    this.cards.crowd.set({progress, working})
    if (result) this.#show(result, number)
  }

  #show(result, number) {
    this.last = result
    const {words, done, chains, sums, tooLong} = result, {captions} = this.facts, {crowd} = this.cards
    for (const [name, figure] of Object.entries(result.figures)) this.figures.show(name, name === "promise" ? {...figure, spoken: words.promiseSpoken} : figure)
    const [what, unit] = this.squared ? ["squared distance", "r²"] : ["distance", "r"]
    crowd.set({heads: [[`${chains.toLocaleString("en-US")} chains through one epoch`, `${what} to the mode ÷ ${unit}`], crowd.model.heads[1]],
      warnings: words.warnings, caption: words.crowd, spoken: done ? words.spoken : crowd.model.spoken})
    this.cards.sums.set(sums ? {stepper: `chain ${sums.chain.toLocaleString("en-US")}`, empty: "", caption: words.splitting}
      : tooLong ? {stepper: "", empty: captions.too_long} : {})
    this.cards.pushes.set({caption: words.pushing})
    if (done) {
      this.cards.process.set({empty: words.hasProcess ? "" : captions.no_process, caption: words.process})
      this.cards.promise.set({empty: words.hasPromise ? "" : captions.no_promise, caption: words.promise})
      this.sidebar.showNotes(words)
    }
    if (number === this.number) {
      this.requested = result.config
      this.state.settle(result.config)
    }
    if (done && number === this.number) Object.assign(this.host.dataset, {done: "1", inside: result.inside.toFixed(6), chains: String(chains)})
  }

  // lessons ---------------------------------------------------------------------------------------------------------

  /** Return the URL parameters of the user's settings, also during a lesson. */
  ownQuery() { return this.state.query(this.own ?? this.state.values) }

  /** Apply the settings of a lesson; `restoreOwn` restores the user's. */
  override(query) {
    this.own ??= this.state.config
    this.set(query)
  }

  set(query) { this.load(this.state.fromQuery(query)[0]) }

  restoreOwn() {
    if (this.own) this.load(this.own)
    this.own = null
  }
}
