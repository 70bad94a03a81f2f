// Numbers and texts in links and in typed form: functions called by `app/state/parameters/knob_values.py`.

import {str} from "./python.js"

/** Return a number in the form of a link: repr of a float, or of an int if it is whole. */
export const written = value => Number.isInteger(value) ? BigInt(value).toString() : str(value)

const RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", PLAIN = "-0123456789-"
const GROUPED = /^[-+]?[1-9]\d{0,2}((,\d{3})+(\.\d*)?|( \d{3})+([.,]\d*)?)$/

/** Return the number in 5e-6, 5 × 10⁻⁶, 100,000 or 0,125, or null if there is none: `knob_values.read_number`. */
export function read_number(typed) {
  const text = String(typed).trim().replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹−]/g, sign => PLAIN[RAISED.indexOf(sign)])
  let [mantissa, ...exponent] = text.replace(/\s*[×x*]\s*10\s*\^?\s*|\s*[eE]\s*/g, "e").split(/e(.*)/, 2)
  if (GROUPED.test(mantissa)) mantissa = mantissa.replaceAll(mantissa.includes(" ") ? " " : ",", "")
  if (!mantissa.includes(".")) mantissa = mantissa.replaceAll(",", ".")
  const value = plainNumber([mantissa, ...exponent].join("e"))
  return value !== null && Number.isFinite(value) ? value : null
}

/** Return float(text) for finite and infinite numbers in Python's syntax, or null for other texts. */
export function plainNumber(text) {
  const infinite = /^\s*([+-]?)inf(inity)?\s*$/i.exec(text)
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity
  return /^\s*[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?\s*$/i.test(text) ? +text.replaceAll("_", "") : null
}

/** Return the infinite number in a text, or null for other texts. */
export function endless(text) {
  const value = plainNumber(text)
  return value !== null && !Number.isFinite(value) ? value : null
}

/** Return a URL parameter as text. */
export const url_text = value => String(value ?? "").trim()

/** Return a text that is unique in this window or worker: `app.live.run_handover.new_key`. */
export const new_key = () => String(Math.random())

/** Return a typed text quoted like Python's repr, and shortened if it is long. */
export function shown(text) {
  const letters = [...text], short = letters.length <= 40 ? text : `${letters.slice(0, 39).join("")}…`
  const quote = short.includes("'") && !short.includes('"') ? '"' : "'", named = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
  const digits = code => code < 256 ? ["x", 2] : code < 65536 ? ["u", 4] : ["U", 8]
  const coded = (sign, code = sign.codePointAt(0), [kind, n] = digits(code)) => `\\${kind}${code.toString(16).padStart(n, "0")}`
  return quote + short.replace(/[\\\p{C}\p{Z}'"]/gu, sign => named[sign] ?? (sign === quote ? `\\${sign}` : /[ '"]/.test(sign) ? sign : coded(sign))) + quote
}
