// Numbers as links hold them and as a person types them: `app/state/parameters/url_reader.py`.

const power = (mantissa, exponent) => `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`

/** A number as a link holds it: repr of a float, or of an int where it is whole. */
export function written(value) {
  if (Number.isInteger(value)) return BigInt(value).toString()
  const [mantissa, exponent] = value.toExponential().split("e")
  return +exponent < -4 ? power(mantissa, +exponent) : String(value)
}

const RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", PLAIN = "-0123456789-"

/** The number in 5e-6, 5 × 10⁻⁶, 100,000 or 0,5; null when there is none: `url_reader.read_number`. */
export function readNumber(typed) {
  let text = String(typed).trim().replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹−]/g, sign => PLAIN[RAISED.indexOf(sign)])
  text = text.replace(/\s*[×x*]\s*10\s*\^?\s*/g, "e")
  const parts = text.split(",")
  if (parts.length === 2 && !text.includes(".") && parts[1].length !== 3) text = parts.join(".")
  const value = plainNumber(text.replace(/[, ]/g, ""))
  return value !== null && Number.isFinite(value) ? value : null
}

/** float(text) for the ways in which Python writes finite and endless numbers; null for anything else. */
export function plainNumber(text) {
  const endless = /^\s*([+-]?)inf(inity)?\s*$/i.exec(text)
  if (endless) return endless[1] === "-" ? -Infinity : Infinity
  return /^\s*[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?\s*$/i.test(text) ? +text.replaceAll("_", "") : null
}
