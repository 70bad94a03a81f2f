// Text file as a table: separator, names and decimal mark are detected in the first rows, as in `sampler/streams/csv_reader.py`.
import {plainNumber} from "./numbers.js"
import Papa from "../dist/libraries/papaparse.js"

const SEPARATORS = [",", ";", "\t", "|", " "]
const SEPARATOR_ROWS = 50, DECIMAL_ROWS = 1000 // rows that determine the separator and header, and the decimal mark
const isNumber = cell => plainNumber(cell) !== null || plainNumber(cell.replace(",", ".")) !== null

/** Decode a file: UTF-16 by its byte order mark, else UTF-8, else Windows-1252. */
export function textOf(bytes) {
  const [a, b] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength)), wide = a === 255 && b === 254 ? "utf-16le" : a === 254 && b === 255 ? "utf-16be" : null
  if (wide) return new TextDecoder(wide).decode(bytes)
  try { return new TextDecoder("utf-8", {fatal: true}).decode(bytes) } catch { return new TextDecoder("windows-1252").decode(bytes) }
}

/** Return the nonempty rows of a text as lists of cells; a quoted cell may contain separators, quotes and line breaks. */
function records(text, separator, most = 0) {
  const {data, errors} = Papa.parse(text, {delimiter: separator, preview: most, skipEmptyLines: "greedy"})
  if (errors.some(({type}) => type === "Quotes")) throw new Error("it has a quotation mark that is never closed; correct it in an editor")
  return separator === " " ? data.map(cells => cells.filter(Boolean)) : data
}

function usual(text, separator) { // most frequent number of cells in the first rows
  const counts = new Map()
  let rows = []
  try { rows = records(text, separator, SEPARATOR_ROWS) } catch { return 0 }
  for (const row of rows) counts.set(row.length, (counts.get(row.length) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0
}

const numbersIn = (text, separator) => { // fraction of cells that are numbers
  const cells = records(text, separator, SEPARATOR_ROWS).flat()
  return cells.filter(isNumber).length / cells.length
}

function separatorOf(text) {
  const columns = Object.fromEntries(SEPARATORS.map(key => [key, usual(text, key)]))
  const widest = SEPARATORS.reduce((best, key) => columns[key] > columns[best] ? key : best)
  const others = SEPARATORS.filter(key => columns[key] > 1)
  if (widest !== "," || others.length < 2) return widest
  return others.reduce((best, key) => { // a comma may be a decimal mark
    const [here, there] = [numbersIn(text, key), numbersIn(text, best)]
    return here > there || (here === there && columns[key] > columns[best]) ? key : best
  })
}

/** Return {names, rows, decimal} of a text; throw an Error that describes its fault. */
export function readTable(text) {
  const whole = text.replace(/^\ufeff/, "")
  if (!whole.trim()) throw new Error("it has no rows")
  const separator = separatorOf(whole), rows = records(whole, separator), width = usual(whole, separator)
  if (width < 2) throw new Error("it has one column: a response and at least one feature are required")
  const headed = !rows[0].every(isNumber), first = rows[0].map(name => name.trim().replace(/\s*[\r\n]\s*/g, " "))
  if (headed && first.length < width) throw new Error(`its first row has ${first.length} of the ${width} cells of most rows: delete the lines above the column names`)
  const names = headed ? first : Array.from({length: width}, (_, k) => `c${k + 1}`)
  const twice = names.find((name, k) => names.indexOf(name) !== k)
  if (twice !== undefined) throw new Error(twice ? `it has two columns named “${twice}”: rename one` : "it has columns without a name in its first row: name each")
  const body = headed ? rows.slice(1) : rows
  if (!body.length) throw new Error("it has a header but no rows")
  const cells = body.slice(0, DECIMAL_ROWS).flat(), like = mark => cells.filter(cell => new RegExp(`^\\s*[-+]?\\d*${mark}\\d+(e[-+]?\\d+)?\\s*$`, "i").test(cell)).length
  return {names, rows: body, decimal: separator !== "," && like(",") > like("\\.") ? "," : "."}
}
