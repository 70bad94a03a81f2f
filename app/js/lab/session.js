// What the worker does for the page: obeys commands and works in short slices, as `app/live/worker.py`.

import {errorWords} from "./fault_words.js"
import {Kernels} from "./kernels.js"
import {LabRun} from "./run.js"
import {knobsDiffer, knobsOf} from "./run_state.js"
import {SnapshotBuilder} from "./snapshot.js"
import {givenProblem} from "./stream.js"
import {Ghost} from "../dist/translated/app_live_ghost.js"
import {replay_notice, run_notice} from "../dist/translated/app_live_page_words.js"
import {Playback} from "../dist/translated/app_live_playback.js"
import {Recall, Rewind} from "../dist/translated/app_live_rewind.js"
import {Change, way_to} from "../dist/translated/app_live_timeline.js"

const RESTARTING = ["problem", "stream", "algorithm", "chains", "seed"] // what starts a new run when it changes
const IN_REPLAY = ["pause", "restart", "rewind", "recall", "dropGhost"] // the others wait for its end
const AFTER_FAULT = ["restart", "recall", "dropGhost"] // the others do nothing then
const NOTHING = {words: null, kind: null, progress: null}
const seconds = () => performance.now() / 1000

/** The run with its player, its replay and its pictures. `report(words)` is called once at a fault, which ends the run. */
export class Session {
  #module
  #manifest
  #problems
  #config
  #given = null
  #run = null
  #builder = new SnapshotBuilder(-1)
  #playback
  #replay = null
  #arrived = null // position of the moment a link shows
  #later = [] // commands that wait for the end of a replay
  #ghost = null
  #failed = false
  #report

  constructor(module, {manifest, problems, config, own = null, moment = null, playing = true}, report) {
    this.#module = module
    this.#manifest = manifest
    this.#problems = problems
    this.#config = config
    this.#playback = new Playback(config.speed)
    this.#report = report
    this.playing = playing
    this.dirty = true
    if (own) this.#takeData(own)
    if (moment) this.obey({type: "recall", config, moment})
  }

  get #present() { return this.#run ? this.#run.state.config : this.#config }

  /** Do something of which a fault ends the run, told in words. */
  #carefully(deed) {
    try {
      return deed()
    } catch (error) {
      const config = this.#present
      Object.assign(this, {playing: false})
      this.#failed = true
      this.#config = config
      this.#run = this.#replay = null
      this.#report(errorWords(error))
    }
  }

  // time -----------------------------------------------------------------------------------------------------------------

  /** Seconds until there is work; null: nothing to do until a command comes. */
  wait() {
    if (this.#failed) return null
    if (!this.#run || this.#replay) return 0
    return this.playing ? this.#playback.wait(this.#run, seconds()) : null
  }

  /** Whether it plays by the clock, or draws the last paths of a replay, so that work may wait for the next frame. */
  get paced() {
    if (!this.#run) return false
    return this.#replay ? this.#replay.drawn : this.playing && this.#playback.paced(this.#run)
  }

  /** Do what is due, for about so many seconds. */
  work(budget) {
    if (this.#failed) return
    this.#carefully(() => {
      if (!this.#run) this.#begin(this.#config)
      else if (this.#replay) this.#goOn(budget)
      else if (this.playing) this.#after(this.#playback.play(this.#run, seconds() + budget))
    })
  }

  #begin(config) {
    this.#run = this.#replay = null
    this.#config = config
    this.#failed = false
    this.#arrived = null
    this.#later = []
    const {number, packer} = this.#builder, problem = this.#problems[config.problem], own = config.problem === "given"
    this.#builder = new SnapshotBuilder(number + 1, packer)
    this.#playback = new Playback(config.speed)
    this.dirty = true
    if (!problem || own && !this.#given) {
      throw new RangeError(`problem must be one of ${Object.keys(this.#problems).join(", ")}, got ${config.problem}`)
    }
    this.#run = new LabRun(Kernels.of(this.#module, this.#manifest), problem, config, own ? this.#given : null)
  }

  #after(moved) {
    const {state} = this.#run
    this.dirty ||= moved
    if (!state.ended && !(state.done && state.halted)) return
    this.dirty ||= this.playing
    this.#pause()
  }

  #pause() {
    this.playing = false
    this.#playback.stop()
  }

  // commands -------------------------------------------------------------------------------------------------------------

  /** Obey a message of the page. */
  obey(message) {
    const {type} = message
    if (type === "configure") return this.#configure(message.config)
    if (type === "data") return this.#carefully(() => this.#takeData(message.own))
    this.dirty = true
    this.#carefully(() => {
      if (!this.#failed && !this.#run) this.#begin(this.#config)
      if (this.#replay && !IN_REPLAY.includes(type)) this.#later.push(message)
      else if (!this.#failed || AFTER_FAULT.includes(type)) this.#do(message)
    })
  }

  #do({type, t, config, moment}) {
    const run = this.#run, playback = this.#playback
    switch (type) {
      case "play": this.playing = !(run.state.ended || run.state.halted); break
      case "pause": this.#stand(); break
      case "step": this.#pause(); this.#after(playback.step(run)); break
      case "epoch": this.#pause(); this.#after(playback.epoch(run, () => false)); break
      case "restart": this.#begin(this.#present); break
      case "rewind": this.#rewind(t); break
      case "recall": this.#recall(config, moment); break
      case "hurry": playback.hurry_to = t; break
      case "revive": run.revive(); this.playing = !run.state.ended; break
      case "keepGhost": if (run.history.t) this.#ghost = Ghost.of(run); break
      case "dropGhost": this.#ghost = null; break
      default: throw new RangeError(`a message must be of a type that a run obeys, got ${type}`)
    }
  }

  /** Stand still, in a replay at the end of the epoch under way. */
  #stand() {
    this.#later = this.#later.filter(({type}) => type !== "play")
    this.#replay?.stop_here()
    this.#pause()
  }

  /** Pause and replay exactly to the end of epoch t (clamped to what has been reached); 0 is the start. */
  #rewind(t) {
    if (this.#replay instanceof Recall) { // there is nothing to go back to before its end
      this.#later.push({type: "rewind", t})
      return
    }
    this.#pause()
    this.#later = []
    const run = this.#run, target = Math.max(0, Math.min(Math.trunc(t), run.history.t))
    if (!this.#replay && run.state.done && target === run.state.t) return
    this.#replay = new Rewind(run, target)
    run.effects.enabled = false
    this.#builder.restart()
  }

  /** Begin a new run and replay it to the moment a link shows, with every change on the way; it pauses there. */
  #recall(config, {t, advanced, first, changes}) {
    this.#begin({...config, ...first})
    this.#pause()
    const made = changes.map(({knobs, ...rest}) => {
      const [settings, escape_radius] = knobsOf(knobs)
      return new Change({...rest, settings, escape_radius})
    })
    this.#replay = new Recall(this.#run, {t, advanced, way: way_to(t, advanced, made)})
    this.#run.effects.enabled = false
  }

  /** Make `config` hold from now on: some of it begins a new run, the rest acts at once. */
  #configure(config) {
    const present = this.#present
    this.dirty = true
    this.#carefully(() => {
      if (RESTARTING.some(name => config[name] !== present[name])) this.#begin(config)
      else if (!this.#run) this.#config = config
      else if (this.#replay && knobsDiffer(config, present)) this.#later.push({type: "configure", config})
      else {
        if (config.speed !== present.speed) this.#playback.set(config.speed)
        if (config.rescaled !== present.rescaled || String(config.axes) !== String(present.axes)) this.#builder.restart()
        this.#run.configure(config)
      }
    })
  }

  /** The user's own rows, for the problem "given": {kind, dim, features, labels}. A run on them begins anew. */
  #takeData(own) {
    const like = Object.values(this.#problems).find(({kind}) => kind === own.kind)
    if (!like) throw new RangeError(`data must be of a kind in this file, got ${own.kind}`)
    const coordinates = Array.from({length: own.dim}, (_, i) => `θ${String(i + 1).replace(/\d/g, digit => "₀₁₂₃₄₅₆₇₈₉"[digit])}`)
    this.#problems = {...this.#problems,
      given: {...givenProblem(like, own.dim, own), label: own.label ?? "Your own data", coordinates, advised: null}}
    this.#given = own
    if (this.#present.problem === "given") this.#begin(this.#present)
  }

  // replay and pictures --------------------------------------------------------------------------------------------------

  #goOn(budget) {
    const run = this.#run, replay = this.#replay, {drawn} = replay
    this.dirty = true
    if (!replay.run_for(budget, this.#playback.chunk())) {
      if (replay.drawn && !drawn) this.#builder.restart()
      return
    }
    this.#arrived = replay instanceof Recall ? run.state.position : null
    this.#replay = null
    run.measures.pooling = run.effects.enabled = true
    run.effects.clear()
    run.measures.refresh(run.state)
    if (!drawn) this.#builder.restart()
    this.#playback.stop()
    for (const message of this.#later.splice(0)) this.obey(message)
  }

  /** The picture of now; null before there is one, and after a fault. */
  snapshot() {
    this.dirty = false
    if (!this.#run) return null
    return this.#carefully(() => this.#builder.build(this.#run, seconds(), {playing: this.playing, notice: this.#notice(),
      busy: this.playing || this.#replay !== null, ghost: this.#ghost, steps: this.#playback.path,
      label: ({problem}) => this.#problems[problem].label})) ?? null
  }

  #notice() {
    if (this.#replay) return replay_notice(this.#replay)
    return run_notice(this.#run, !this.playing && this.#arrived === this.#run.state.position) ?? NOTHING
  }
}
