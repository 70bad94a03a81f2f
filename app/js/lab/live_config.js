// Configuration of a run and its links, with the rules of `app/state` and `app/live/moment_link.py` for the contents of the file.
// Messages to and from the worker have plain values, which are converted to a configuration and a moment on both sides.
import {Moment, link_words, moment_query, read_moment} from "../dist/translated/app_live_moment_link.js"
import {Change} from "../dist/translated/app_live_timeline.js"
import {RESTARTING, live_in, live_query} from "../dist/translated/app_state_live.js"
import {AxesRules, ChoiceRules, FollowedRules, KnobRules, LinkReader, SwitchRules} from "../dist/translated/app_state_parameters_knob_values.js"
import {Settings} from "../dist/translated/sampler_settings.js"

/** Configuration of Live, as in `app/state/live.py`: immutable names and values. */
export class LiveConfig {
  constructor(values) { Object.assign(this, values) }
  get settings() { return new Settings(this) }
  get knobs() { return [this.settings, this.escape_radius] }
  replace(changes) { return new LiveConfig({...this, ...changes}) }
  turned([settings, escape_radius]) { return this.replace({...settings, escape_radius}) }
  restarts(other) { return RESTARTING.some(name => this[name] !== other[name]) }
}

/** Return the moment of a message. */
export function momentOf({t, advanced, first: [settings, radius], changes}) {
  const made = changes.map(change => new Change({...change, settings: new Settings(change.settings)}))
  return new Moment({t, advanced, first: [new Settings(settings), radius], changes: made})
}

const RULES = {knob: KnobRules, switch: SwitchRules, choice: ChoiceRules, followed: FollowedRules, axes: AxesRules}

/** Return the file's facts about Live, with the rules of each parameter's kind. */
export function withRules(live) {
  const parameters = Object.entries(live.parameters).map(([name, fact]) => [name, Object.assign(new RULES[fact.kind](), fact)])
  return {...live, parameters: Object.fromEntries(parameters)}
}

/** As `app.state.live.LiveMenu`; `own` is the problem of the user's own data, or null. */
export class LiveMenu {
  constructor({parameters, problems}, own) {
    Object.assign(this, {parameters, problems: {...problems, ...(own && {given: own})}, has_own: own !== null, action: "drop their file on this page"})
  }
  default(problem, algorithm) { return new LiveConfig(this.problems[problem].defaults[algorithm]) }
  refusal(problem, algorithm) { return this.problems[problem].refused[algorithm] ?? "" }
  dim(problem) { return this.problems[problem].dim }
}

/** Return a configuration as URL parameters. */
export const toQuery = (live, config) => live_query(config, live.parameters)

/** Return [configuration, messages about corrected parameters]. */
export function fromQuery(live, query, own = null) {
  const link = new LinkReader(query)
  return [live_in(link, new LiveMenu(live, own)), link.words]
}

/** Return [moment of a link or null, messages about corrected parameters]; `horizon` is the last possible epoch. */
export const momentIn = (live, query, config, horizon = live.horizon) => read_moment(query, config, live.parameters, horizon)

/** Return the URL parameters of a moment without those of its configuration; none if its history does not fit in a link. */
export const momentQuery = (live, moment, config) => moment_query(momentOf(moment), new LiveConfig(config), live.parameters)

/** Return the URL parameters of the displayed picture, with its epoch and history, and a message about them. */
export function linkTo(live, {config, moment}) {
  if (!moment?.t) return [toQuery(live, config), ""]
  const way = momentQuery(live, moment, config)
  return [{...toQuery(live, config), ...way}, link_words(momentOf(moment), way)]
}
