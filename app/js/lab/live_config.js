// What a run is asked for, and its links: the rules of `app/state` and `app/live/moment_link.py` on what the file knows. Plain
// values cross a worker's door, which become a configuration and a moment again on both sides of it.
import {Moment, link_words, moment_query, read_moment} from "../dist/translated/app_live_moment_link.js"
import {Change} from "../dist/translated/app_live_timeline.js"
import {RESTARTING, live_in, live_query} from "../dist/translated/app_state_live.js"
import {AxesRules, ChoiceRules, FollowedRules, KnobRules, LinkReader, SwitchRules} from "../dist/translated/app_state_parameters_knob_values.js"
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

const RULES = {knob: KnobRules, switch: SwitchRules, choice: ChoiceRules, followed: FollowedRules, axes: AxesRules}

/** What the file knows of Live, with the rules of each parameter's kind. */
export function withRules(live) {
  const parameters = Object.entries(live.parameters).map(([name, fact]) => [name, Object.assign(new RULES[fact.kind](), fact)])
  return {...live, parameters: Object.fromEntries(parameters)}
}

/** As `app.state.live.LiveMenu`; `own` is the problem of the reader's own data, or null. */
export class LiveMenu {
  constructor({parameters, problems}, own) {
    Object.assign(this, {parameters, problems: {...problems, ...(own && {given: own})}, has_own: own !== null, action: "drop their file on this page"})
  }
  default(problem, algorithm) { return new LiveConfig(this.problems[problem].defaults[algorithm]) }
  refusal(problem, algorithm) { return this.problems[problem].refused[algorithm] ?? "" }
  dim(problem) { return this.problems[problem].dim }
}

/** A configuration as URL parameters. */
export const toQuery = (live, config) => live_query(config, live.parameters)

/** [configuration, words about what was wrong] */
export function fromQuery(live, query, own = null) {
  const link = new LinkReader(query)
  return [live_in(link, new LiveMenu(live, own)), link.words]
}

/** [the moment a link shows or null, words about what was wrong]; `horizon` is the last epoch there can be. */
export const momentIn = (live, query, config, horizon = live.horizon) => read_moment(query, config, live.parameters, horizon)

/** URL parameters of a moment beside those of the configuration it has; none where a link cannot hold the way. */
export const momentQuery = (live, moment, config) => moment_query(momentOf(moment), new LiveConfig(config), live.parameters)

/** URL parameters of the picture on show, its epoch and history among them, and words about them. */
export function linkTo(live, {config, moment}) {
  if (!moment?.t) return [toQuery(live, config), ""]
  const way = momentQuery(live, moment, config)
  return [{...toQuery(live, config), ...way}, link_words(momentOf(moment), way)]
}
