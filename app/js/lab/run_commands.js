// `app/live/run_commands.py` on the kernels in the browser: executes commands of the page and computes in short slices.

import {LiveConfig, momentOf} from "./live_config.js"
import {errorWords} from "./error_words.js"
import {Kernels} from "./kernels.js"
import {ownRowsProblem} from "./own_rows.js"
import {LabRun} from "./run.js"
import {SnapshotBuilder} from "./snapshot.js"
import {Session} from "../dist/translated/app_live_run_commands.js"
import {coordinate_names} from "../dist/translated/app_state_live_menu.js"

/** Session of the lab file; `report(message)` is called once at a fault, which ends the run. */
export class LabSession extends Session {
  #module
  #manifest
  #problems
  #ownData = null
  #report

  constructor(module, {manifest, problems, config, own = null, moment = null, playing = true}, report) {
    super(new LiveConfig(config), new SnapshotBuilder(-1), playing)
    this.#module = module
    this.#manifest = manifest
    this.#problems = problems
    this.#report = report
    if (own) this.guarded(() => this.#takeData(own))
    if (moment) this.receive({type: "recall", config, moment})
  }

  guarded(action) {
    try {
      return action()
    } catch (error) {
      this.fail(errorWords(error))
      this.#report(this._error)
    }
  }

  new_run(config) {
    const {problem} = config, own = problem === "given"
    if (!this.#problems[problem] || own && !this.#ownData) {
      throw new RangeError(`problem must be one of ${Object.keys(this.#problems).join(", ")}, got ${problem}`)
    }
    return new LabRun(Kernels.of(this.#module, this.#manifest), this.#problems[problem], config, own ? this.#ownData : null)
  }

  new_builder({number}) { return new SnapshotBuilder(number + 1) }

  /** Execute a message of the page. */
  receive({type, t, config, moment, own}) {
    if (type === "data") this.guarded(() => this.#takeData(own))
    else if (type === "configure") this.configure(new LiveConfig(config))
    else if (type === "recall") this.execute(type, new LiveConfig(config), momentOf(moment))
    else this.execute(type, type === "hand_over" ? state => postMessage({type: "handover", state}) : t)
  }

  /** Set the user's own rows, {kind, dim, features, labels}, for the problem "given", and restart a run on it. */
  #takeData(own) {
    const like = Object.values(this.#problems).find(({kind}) => kind === own.kind)
    if (!like) throw new RangeError(`kind of the data must be one in this file, got ${own.kind}`)
    const words = {label: own.label ?? "Your own data", coordinates: coordinate_names(own.dim), advised: null, opens: own.knobs}
    this.#problems = {...this.#problems, given: {...ownRowsProblem(like, own.dim), ...words}}
    this.#ownData = own
    if (this._present.problem === "given") this._begin(this._present)
  }

  /** Return the current snapshot, or null before the first one and after a fault. */
  snapshot() {
    this.dirty = false
    if (!this._run) return null
    return this.guarded(() => this._builder.build(this._run, this._run.clock(), {playing: this.playing, notice: this.notice,
      busy: this.playing || this._replay !== null, ghost: this._ghost, steps: this._playback.path,
      label: ({problem}) => this.#problems[problem].label})) ?? null
  }
}
