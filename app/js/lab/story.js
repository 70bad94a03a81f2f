// The guided story in the lab file: lessons over a run of their own, told on the served page's card. The rules are those of
// `app/lessons/story.py` and `story_page.py`.
import {fromQuery, toQuery} from "./live_config.js"
import {unserved} from "../common/panel_stand_in.js"
import {LessonCard} from "../lessons/lesson_card.js"
import {thousands} from "../common/dom.js"

export class Story {
  /** `lab` has the pages, and a run of the story's own beside the reader's. */
  constructor({live, lessons}, lab) {
    Object.assign(this, {live, lab, state: lab.state, list: lessons.list, opening: lessons.opening[0] ?? null, at: null, origin: null, chosen: new Map(), case: 0,
      due: [], run: -1, oldRun: -1, arrive: 0, recalling: false})
    this.card = unserved(LessonCard, {lesson: {}, step: 0, chosen: -1, measured: [], arriving: "", waiting: "", poll: {},
      contents: this.list.map(({line}) => line), opening: this.opening?.line ?? []}, {answers: {
      go: ({where}) => ({next: () => this.next(), back: () => this.back(), close: () => this.close(), again: () => this.again()})[where]?.(),
      open: ({key}) => this.openLesson(key), step: ({step}) => this.showStep(step), choose: ({option}) => this.choose(option),
      do: ({hint}) => this.do(hint)}})
    this.host = this.card.host
  }

  get open() { return this.at !== null }

  showContents() { this.card.send({contents: true}) }

  /** [index, step] that a link asks for; null when it asks for none. */
  asked(link) {
    if (!link || !this.list.length) return null
    const [key, step = "", drawn = ""] = link.split(".")
    const number = (text, most) => /^\d+$/.test(text) ? Math.min(+text.slice(0, 3), most) : 0
    const steps = lesson => lesson.card.steps.length - 1
    if (this.opening?.key === key) return [-1, number(step, steps(this.opening))]
    const at = this.list.findIndex(lesson => lesson.key === key)
    if (at < 0) return [0, 0]
    if (this.list[at].cases && /^\d+$/.test(drawn)) this.case = +drawn.slice(0, 3)
    return [at, number(step, steps(this.list[at]))]
  }

  /** The lesson of an index with what its present case says. */
  lesson(index = this.at) {
    const lesson = index === -1 ? this.opening : this.list[index]
    if (!lesson.cases) return lesson
    const {cases, drawn} = lesson, count = cases.length, order = drawn[Math.floor(this.case / count) % drawn.length]
    return {...lesson, ...cases[order[this.case % count]]}
  }

  openLesson(key) {
    const at = this.opening?.key === key ? -1 : this.list.findIndex(lesson => lesson.key === key)
    if (at >= -1 && (at >= 0 || this.opening)) this.show(at)
  }

  openOpening() { if (this.opening) this.show(-1); else this.showContents() }

  /** Tell a lesson; `shown` are a link's parameters where it shows a moment of it. */
  show(index, step = 0, shown = null) {
    const lesson = this.lesson(index)
    if (lesson.page === "exit" && !this.lab.exitPage) {
      this.lab.buildExit().then(() => this.show(index, step, shown))
      return
    }
    this.origin ??= this.lab.page
    this.at = index
    if (lesson.page === "exit") {
      this.lab.closeRun()
      this.lab.exitPage.lend(lesson.settings)
    }
    this.lab.turnTo(lesson.page)
    this.#begin(lesson, shown)
    if (!shown) this.#takeUp(lesson.steps[step])
    const {model} = this.card, chosen = this.chosen.get(index) ?? -1
    this.card.set({chosen: -1})
    model.step = step
    this.card.set({lesson: {...lesson.card, step, answered: chosen >= 0, number: index, last: this.list.length - 1}})
    this.card.set({chosen})
    this.lab.turned()
    this.lab.mark(this.link)
  }

  get link() {
    if (!this.open) return null
    const {key, cases} = this.lesson(), {step} = this.card.model
    return cases && this.case ? `${key}.${step}.${this.case}` : step ? `${key}.${step}` : key
  }

  next() {
    if (this.open && this.list[this.at + 1]) this.show(this.at + 1)
    else this.close()
  }

  back() { if (this.at > 0) this.show(this.at - 1) }

  /** End the story: the reader's own pages come back, the one that was in front or `page`. */
  close(page = this.origin) {
    if (!this.open) return
    this.at = this.origin = null
    this.card.set({lesson: {}, measured: [], arriving: "", waiting: ""})
    this.lab.desk.fit(null)
    this.lab.closeRun()
    this.lab.exitPage?.giveBack()
    this.lab.turnTo(page)
    this.lab.mark(null)
  }

  again() {
    if (!this.open) return
    if (this.lesson().cases) {
      this.case += 1
      this.chosen.delete(this.at)
      this.show(this.at)
    } else this.#begin(this.lesson(), null)
  }

  showStep(step) {
    if (!this.open || !this.lesson().steps[step]) return
    this.card.set({step})
    this.#takeUp(this.lesson().steps[step])
    this.lab.mark(this.link)
  }

  choose(option) {
    if (!this.open || !this.lesson().card.options[option]) return
    this.chosen.set(this.at, option)
    this.card.set({chosen: option})
  }

  do(number) {
    const lesson = this.open && this.lesson(), hint = lesson?.hints[number]
    if (!hint?.settings) return
    if (lesson.page === "exit") { this.lab.exitPage.set(hint.settings); return }
    const before = this.state.config
    this.due = []
    this.#turn(hint.settings)
    if (hint.restart || this.live.restarting.some(name => before[name] !== this.state.values[name])) {
      this.lab.desk.fit(null)
      this.#restart(hint.restart ? hint.arrive : lesson.arrive)
    }
  }

  // the lesson's run ----------------------------------------------------------------------------------------------

  #begin(lesson, shown) {
    const waits = lesson.askedAt
    this.card.set({measured: [], arriving: "",
      waiting: waits ? `The question comes at epoch ${thousands(waits)}, where the run can answer it: play to epoch ${thousands(waits)} first.` : ""})
    Object.assign(this, {due: [...lesson.changes], recalling: Boolean(shown), arrive: 0})
    if (lesson.page === "exit") { this.lab.exitPage.set(lesson.settings); return }
    this.lab.openRun(fromQuery(this.live, lesson.settings)[0])
    this.lab.desk.fit(lesson.span)
    this.oldRun = this.run
    if (shown) this.lab.recall({...lesson.settings, ...shown})
    else {
      this.#turn(lesson.settings)
      this.#restart(lesson.arrive)
    }
  }

  #turn(query) { this.state.load(fromQuery(this.live, query)[0]) }

  #query() { return toQuery(this.live, this.state.values) }

  #takeUp({settings, arrive}) {
    if (this.lesson().page === "exit") {
      if (settings) this.lab.exitPage.set("preset" in settings ? settings : {...this.lab.exitPage.state.query(), ...settings})
      return
    }
    if (settings) this.#turn({...this.#query(), ...settings})
    if (arrive) {
      this.arrive = arrive
      this.lab.post("hurry", {t: arrive})
    }
  }

  #restart(arrive) {
    Object.assign(this, {oldRun: this.run, arrive})
    this.lab.post("restart")
    this.lab.post("hurry", {t: arrive})
    this.lab.post("play")
  }

  /** Take notice of a snapshot of the story's run: timed changes follow its epochs, the card says what is measured. */
  hear(snapshot) {
    if (!this.open || this.lesson().page !== "live") return
    this.run = snapshot.run
    if (snapshot.run <= this.oldRun) return // a picture of the run before this one
    const {t, playing, notice_kind: kind} = snapshot
    if (this.recalling) {
      this.due = this.due.filter(({epoch}) => epoch > t)
      this.recalling = kind === "replaying"
    }
    while (this.due.length && t >= this.due[0].epoch) this.#turn({...this.#query(), ...this.due.shift().settings})
    const arriving = t < this.arrive && playing ? `Playing to epoch ${thousands(this.arrive)}: ${thousands(t)} so far.` : ""
    this.card.set({measured: this.lab.desk.measured, arriving, waiting: t < this.lesson().askedAt ? this.card.model.waiting : ""})
  }
}
