// Numbers and texts as links hold them and as a person types them: what `app/state/parameters/knob_values.py` calls of Python.

import {str} from "./python.js"

/** A number as a link holds it: repr of a float, or of an int where it is whole. */
export const written = value => Number.isInteger(value) ? BigInt(value).toString() : str(value)

const RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", PLAIN = "-0123456789-"
const GROUPED = /^[-+]?[1-9]\d{0,2}((,\d{3})+(\.\d*)?|( \d{3})+([.,]\d*)?)$/

/** The number in 5e-6, 5 × 10⁻⁶, 100,000 or 0,125; null when there is none: `knob_values.read_number`. */
export function read_number(typed) {
  const text = String(typed).trim().replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹−]/g, sign => PLAIN[RAISED.indexOf(sign)])
  let [mantissa, ...exponent] = text.replace(/\s*[×x*]\s*10\s*\^?\s*|\s*[eE]\s*/g, "e").split(/e(.*)/, 2)
  if (GROUPED.test(mantissa)) mantissa = mantissa.replaceAll(mantissa.includes(" ") ? " " : ",", "")
  if (!mantissa.includes(".")) mantissa = mantissa.replaceAll(",", ".")
  const value = plainNumber([mantissa, ...exponent].join("e"))
  return value !== null && Number.isFinite(value) ? value : null
}

/** float(text) for the ways in which Python writes finite and endless numbers; null for anything else. */
export function plainNumber(text) {
  const endless = /^\s*([+-]?)inf(inity)?\s*$/i.exec(text)
  if (endless) return endless[1] === "-" ? -Infinity : Infinity
  return /^\s*[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?\s*$/i.test(text) ? +text.replaceAll("_", "") : null
}

/** The infinite number that a text writes; null for any other text. */
export function endless(text) {
  const value = plainNumber(text)
  return value !== null && !Number.isFinite(value) ? value : null
}

/** A URL parameter as text. */
export const url_text = value => String(value ?? "").trim()

/** A text that no other call in this window or worker returns: `app.live.run_handover.new_key`. */
export const new_key = () => String(Math.random())

/** What somebody typed, quoted as Python's repr does, and shortened when it is long. */
export function shown(text) {
  const letters = [...text], short = letters.length <= 40 ? text : `${letters.slice(0, 39).join("")}…`
  const quote = short.includes("'") && !short.includes('"') ? '"' : "'", named = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
  const digits = code => code < 256 ? ["x", 2] : code < 65536 ? ["u", 4] : ["U", 8]
  const coded = (sign, code = sign.codePointAt(0), [kind, n] = digits(code)) => `\\${kind}${code.toString(16).padStart(n, "0")}`
  return quote + short.replace(/[\\\p{C}\p{Z}'"]/gu, sign => named[sign] ?? (sign === quote ? `\\${sign}` : /[ '"]/.test(sign) ? sign : coded(sign))) + quote
}
