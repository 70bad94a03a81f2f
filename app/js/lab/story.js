// Guided story in the lab file: lessons with a separate run, on the card of the served page. Its rules are translated; this
// module connects them to the pages of the file, as `app/lessons/story.py` and `story_page.py` do for served pages.
import {fromQuery, toQuery} from "./live_config.js"
import {unserved} from "../common/panel_stand_in.js"
import {FIRST, StoryRules, waiting_words} from "../dist/translated/app_lessons_story_rules.js"
import {LessonCard} from "../lessons/lesson_card.js"
import {thousands} from "../common/dom.js"

export class Story extends StoryRules {
  _chosen = {}
  _chrome = {mark_lesson: link => this.lab.mark(link)}
  _story_pages = {
    live: {apply_step: step => this.#takeUp(step), set: (...settings) => this.#set(...settings)},
    exit: {apply_step: step => this.#takeUpExit(step), set: query => this.lab.exitPage.set(query)},
  }

  /** `lab` has the pages and, next to the user's run, one for the story. */
  constructor({live, lessons: {list, opening}}, lab) {
    super()
    Object.assign(this, {live, lab, state: lab.state, lessons: list, opening: opening[0] ?? null, at: null, origin: null,
      case: 0, due: [], run: -1, oldRun: -1, arrive: 0, recalling: false})
    const card = unserved(LessonCard, {lesson: {}, step: 0, chosen: -1, measured: [], arriving: "", waiting: "", poll: {},
      contents: list.map(({line}) => line), opening: this.opening?.line ?? []}, {answers: {
      go: ({where}) => { if (["next", "back", "close", "again"].includes(where)) this[where]() },
      open: ({key}) => this.open_lesson(key), step: ({step}) => this.show_step(step), choose: ({option}) => this.choose(option),
      do: ({hint}) => this.do(hint)}})
    this.card = {...card, get step() { return card.model.step }, set step(step) { card.set({step}) },
      set chosen(chosen) { card.set({chosen}) }}
    this.host = card.host
  }

  show_contents() { this.card.send({contents: true}) }

  /** Return the lesson of an index with the texts of its current case. */
  lesson_of(index) {
    const lesson = index === FIRST ? this.opening : this.lessons[index], {cases, drawn} = lesson
    const order = cases && drawn[Math.floor(this.case / cases.length) % drawn.length]
    const present = {...lesson, ...cases?.[order[this.case % cases.length]]}
    return {...present, question: present.card, hint_settings: ({settings}) => settings}
  }

  /** Show a lesson; `shown` are the parameters of a link to a moment of it, or null. */
  show(index, step = 0, shown = null) {
    const lesson = this.lesson_of(index)
    if (lesson.page === "exit" && !this.lab.exitPage) {
      this.lab.buildExit().then(() => this.show(index, step, shown))
      return
    }
    this.origin ??= this.lab.page
    this.at = index
    if (lesson.page === "exit") {
      this.lab.closeRun()
      this.lab.exitPage.override(lesson.settings)
    }
    this.lab.turnTo(lesson.page)
    this._begin(lesson, shown)
    if (!shown) this._story_pages[lesson.page].apply_step(lesson.steps[step])
    const {model} = this.card, chosen = this._chosen[index] ?? -1
    this.card.set({chosen: -1})
    model.step = step
    this.card.set({lesson: {...lesson.card, step, answered: chosen >= 0, number: index, last: this.lessons.length - 1}})
    this.card.set({chosen})
    this.lab.turned()
    this.lab.mark(this.link)
  }

  get link() { return this.open ? this._link() : null }

  /** End the story and restore the user's pages, with the previous one or `page` in front. */
  close(page = this.origin) {
    if (!this.open) return
    this.at = this.origin = null
    this.card.set({lesson: {}, measured: [], arriving: "", waiting: ""})
    this.lab.desk.fit(null)
    this.lab.closeRun()
    this.lab.exitPage?.restoreOwn()
    this.lab.turnTo(page)
    this.lab.mark(null)
  }

  // run of the lesson ---------------------------------------------------------------------------------------------

  _begin(lesson, shown = null) {
    this.card.set({measured: [], arriving: "", waiting: waiting_words(lesson)})
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

  #set(settings, restart, arrive) {
    const before = this.state.config
    this.due = []
    this.#turn(settings)
    if (restart || this.live.restarting.some(name => before[name] !== this.state.values[name])) {
      this.lab.desk.fit(null)
      this.#restart(arrive)
    }
  }

  #takeUpExit({settings}) {
    if (settings) this.lab.exitPage.set("preset" in settings ? settings : {...this.lab.exitPage.state.query(), ...settings})
  }

  #takeUp({settings, arrive}) {
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

  /** Process a snapshot of the story's run: apply the changes due at its epoch and show the measurements on the card. */
  follow(snapshot) {
    if (this.lesson?.page !== "live") return
    this.run = snapshot.run
    if (snapshot.run <= this.oldRun) return // of the previous run
    const {t, playing, notice_kind: kind} = snapshot
    if (this.recalling) {
      this.due = this.due.filter(({epoch}) => epoch > t)
      this.recalling = kind === "replaying"
    }
    while (this.due.length && t >= this.due[0].epoch) this.#turn({...this.#query(), ...this.due.shift().settings})
    const arriving = t < this.arrive && playing ? `Playing to epoch ${thousands(this.arrive)}: ${thousands(t)} so far.` : ""
    this.card.set({measured: this.lab.desk.measured, arriving, waiting: t < this.lesson.asked_at ? this.card.model.waiting : ""})
  }
}
