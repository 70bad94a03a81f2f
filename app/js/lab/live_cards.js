// Live's cards in the lab file, which are the components of the served page, and their update from snapshots.
import {axesMenu, Knobs} from "./knobs.js"
import {frameOf, noticesOf} from "./sidebar_parts.js"
import {VerdictWords} from "./verdict_words.js"
import {notice_of, titles_of} from "../dist/translated/app_live_page_words.js"
import {scientific} from "../dist/translated/app_number_words.js"
import {ChainPicture} from "../canvas/chain_picture.js"
import {ChainsCard} from "../live/chains_card.js"
import {ChartsCard} from "../live/charts_card.js"
import {Transport} from "../live/transport.js"
import {same} from "../common/dom.js"
import {unserved} from "../common/panel_stand_in.js"
import {VerdictCard} from "../widgets/verdict_card.js"

const WORDS_EVERY = 500 // ms between updates of verdict and meters, so that they stay readable

export class LiveCards {
  /** `lab` receives the user's actions; `shown()` is called after a frame has been painted. */
  constructor(content, lab, shown) {
    const {state, charts} = lab
    Object.assign(this, {content, lab, state, charts, shown, wordsAt: 0, run: -1, pending: false})
    this.verdictWords = new VerdictWords(content.verdict)
    this.look = {palette: content.tokens.light, dark: false, font: content.font, axes: ["", ""], rungs: [], spoken: "", ball: ""}
    this.picture = new ChainPicture(this.look, {follow: follow => state.update({follow}), painted: () => this.#painted()})
    this.knobs = new Knobs(state, key => lab.preset(key), lab.ownData.picker.host)
    this.#cards()
    this.host = frameOf({label: "Live", foot: "", ...content.layout}, {chains: this.chains, verdict: this.verdict, charts: this.chartsCard},
      {top: this.transport.host, sidebar: this.knobs.host, notices: this.notices.host}, what => lab.glossary(what))
    state.watch(names => this.#stateChanged(names))
    this.#stateChanged(Object.keys(state.values))
  }

  #cards() {
    const {state, lab, charts, content} = this, {live} = content
    const save = () => this.picture.save()
    this.chains = unserved(ChainsCard, {title: "", hint: "", rescaled: false, has_axes: false}, {
      children: {canvas: this.picture.box, axes: axesMenu(state)}, answers: {view: ({rescaled}) => state.update({rescaled}), save}})
    this.transport = unserved(Transport, {labels: live.speeds.map(([label]) => label), speed: state.values.speed, playing: true,
      step: live.algorithms[state.values.algorithm].step, marks: []}, {answers: {
      press: ({name}) => { this.readouts = null; lab.post(name) }, speed: ({index}) => state.update({speed: index}),
      rewind: ({t}) => lab.rewind(t), ready: () => { if (this.readouts) this.transport.send(this.readouts) }}})
    this.verdict = unserved(VerdictCard, {look: ["wait", "ink2", "chip"], title: "Starting", subtitle: "", sentence: "", suggestion: "",
      button: "", meters: []}, {answers: {apply: () => { if (this.change) lab.apply(this.change) }}})
    this.chartsCard = unserved(ChartsCard, {titles: charts.titles, terms: charts.terms, charts: charts.models, window: "all", ghost: [],
      fitted: false, empty: true}, {children: {charts: charts.elements}, views: model => charts.viewOf(model), answers: {
      size: ({width, height, compact}) => charts.resize(width, height, compact), ghost: ({keep}) => lab.post(keep ? "keep_ghost" : "let_ghost_go"),
      window: ({window: chosen}) => this.#chooseWindow(chosen), csv: () => this.chartsCard.send({csv: charts.csv()})}})
    this.notices = noticesOf(kind => lab.takeNotice(kind))
  }

  #chooseWindow(chosen) {
    this.charts.setWindow(chosen, this.span)
    this.chartsCard.set({window: chosen})
  }

  /** Show the epochs around an event; with null, show the entire run and remove that choice of window. */
  fit(span) {
    this.span = span ?? this.span
    this.#chooseWindow(span ? "span" : "all")
    this.chartsCard.set({fitted: span !== null})
  }

  #stateChanged(names) {
    const {values, live, choice} = this.state
    this.transport.set({speed: values.speed, step: live.algorithms[values.algorithm].step})
    this.chains.set({rescaled: values.rescaled, has_axes: choice.dim > 2})
    if (names.includes("axes") || names.includes("problem")) this.#nameAxes()
  }

  #nameAxes() {
    const {axes} = this.state.values, {coordinates} = this.state.choice
    this.look.axes = axes === "principal" ? ["widest axis", "second axis"] : axes.map(axis => coordinates[axis])
    this.picture.restyle()
  }

  restyle(dark) {
    Object.assign(this.look, {dark, palette: this.content.tokens[dark ? "dark" : "light"]})
    this.picture.restyle()
    this.charts.restyle(dark ? "dark" : "light")
  }

  /** Report a painted frame, after which the worker may send the next one. */
  #painted() {
    if (!this.pending) return
    this.pending = false
    this.shown()
  }

  /** Show a snapshot. */
  show(snapshot) {
    const now = performance.now(), fresh = Boolean(snapshot.series)
    const another = snapshot.run !== this.run, due = another || !snapshot.playing || (fresh && now - this.wordsAt > WORDS_EVERY)
    this.run = snapshot.run
    const readouts = [snapshot.t, snapshot.step, snapshot.run_length, scientific(snapshot.step_size), snapshot.furthest, snapshot.playing]
    if (!same(readouts, this.readouts)) this.transport.send(this.readouts = readouts)
    this.notices.set({progress: null, action: "", ...notice_of(snapshot)})
    if (snapshot.ghost !== undefined && snapshot.ghost !== this.ghost) this.charts.setGhost(this.ghost = snapshot.ghost)
    if (fresh) this.#showSeries(snapshot, !due)
    else if (due) this.charts.release()
    const {frame} = snapshot
    if (due) {
      this.wordsAt = now
      this.#showWords(snapshot)
      const {chains, hint, accuracy, variance} = titles_of({...snapshot, cloud: {arrows: frame.arrows}})
      this.chains.set({title: chains, hint})
      const subtitles = [accuracy, null, variance, null]
      this.chartsCard.set({titles: this.chartsCard.model.titles.map(([title, old, short], k) => [title, subtitles[k] ?? old, short])})
    }
    this.pending = true
    this.picture.show(frame)
  }

  #showWords({verdict, meters, assumptions, promise, comparison}) {
    if (verdict) {
      this.change = verdict.change ?? null
      this.verdict.set({...this.verdictWords.card(verdict), meters: this.verdictWords.rows(meters ?? [])})
      this.verdictKind = verdict.kind
    }
    this.knobs.measure(assumptions, promise)
    this.chartsCard.set({ghost: comparison ? [comparison.words, comparison.knobs, comparison.measured] : []})
  }

  #showSeries({series, t, config}, held) {
    this.charts.update(series, {t, chains: config.chains, reduced: config.variance_reduction, algorithm: config.algorithm, held})
    this.chartsCard.set({empty: series.columns.t.length === 0})
    const marks = series.events.flatMap(event => [event.t, event.t_end]).filter(at => at !== null && at !== undefined)
    this.transport.set({marks: [...new Set(marks)].sort((a, b) => a - b)})
  }

  /** [label, text] of the accuracy and of each meter; empty before the first verdict. */
  get measured() {
    const accuracy = this.charts.accuracyShown
    if (!accuracy || (this.verdictKind ?? "waiting") === "waiting") return []
    return [["accuracy", accuracy], ...this.verdict.model.meters.map(([label, text]) => [label, text])]
  }
}
