// The lab file: unpacks its parts and runs Live without a server. The chains run in a worker; the cards are those of the served page.
import {Charts} from "./charts.js"
import {LiveCards} from "./live_cards.js"
import {ExitPage, LABEL as EXIT} from "./exit_time/page.js"
import {fromQuery, linkTo, momentIn, toQuery, withRules} from "./live_config.js"
import {OwnData} from "./own_data.js"
import {bytesOf, unpackJson, unpackText} from "./compressed_parts.js"
import {RunLink} from "./run_link.js"
import {LabState, ownProblem} from "./state.js"
import {Story} from "./story.js"
import {ACTIONS, fault_notice} from "../dist/translated/app_live_page_words.js"
import {Header} from "../chrome/header.js"
import {element, opensDark} from "../common/dom.js"
import {unserved} from "../common/panel_stand_in.js"

const LAB_CSS = /* css */ `
html,body{height:100%;margin:0;overflow:hidden;background:var(--lab-bg)}
#lab{height:100vh;height:100dvh;font:400 .8125rem/1.4 Roboto,Arial,sans-serif;color:var(--lab-ink)}
.page{display:flex;flex-direction:column;height:100%}
.page>:nth-child(2),.page>.exit{flex:1;min-height:0}.page>[hidden]{display:none}
`
const LINK_EVERY = 400 // ms between updates of the address bar
const WAYS = [["served", "share", "Copy the link for a served lab"], ["save", "save", "Save this file"]]
const SOURCE = document.documentElement.outerHTML // of the file at its opening

const KEEPS = "This run uses your own data. Without the rows the saved file opens with its defaults; with them it contains your entire data file and opens at this picture."

/** Return the URL parameters after ? and #, or those saved in the file if there are none. */
function addressQuery() {
  const of = text => Object.fromEntries(new URLSearchParams(text))
  const here = {...of(location.search), ...(location.hash.includes("=") ? of(location.hash.slice(1)) : {})}
  const {theme, ...rest} = here
  return Object.keys(rest).length ? here : {...of(document.getElementById("link")?.textContent ?? ""), ...here}
}

class Lab {
  constructor(content, parts, ownData) {
    Object.assign(this, {content, parts, ownData, live: content.live, returned: null, rewoundFrom: null, page: "live", resumes: false})
    const {data} = ownData, own = data && ownProblem(this.live, data), address = addressQuery()
    const query = data && !("problem" in address) ? {...address, problem: "given"} : address
    const [config, words] = fromQuery(this.live, query, own), [moment, more] = momentIn(this.live, query, config, this.horizon(config))
    this.state = new LabState(this.live, config, own)
    ownData.take = data => this.useData(data)
    parts.own = data
    this.run = this.own = this.begin(config, moment) // its kernels are compiled while the cards are built
    let drawn
    this.drawn = new Promise(done => { drawn = done })
    this.bokeh = new Promise(done => { this.bokehIsThere = done })
    this.charts = new Charts(content.charts, {seek: t => this.rewind(t)})
    this.desk = new LiveCards(content, this, () => { drawn(); this.post("shown") })
    this.story = new Story(content, this)
    this.#chrome()
    this.state.watch(() => this.changed())
    this.desk.notices.add([...words, ...more])
    const lesson = this.story.parse_link(query.lesson)
    const first = () => lesson ? this.story.show(...lesson, "t" in query ? query : null) : query.page === "exit" && this.openExit(query)
    this.seen = !(query.page === "exit" || (lesson && this.story.lesson_of(lesson[0]).page === "exit"))
    if (!this.seen) this.drawn.then(first) // Live is drawn in the background
    else first()
    this.drawn.then(() => setInterval(() => this.noteLink(), LINK_EVERY))
  }

  #chrome() {
    this.header = unserved(Header, {tabs: [["live", "Live"], ["exit", EXIT]], page: "live", variables: "", actions: WAYS}, {children: {tools: []}, answers: {
      tab: ({key}) => this.story.open ? this.story.close(key) : this.turnTo(key), theme: ({dark}) => this.restyle(dark), lessons: () => this.story.show_contents(), opening: () => this.story.open_opening(),
      help: () => this.header.send({help: this.content.help}), share: () => this.share(), action: ({key, choice}) => this.act(key, choice)}})
    const page = element(`<div class="page"></div>`)
    page.append(this.header.host, this.desk.host, this.story.host)
    page.append(this.ownData.dialog.host)
    this.root = document.getElementById("lab")
    this.root.replaceChildren(page)
    this.restyle(opensDark())
  }

  restyle(dark) {
    this.desk.restyle(dark)
    this.exitPage?.restyle(dark)
  }

  /** Build the Exit time page at its first display. */
  buildExit() {
    return this.built ??= unpackJson("exit").then(facts => {
      const config = this.state.menu.default(this.live.parameters.problem.default, this.live.parameters.algorithm.default)
      this.exitPage = new ExitPage(facts, this.parts, {problem: this.parts.problems[config.problem], config: {...config}}, this.bokeh, what => this.glossary(what))
      this.exitPage.restyle(document.documentElement.dataset.theme === "dark")
      this.desk.host.after(this.exitPage.host)
    })
  }

  /** Open the Exit time page with the settings of a link. */
  async openExit(query) {
    await this.buildExit()
    const [config, words] = this.exitPage.state.fromQuery(query)
    this.exitPage.load(config)
    this.exitPage.notices.add(words)
    this.turnTo("exit")
  }

  /** Switch to a page. Live's run pauses behind the Exit time page, which receives it if Live has been displayed. */
  async turnTo(page) {
    if (page !== this.page) {
      if (page === "exit") {
        if (!this.exitPage) await this.buildExit()
        this.resumes = this.run.playing
        this.post(this.seen ? "hand_over" : "pause")
        this.exitPage.open()
      } else {
        this.seen = true
        this.exitPage.close()
        if (this.resumes) this.post("play")
      }
      this.page = page
      this.desk.host.hidden = page !== "live"
      this.header.set({page})
      this.noteLink()
    }
    this.turned()
  }

  /** Return the last possible epoch of a run. */
  horizon({problem}) { return problem === "given" ? this.ownData.data.rows : this.live.horizon }

  /** Begin a run in a new worker. */
  begin(config, moment = null) {
    return new RunLink(this.parts, config, moment, {
      snapshot: (snapshot, run) => { if (run === this.run) this.show(snapshot) },
      handover: state => this.exitPage.receiveRun(state), fault: (words, run) => { if (run === this.run) this.fault(words) }})
  }

  post(type, more) { this.run.post(type, more) }

  show(snapshot) {
    const settled = !["replaying", "compiling"].includes(snapshot.notice_kind)
    if (this.rewoundFrom !== null && this.rewoundFrom !== snapshot.run && settled) this.quietly(() => this.state.load(snapshot.config))
    this.desk.show(snapshot)
    if (this.run !== this.own) this.story.follow(snapshot)
    if (!this.root.dataset.ready) this.root.dataset.ready = "1"
  }

  /** Change the state without a message to the run, which already has it. */
  quietly(change) {
    this.quiet = true
    change()
    this.quiet = false
    this.rewoundFrom = null
  }

  changed() {
    if (this.quiet) return
    this.rewoundFrom = null // a knob turned since the rewind takes precedence over its value at that epoch
    this.post("configure", {config: this.state.config})
  }

  fault(words) {
    const {words: notice, kind} = fault_notice(words, this.run.last?.moment?.t ?? 0)
    this.desk.notices.set({notice, kind, progress: null, action: ACTIONS[kind]})
  }

  // user actions ----------------------------------------------------------------------------------------------------

  rewind(t) {
    this.rewoundFrom = this.run.last?.run ?? null
    this.post("rewind", {t})
  }

  preset(key) {
    const {config} = this.live.presets.find(preset => preset.key === key)
    this.state.load({...config, speed: this.state.values.speed})
    this.post("restart")
    this.post("play")
  }

  apply(change) {
    const names = Object.keys(change).filter(name => name in this.state.values), diverged = this.desk.verdictKind === "diverged"
    this.state.update(Object.fromEntries(names.map(name => [name, change[name]])))
    if (diverged) this.post("revive")
  }

  takeNotice(kind) {
    const {last} = this.run
    if (kind === "error") {
      this.run.end()
      const again = this.begin(last?.config ?? this.state.config, last?.moment?.t ? last.moment : null)
      if (this.run === this.own) this.own = again
      this.run = again
      this.changed()
    } else if (kind !== "arrived") this.post("restart")
    this.post("play")
  }

  /** Begin a run on the user's own data. */
  useData(data) {
    this.parts.own = data
    if (this.story.open) this.story.close()
    this.state.own = ownProblem(this.live, data)
    this.post("data", {own: data})
    this.quietly(() => this.state.load(this.live.problems.logistic2.defaults[this.state.values.algorithm])) // so that a second file also changes the problem
    this.state.update({problem: "given"})
    this.post("restart")
    this.post("play")
  }

  // the story's run -------------------------------------------------------------------------------------------------

  openRun(config) {
    if (this.run !== this.own) return
    this.returned = {config: this.state.config, playing: this.own.playing}
    this.own.post("pause")
    this.run = this.begin(config)
    this.quietly(() => this.state.load(config))
  }

  closeRun() {
    if (this.run === this.own) return
    this.run.end()
    this.run = this.own
    this.quietly(() => this.state.load(this.returned.config))
    if (this.own.whole) this.desk.show(this.own.whole)
    if (this.returned.playing) this.post("play")
  }

  recall(query) {
    const [config, words] = fromQuery(this.live, query, this.state.own), [moment, more] = momentIn(this.live, query, config, this.horizon(config))
    this.quietly(() => this.state.load(config))
    if (moment) {
      this.rewoundFrom = this.run.last?.run ?? -1
      this.post("recall", {config, moment})
    } else for (const type of ["configure", "restart", "play"]) this.post(type, {config})
    this.desk.notices.add([...words, ...more])
  }

  /** Report to the header that the announced page, or the current one, is displayed. */
  turned(label = this.page === "exit" ? EXIT : "Live") {
    dispatchEvent(new CustomEvent("lab-drawn", {detail: label}))
    this.header.send({turned: {label}})
  }

  // links -----------------------------------------------------------------------------------------------------------

  get lesson() { return this.story.link ? {lesson: this.story.link} : {} }

  /** Return [URL parameters of the displayed picture, message about them]. */
  link() {
    const {last} = this.run, theme = document.documentElement.dataset.theme === "dark" ? {theme: "dark"} : {}
    if (this.page === "exit") return [{page: "exit", ...this.lesson, ...theme, ...this.exitPage.state.query()}, ""]
    const [query, words] = last ? linkTo(this.live, last) : [toQuery(this.live, this.state.values), ""]
    return [{page: "live", ...this.lesson, ...theme, ...query}, words]
  }

  share() {
    const [query, words] = this.link()
    this.header.send({share: String(new URLSearchParams(query)), words: words ? `Link copied: ${words}` : "Link copied"})
  }

  act(key, choice) {
    const note = (words, buttons = [["close", "Close", false]], more = {}) => this.header.send({note: {action: key, words, buttons, ...more}})
    if (key === "served") {
      const [query] = this.link(), text = `${this.content.served ?? ""}?${new URLSearchParams(query)}`
      const words = this.content.served ? "Link copied: the served lab opens at this picture." : "Copied: append it to the address of a served lab, such as http://localhost:5006/app."
      navigator.clipboard.writeText(text).then(() => note(words), () => note(text))
    } else if (this.ownData.data && !choice) {
      note(KEEPS, [["without", "Save without the rows", true], ["with", "Save with the rows", false], ["close", "Do not save", false]])
    } else this.#saved(choice === "with").then(file => note("Saved: the file opens at this picture.", undefined, {file}))
  }

  /** Return this file, set to open at the displayed picture, with the user's rows if `rows`. */
  async #saved(rows) {
    const [query] = this.link(), own = query.problem === "given", link = own && !rows ? "" : String(new URLSearchParams(query))
    const part = (id, text) => `<script type="text/plain" id="${id}">${text}<\/script>`, pattern = id => new RegExp(`<script type="text/plain" id="${id}">[^<]*</script>`)
    const more = rows ? part("rows", await this.ownData.packed()) : ""
    const html = SOURCE.replace(pattern("rows"), "").replace(pattern("link"), () => part("link", link) + more)
    return {name: "exit-time-lab.html", html: `<!doctype html>\n${html}\n`}
  }

  mark(link) {
    this.noted = null
    this.noteLink(link)
  }

  /** Update the address bar to the settings, if the browser allows it for a file. */
  noteLink(lesson = this.story.link) {
    const own = this.run === this.own ? this.state.values : this.returned.config, shown = this.page === "exit" ? {page: "exit", ...this.exitPage.ownQuery()} : toQuery(this.live, own)
    const query = String(new URLSearchParams({...(lesson ? {lesson} : {}), ...shown}))
    if (query === this.noted) return
    this.noted = query
    try { history.replaceState(null, "", `?${query}`) } catch { /* forbidden for files in some browsers */ }
  }

  async glossary(what) {
    if (what === "terms") return this.content.terms
    const {script, style, fonts} = await unpackJson("katex")
    return {script, style, fonts: fonts.map(([family, data, slant]) => [family, bytesOf(data), slant])}
  }
}

async function open() {
  const root = document.getElementById("lab")
  document.head.append(element(`<style>${LAB_CSS}</style>`))
  if (typeof DecompressionStream === "undefined") {
    root.textContent = "This page requires a browser of 2023 or later; this browser cannot unpack it."
    return
  }
  let content
  try { content = await unpackJson("content") } catch {
    root.textContent = "This file is damaged or incomplete. Download it again."
    return
  }
  content.live = withRules(content.live)
  const ownData = new OwnData(content.own, null)
  await ownData.restore()
  await window.labParts.started
  const lab = window.lab = new Lab(content, {...window.labParts, problems: content.problems}, ownData)
  await lab.drawn // chains are drawn first
  for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame) // and displayed before the charts block the thread
  const bokeh = document.createElement("script")
  bokeh.textContent = await unpackText("bokeh")
  document.head.append(bokeh)
  await lab.charts.build()
  lab.bokehIsThere()
  if (lab.run.whole) lab.desk.show(lab.run.whole)
}

open()
