// What a run is asked for, on both sides of the worker's door: plain values cross it, which become these again.
import {Moment} from "../dist/translated/app_live_moment_link.js"
import {Change} from "../dist/translated/app_live_timeline.js"
import {RESTARTING} from "../dist/translated/app_state_live.js"
import {Settings} from "../dist/translated/sampler_settings.js"

/** A configuration of Live, as `app/state/live.py` has it: names and values, never changed. */
export class LiveConfig {
  constructor(values) { Object.assign(this, values) }
  get settings() { return new Settings(this) }
  get knobs() { return [this.settings, this.escape_radius] }
  replace(changes) { return new LiveConfig({...this, ...changes}) }
  turned([settings, escape_radius]) { return this.replace({...settings, escape_radius}) }
  restarts(other) { return RESTARTING.some(name => this[name] !== other[name]) }
}

/** A moment that has crossed. */
export function momentOf({t, advanced, first: [settings, radius], changes}) {
  const made = changes.map(change => new Change({...change, settings: new Settings(change.settings)}))
  return new Moment({t, advanced, first: [new Settings(settings), radius], changes: made})
}
