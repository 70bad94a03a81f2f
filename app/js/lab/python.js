// Built-ins of Python for the modules in `dist/translated/`: texts of numbers, equality, truth values, sequences.

export class PythonError extends Error {
  constructor(name, message = "") {
    super(message)
    this.name = name
  }
}
export const missing = field => { throw new PythonError("TypeError", `missing argument ${field}`) }

// truth, equality, order -------------------------------------------------------------------------------------------------
const isPlain = value => Object.getPrototypeOf(value) === Object.prototype
export const truthy = value => typeof value === "number" ? value !== 0 : !!value
  && !(typeof value === "object" && (value.length === 0 || value.size === 0 || isPlain(value) && !Object.keys(value).length))
export const bool = truthy
export const or = (value, other) => truthy(value) ? value : other()
export const and = (value, other) => truthy(value) ? other() : value
export function eq(a, b) {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) {
    return a === b || a == null && b == null || typeof a === "boolean" !== (typeof b === "boolean") && Number(a) === b
      || typeof b === "boolean" && a === Number(b)
  }
  if (a === b) return true
  if (a.constructor !== b.constructor) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && eq(a[key], b[key]))
}
export function compare(a, b) { // negative, 0 or positive, in the order of sequences and numbers
  if (!Array.isArray(a)) return a < b ? -1 : a > b ? 1 : 0
  const i = a.findIndex((one, i) => i >= b.length || !eq(one, b[i]))
  return i < 0 ? a.length - b.length : i >= b.length ? 1 : compare(Number(a[i]), Number(b[i]))
}
export const callable = value => typeof value === "function"
export const contains = (whole, part) => typeof whole === "string" ? whole.includes(part)
  : whole instanceof Set || whole instanceof Map ? whole.has(part)
    : Array.isArray(whole) ? whole.some(one => eq(one, part)) : Object.hasOwn(whole, part)
export const isinstance = (value, ...kinds) => kinds.some(kind => typeof kind !== "string" ? value instanceof kind
  : {str: "string", int: "number", float: "number", bool: "boolean"}[kind] === typeof value
    || (kind === "list" || kind === "tuple") && Array.isArray(value) || kind === "dict" && !!value && isPlain(value))

// sequences and records --------------------------------------------------------------------------------------------------
export const iter = value => Array.isArray(value) ? value
  : typeof value[Symbol.iterator] === "function" ? [...value] : Object.keys(value)
export const list = (value = []) => [...iter(value)]
export const tuple = list
export const set = (value = []) => new Set(iter(value))
export const dict = (value = {}) => Array.isArray(value) ? Object.fromEntries(value) : {...value}
export const items = value => value instanceof Map ? [...value] : Object.entries(value)
export const values = value => value instanceof Map ? [...value.values()] : Object.values(value)
export const len = value => value.length ?? value.size ?? Object.keys(value).length
export const get = (whole, key, other = null) => Object.hasOwn(whole, key) || !isPlain(whole) && whole[key] !== undefined ? whole[key] : other
export const range = (start, end = null, step = 1) => {
  const [first, last] = end === null ? [0, start] : [start, end]
  return Array.from({length: Math.max(0, Math.ceil((last - first) / step))}, (_, i) => first + i * step)
}
export const enumerate = (value, start = 0) => iter(value).map((one, i) => [i + start, one])
export const zip = (...all) => {
  const whole = all.map(iter)
  return range(Math.min(...whole.map(one => one.length))).map(i => whole.map(one => one[i]))
}
export const reversed = value => list(value).reverse()
export const sorted = (value, {key = one => one, reverse = false} = {}) => {
  return list(value).sort((a, b) => compare(reverse ? key(b) : key(a), reverse ? key(a) : key(b)))
}
const first = (value, key, wins, other) => {
  const all = iter(value)
  if (!all.length && other === undefined) throw new PythonError("ValueError", "the sequence must not be empty")
  return all.length ? all.reduce((best, one) => wins(key(one), key(best)) ? one : best) : other
}
export const max = (value, {key = one => one, default: other} = {}) => first(value, key, (a, b) => compare(a, b) > 0, other)
export const min = (value, {key = one => one, default: other} = {}) => first(value, key, (a, b) => compare(a, b) < 0, other)
export const sum = (value, start = 0) => iter(value).reduce((a, b) => a + b, start)
export const any = value => iter(value).some(truthy)
export const all = value => iter(value).every(truthy)
export const next = (value, other) => iter(value).length ? iter(value)[0] : other
export const rstrip = (text, characters) => {
  let end = text.length
  while (end && characters.includes(text[end - 1])) end -= 1
  return text.slice(0, end)
}
export const removeprefix = (text, prefix) => text.startsWith(prefix) ? text.slice(prefix.length) : text
export const partition = (text, by) => {
  const at = text.indexOf(by)
  return at < 0 ? [text, "", ""] : [text.slice(0, at), by, text.slice(at + by.length)]
}
export const isascii = text => /^[\0-\x7f]*$/.test(text)
export const isdigit = text => /^\p{Nd}+$/u.test(text) // without superscripts, which are digits in Python
export const times = (value, n) => typeof value === "string" ? value.repeat(n) : range(n).flatMap(() => value)
export const record = (names, all) => Object.fromEntries(all.map((one, i) => [names[i], one]))
export const taken = (whole, names) => names.map(name => whole[name])
export const replace = (whole, changes) => isPlain(whole) ? {...whole, ...changes} : new whole.constructor({...whole, ...changes})

// numbers ----------------------------------------------------------------------------------------------------------------
export const {abs} = Math
export const isinf = value => value === Infinity || value === -Infinity
export const int = value => Math.trunc(Number(value))
export const float = value => typeof value === "string" && /inf/.test(value) ? value[0] === "-" ? -Infinity : Infinity : Number(value)
export const mod = (a, b) => a - b * Math.floor(a / b)
export const bit_length = value => value ? Math.abs(value).toString(2).length : 0
export const round = (value, digits = 0) => Number(fixed(value, digits))

// Texts of numbers: JavaScript rounds exact ties up, Python to the even digit.
const MOST = 100 // maximum number of digits in JavaScript
const isTie = (exact, digits) => /^50*$/.test(exact.slice(digits))
const isEven = digit => "02468".includes(digit)
function down(text) { // the text of a positive number with its last digit, which is odd, decreased by one
  return text.slice(0, -1) + (text.at(-1) - 1)
}
function fixed(value, digits) {
  const size = Math.abs(value)
  if (size >= 1e21) return `${value < 0 ? "-" : ""}${BigInt(size)}${digits ? `.${"0".repeat(digits)}` : ""}`
  const text = size.toFixed(digits), [, after] = size.toFixed(MOST).split(".")
  const shown = isTie(after, digits) && !isEven(text.at(-1)) ? down(text) : text
  return (value < 0 || Object.is(value, -0) ? "-" : "") + shown
}
function exponential(value, digits) {
  const size = Math.abs(value), text = size.toExponential(digits), exact = size.toExponential(MOST).replace(/e.*$/, "")
  let [mantissa, exponent] = text.split("e")
  if (isTie(exact.replace(".", "").slice(1), digits) && !isEven(mantissa.at(-1))) mantissa = down(mantissa)
  return [(value < 0 || Object.is(value, -0) ? "-" : "") + mantissa, Number(exponent)]
}
const power = exponent => `e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
const stripped = text => text.includes(".") ? text.replace(/\.?0+$/, "") : text
const grouped = text => text.replace(/^(-?)(\d+)/, (_, sign, whole) => sign + whole.replace(/\B(?=(\d{3})+$)/g, ","))

export function str(value) { // whole numbers are written as int; a whole float requires a format
  if (value == null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value !== "number") return String(value)
  if (!Number.isFinite(value)) return isinf(value) ? format(value, "f") : "nan"
  const [mantissa, exponent] = value.toExponential().split("e")
  return exponent < -4 ? mantissa + power(exponent) : String(value)
}
export const shown = value => typeof value === "string" ? `'${value}'` : str(value)

export function format(value, spec) {
  const match = /^(\+?)(,?)(?:\.(\d+))?([defgs%]?)$/.exec(spec)
  if (!match) throw new PythonError("ValueError", `spec must be [+][,][.digits][type], got "${spec}"`)
  const [, plus, comma, precision, type] = match
  if (type === "%") value *= 100
  const sign = plus && !(value < 0 || Object.is(value, -0)) ? "+" : ""
  if (typeof value === "string" || type === "s") return precision ? str(value).slice(0, precision) : str(value)
  if (!Number.isFinite(value)) return sign + (isinf(value) ? value < 0 ? "-inf" : "inf" : "nan") + (type === "%" ? "%" : "")
  const digits = Number(precision ?? 6)
  let text = str(value)
  if (type === "f" || type === "%") text = fixed(value, digits)
  if (type === "e") text = exponential(value, digits).reduce((mantissa, exponent) => mantissa + power(exponent))
  if (type === "g") {
    const most = Math.max(digits, 1), [mantissa, exponent] = exponential(value, most - 1)
    text = exponent >= -4 && exponent < most ? stripped(fixed(value, most - 1 - exponent)) : stripped(mantissa) + power(exponent)
  }
  return sign + (comma ? grouped(text) : text) + (type === "%" ? "%" : "")
}
