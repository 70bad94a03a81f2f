// The moment of a run in a link: its epoch, and every change on the way there. The grammar is that of `app/live/moment.py`.
import {LinkReader, fromLink, shown, toQuery, write} from "./link.js"
import {thousands} from "../shared/dom.js"

const MOST_WORDS = 4, REVIVE = "revive", END = "end"

export const knobsOf = live => [...live.sampler, ...live.switches]
const placed = (t, advanced) => advanced === null ? String(t) : `${t}.${advanced}`
const later = ([t, advanced]) => [t, advanced ?? Infinity]
const before = (a, b) => a[0] - b[0] || a[1] - b[1]

function readPlace(text) {
  const [epoch, steps] = text.includes(".") ? [text.slice(0, text.indexOf(".")), text.slice(text.indexOf(".") + 1)] : [text, "0"]
  if (![epoch, steps].every(one => /^\d{1,9}$/.test(one))) return null
  return [+epoch, text.includes(".") ? +steps : null]
}

const difference = (live, old, now) => knobsOf(live).filter(name => old[name] !== now[name])
  .map(name => `${live.parameters[name].key}.${write(live.parameters[name], now[name])}`).join("_")

/** The changes of a moment up to its instant. */
export function wayTo({t, advanced, changes}) {
  const here = later([t, advanced])
  return changes.filter(change => before(later([change.t, change.advanced]), here) <= 0)
}

/** URL parameters of a moment beside those of the configuration it has; none where a link cannot hold the way. */
export function momentQuery(live, moment, present) {
  const way = wayTo(moment), parts = [String(way.length), difference(live, present, {...present, ...moment.first})]
  let last = {...present, ...moment.first}
  for (const change of way) {
    const now = {...present, ...change.knobs}
    const fields = [placed(change.t, change.advanced), difference(live, last, now), change.revive ? REVIVE : ""]
    parts.push((change.continues ? "-" : "") + fields.filter(Boolean).join("_"))
    last = now
  }
  const log = [...parts, END].join("~")
  return log.length > live.longest ? {} : {t: placed(moment.t, moment.advanced), log}
}

/** URL parameters of the picture on show, its epoch and history among them, and words about them. */
export function linkTo(live, {config, moment}) {
  const link = {...toQuery(live, config), ...(moment?.t ? momentQuery(live, moment, config) : {})}
  if (!moment?.t) return [link, ""]
  if (!("log" in link)) return [link, "these knobs from the start. The history of this run is too long for a link."]
  const changes = wayTo(moment).length
  return [link, `epoch ${thousands(moment.t)}${changes ? ` with ${changes} change${changes > 1 ? "s" : ""}` : ""}`]
}

/** [the moment a link shows or null, words about what was wrong]; `horizon` is the last epoch there can be. */
export function momentIn(live, query, present, horizon = live.horizon) {
  const link = new LinkReader(query), text = link.text("t")
  if (text === null) return [null, []]
  let at = readPlace(text)
  if (!at) return [null, [`t = ${shown(text)} is not an epoch; the run begins at the start.`]]
  const words = []
  if (at[0] > horizon) {
    words.push(`t = ${thousands(at[0])} lies beyond the last epoch of this run, ${thousands(horizon)}; it is replayed to there.`)
    at = [horizon, null]
  }
  const [first, changes, mistakes] = readLog(live, link.text("log"), present)
  words.push(...mistakes.slice(0, MOST_WORDS))
  if (mistakes.length > MOST_WORDS) words.push(`${thousands(mistakes.length - MOST_WORDS)} more things in the link’s history are wrong in the same way.`)
  return [at[0] ? {t: at[0], advanced: at[1], first: only(live, first), changes} : null, words]
}

const only = (live, config) => Object.fromEntries(knobsOf(live).map(name => [name, config[name]]))

function readLog(live, log, present) {
  if (!log) return [present, [], []]
  const [number, ...parts] = log.split("~"), middle = parts.slice(1, -1)
  const places = middle.map(part => readPlace(part.replace(/^-/, "").split("_")[0]))
  const whole = parts.at(-1) === END && number === String(places.length) && !places.includes(null)
  if (!whole || places.some((place, k) => k && before(later(places[k - 1]), later(place)) > 0)) {
    return [present, [], ["The history in this link is cut off or has no sense; the run has these knobs from the start."]]
  }
  const words = [], [first] = turned(live, parts[0].split("_"), present, "at the start", words), changes = []
  let knobs = first
  middle.forEach((part, k) => {
    const [now, revive] = turned(live, part.split("_").slice(1), knobs, `at epoch ${thousands(places[k][0])}`, words)
    knobs = now
    changes.push({t: places[k][0], advanced: places[k][1], knobs: only(live, now), revive, continues: part.startsWith("-")})
  })
  return [first, changes, words]
}

function turned(live, fields, knobs, where, words) {
  const names = Object.fromEntries(knobsOf(live).map(name => [live.parameters[name].key, name]))
  let revive = false
  for (const field of fields.filter(Boolean)) {
    const dot = field.indexOf("."), key = dot < 0 ? field : field.slice(0, dot), value = dot < 0 ? "" : field.slice(dot + 1)
    if (field === REVIVE) revive = true
    else if (!Object.hasOwn(names, key)) words.push(`The link’s history names ${shown(key)} ${where}, which is no knob of this version; left it out.`)
    else {
      const link = new LinkReader({[key]: value}), name = names[key]
      knobs = {...knobs, [name]: fromLink(live.parameters[name], link, knobs[name])}
      words.push(...link.words.map(mistake => `In the link’s history, ${where}: ${mistake}`))
    }
  }
  return [knobs, revive]
}
