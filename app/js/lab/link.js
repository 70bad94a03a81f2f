// Live's links: what URL parameters say becomes a configuration, and back. Nothing in a link raises: what is wrong is said in words.
// What each parameter is, its range and its key come from `LiveState`; `app/state/parameters/{knob,url_reader}.py` have the rules.
import {plainNumber, readNumber, written} from "./numbers.js"
import {format} from "./python.js"
import {knob_text} from "../dist/translated/app_state_parameters_knob.js"

const TRUE = ["1", "on", "true", "yes"], FALSE = ["0", "off", "false", "no"]

/** Reads one link; `words` holds a sentence for each thing that was wrong and what was taken instead. */
export class LinkReader {
  constructor(query) {
    this.given = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value ?? "").trim()]))
    this.words = []
  }
  text(key) { return Object.hasOwn(this.given, key) ? this.given[key] : null }
  choice(key, options, standard) {
    const text = this.text(key)
    if (text === null || options.includes(text)) return text ?? standard
    this.words.push(`${key} = ${shown(text)} is not one of ${options.filter(Boolean).join(", ")}; ${standard ? `took ${standard}` : "left it open"}.`)
    return standard
  }
}

/** What somebody typed, quoted as Python's repr does, and shortened when it is long. */
export function shown(text) {
  const letters = [...text], short = letters.length <= 40 ? text : `${letters.slice(0, 39).join("")}…`
  const quote = short.includes("'") && !short.includes('"') ? '"' : "'", named = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
  const coded = (sign, code = sign.codePointAt(0)) => code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : code < 65536 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`
  return quote + short.replace(/[\\\p{C}\p{Z}'"]/gu, sign => named[sign] ?? (sign === quote ? `\\${sign}` : /[ '"]/.test(sign) ? sign : coded(sign))) + quote
}

/** A knob's numbers: in range, read from what was typed or from a link, written. */
export const knob = {
  range({whole, low, high, least}) {
    return `${whole ? "a whole number " : ""}${least ? `${format(low, ",g")} or from ${format(least, ",g")}` : `from ${format(low, ",g")}`} to ${format(high, ",g")}`
  },
  clamped({low, high, least, whole}, value) {
    let near = Number.isNaN(value) ? low : Math.min(Math.max(value, low), high)
    if (near < least) near = low
    return whole ? halfEven(near) : near
  },
  say: ({low, lowest, whole}, value) => lowest && value === low ? lowest : knob_text(value, whole),
  /** The number given, a slider's or what was typed; an Error with words where this knob cannot take it. */
  read(fact, given, present) {
    const {low, high, least, whole, lowest, plain} = fact, kept = `Kept ${knob.say(fact, present)}.`
    const named = typeof given === "string" && lowest !== "" && given.trim().toLowerCase() === lowest.toLowerCase()
    const value = named ? low : readNumber(given)
    if (value === null) throw new Error(`“${String(given).slice(0, 20)}” is not a number. ${kept}`)
    if (!(low <= value && value <= high) || (low < value && value < least) || (whole && !Number.isInteger(value))) {
      throw new Error(`${plain} must be ${knob.range(fact)}. ${kept}`)
    }
    return value
  },
  fromLink(fact, link, standard) {
    const text = link.text(fact.key)
    if (text === null) return standard
    const endless = plainNumber(text), value = endless !== null && !Number.isFinite(endless) ? endless : readNumber(text)
    if (value === null) {
      link.words.push(`${fact.plain} = ${shown(text)} is not a number; took ${format(standard, "g")}.`)
      return standard
    }
    const clamped = knob.clamped(fact, value)
    if (clamped !== value) link.words.push(`${fact.plain} = ${shown(text)} must be ${knob.range(fact)}; took ${format(clamped, ",g")}.`)
    return clamped
  },
  write: (fact, value) => written(value),
}
const halfEven = value => { const near = Math.round(value); return Math.abs(value % 1) === 0.5 && near % 2 ? near - 1 : near }

const switched = {
  fromLink(fact, link, standard) {
    const text = link.text(fact.key), small = text?.toLowerCase()
    if (text === null) return standard
    if (TRUE.includes(small) || FALSE.includes(small)) return TRUE.includes(small)
    link.words.push(`${fact.label.toLowerCase()} = ${shown(text)} is neither 1 nor 0; took ${+standard}.`)
    return standard
  },
  write: (fact, value) => value ? "1" : "0",
}

const choice = {
  fromLink: (fact, link, standard) => fact.objects[fact.tokens.indexOf(link.choice(fact.key, fact.tokens, choice.write(fact, standard)))],
  write: ({objects, tokens}, value) => tokens[objects.indexOf(value)],
}

const followed = {
  fromLink(fact, link, standard, {chains}) {
    const text = link.text(fact.key)
    if (text === null || text.toLowerCase() === "none") return text === null ? standard : null
    return knob.fromLink({key: fact.key, low: 0, high: chains - 1, least: 0, whole: true, plain: "chain to follow"}, link, standard ?? 0)
  },
  write: (fact, value) => value === null ? "none" : String(value),
}

const axes = {
  fromLink(fact, link, standard, {dim}) {
    const text = link.text(fact.key)
    if (text === null || text === "principal") return text ?? standard
    const at = text.indexOf("-"), pair = at < 0 ? [] : [text.slice(0, at), text.slice(at + 1)]
    if (pair.length && pair.every(one => /^\d+$/.test(one))) {
      const [a, b] = pair.map(one => +one.slice(0, 9) - 1)
      if (a !== b && [a, b].every(axis => axis >= 0 && axis < dim)) return [a, b]
    }
    link.words.push(`${fact.key} = ${shown(text)} must be two different coordinates from 1 to ${dim}, such as 1-2, or principal; took ${axes.write(fact, standard)}.`)
    return standard
  },
  write: (fact, value) => typeof value === "string" ? value : `${value[0] + 1}-${value[1] + 1}`,
}

const KINDS = {knob, switch: switched, choice, followed, axes}
export const write = (fact, value) => KINDS[fact.kind].write(fact, value)
export const fromLink = (fact, link, standard, room = {}) => KINDS[fact.kind].fromLink(fact, link, standard, room)

/** A configuration as URL parameters. */
export function toQuery(live, config) {
  return {v: live.version, ...Object.fromEntries(Object.entries(live.parameters).map(([name, fact]) => [fact.key, write(fact, config[name])]))}
}

/** [configuration, words about what was wrong]; `own` is the problem of the reader's own data, or null. */
export function fromQuery(live, query, own = null) {
  const link = new LinkReader(query), {parameters, problems} = live, version = link.text("v"), menu = {...problems, ...(own && {given: own})}
  if (version !== null && version !== live.version) {
    link.words.push(`This link has version ${shown(version)}, not ${live.version}; the page took what it could.`)
  }
  const opens = key => problems[key].defaults
  if (link.text("problem") === "given" && !own) {
    link.words.push("This link was made on somebody's own data, which are not here: drop their file on this page. The page took problem = logistic2.")
    return [opens("logistic2")[parameters.algorithm.default], link.words]
  }
  const problem = fromLink(parameters.problem, link, "logistic2"), {defaults, refused, dim} = menu[problem]
  let algorithm = fromLink(parameters.algorithm, link, parameters.algorithm.default)
  if (refused[algorithm]) {
    link.words.push(refused[algorithm])
    algorithm = parameters.algorithm.default
  }
  const base = defaults[algorithm], apart = ["problem", "algorithm", "stream", "follow", "axes"], config = {...base}
  for (const [name, fact] of Object.entries(parameters)) if (!apart.includes(name)) config[name] = fromLink(fact, link, base[name])
  const streams = parameters.stream.tokens.filter(token => token !== "given")
  config.stream = problem === "given" ? "given" : link.choice("stream", streams, base.stream)
  config.follow = fromLink(parameters.follow, link, base.follow, config)
  config.axes = fromLink(parameters.axes, link, base.axes, {dim})
  return [config, link.words]
}
