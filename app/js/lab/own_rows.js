// Use of the rows of a file: columns, meaning of the response, omitted rows and reasons, by the rules of `sampler/streams`, against
// which they are tested; and a problem for these rows, derived from a built-in one.
import {plainNumber} from "./numbers.js"
import {thousands} from "../common/dom.js"

const MOST_ROWS = 65_536, MOST_CLASSES = 20 // maximum epochs of a run, maximum classes of a response
const SETTLED = 1000 // rows after which the scale is fixed

/** Return the maximum dimension of the posterior, for which there are kernels. */
export const mostColumns = kind => kind === "gaussian_mean" ? 8 : 21

/** Return a cell as a number, or the reason why it is not one. */
function numberIn(cell, decimal, missing) {
  const text = cell.trim()
  if (missing.includes(text)) return "missing or NaN"
  const value = plainNumber(decimal === "," ? text.replace(",", ".") : text)
  return value === null ? "text" : Number.isFinite(value) ? value : "infinite"
}

/** Return the names of the columns with more numbers than texts. */
export function numericColumns({names, rows, decimal}, missing) {
  return names.filter((_, k) => {
    const cells = rows.map(row => numberIn(row[k] ?? "", decimal, missing)), numbers = cells.filter(one => typeof one === "number").length
    return numbers > cells.filter(one => one === "text").length
  })
}

/** Return the distinct values of a column in order: numbers by size, then texts; none if there are too many. */
export function classesOf({names, rows, decimal}, column, missing) {
  const at = names.indexOf(column), values = new Set()
  for (const row of rows) {
    const cell = (row[at] ?? "").trim()
    if (!missing.includes(cell)) values.add(cell)
    if (values.size > MOST_CLASSES) return []
  }
  const rank = cell => { const value = numberIn(cell, decimal, missing); return typeof value === "number" ? value : Infinity }
  return [...values].sort((a, b) => rank(a) - rank(b) || a.toLowerCase().localeCompare(b.toLowerCase()))
}

/** Scale row k to (x - mean) / sd of rows 1..k, at most 1,000; a constant feature becomes 0: `RunningScale` of `sampler.streams`. */
class RunningScale {
  constructor(dim) { Object.assign(this, {rows: 0, mean: new Array(dim).fill(0), squares: new Array(dim).fill(0)}) }
  add(row) {
    if (this.rows < SETTLED) {
      this.rows += 1
      row.forEach((x, j) => {
        const gap = x - this.mean[j]
        this.mean[j] += gap / this.rows
        this.squares[j] += gap * (x - this.mean[j])
      })
    }
    return row.map((x, j) => {
      const sd = Math.sqrt(this.squares[j] / this.rows)
      return sd > 1e-12 * (Math.abs(this.mean[j]) + 2.2250738585072014e-308) ? (x - this.mean[j]) / sd : 0
    })
  }
}

/** Return the likely kind of model of a response: logistic for two values, else linear. */
export const likelyKind = classes => classes.length === 2 ? "logistic" : "linear"

/**
 * Return {kind, dim, features, labels, names, rows, left: [[reason, rows]], words} of a table under choices {response, features,
 * kind, positive, intercept, scale}; throw an Error for choices that cannot be used.
 */
export function useRows(table, choices, missing) {
  const {kind, response, positive, intercept, scale} = choices, {names, decimal} = table, alone = kind === "gaussian_mean"
  const constant = intercept && !alone, dim = choices.features.length + constant, most = mostColumns(kind)
  if (dim < 2) throw new Error(`Choose ${alone ? "two columns" : "one more column"}: the picture has two coordinates.`)
  if (dim > most) throw new Error(`Choose at most ${most - constant} columns${constant ? " besides the intercept" : ""}: this page has kernels for at most ${most} coordinates.`)
  const columns = choices.features.map(name => names.indexOf(name)), at = names.indexOf(response)
  const classes = kind === "logistic" ? classesOf(table, response, missing) : []
  if (kind === "logistic" && classes.length < 2) throw new Error(`“${response}” has ${classes.length ? "one value" : "more than 20 values"}: choose another response, or another gradient.`)
  if (kind === "logistic" && classes.length > 2 && !positive) throw new Error(`“${response}” has ${classes.length} values: choose the one that means 1, against all others.`)
  const one = positive || classes[1], left = new Map(), features = [], labels = []
  const leave = reason => left.set(reason, (left.get(reason) ?? 0) + 1)
  const labelOf = cell => {
    if (kind === "logistic") return missing.includes(cell.trim()) ? "missing or NaN" : cell.trim() === one ? 1 : -1
    const value = numberIn(cell, decimal, missing)
    return kind === "poisson" && typeof value === "number" && (value < 0 || !Number.isInteger(value)) ? "not a count" : value
  }
  let later = 0
  for (const row of table.rows) {
    if (features.length === MOST_ROWS) { later += 1; continue }
    const numbers = columns.map(k => numberIn(row[k] ?? "", decimal, missing)), bad = numbers.findIndex(value => typeof value === "string")
    const label = alone ? 0 : labelOf(row[at] ?? "")
    if (row.length > names.length) leave("more cells than columns")
    else if (bad >= 0) leave(`${numbers[bad]} in “${choices.features[bad]}”`)
    else if (typeof label === "string") leave(`${label} in “${response}”`)
    else { features.push(numbers); labels.push(label) }
  }
  if (features.length < 2) throw new Error("Fewer than two rows are left: choose other columns.")
  const words = []
  if (kind === "linear") words.push(standardise(labels, response))
  const running = scale ? new RunningScale(columns.length) : null
  const flat = new Float64Array(features.length * dim)
  features.forEach((row, i) => flat.set([...(running ? running.add(row) : row), ...(constant ? [1] : [])], i * dim))
  if (later) words.push(`The last ${thousands(later)} rows are omitted: a run has at most ${thousands(MOST_ROWS)} epochs.`)
  if (kind === "logistic") words.push(`1 means “${one}”, ${classes.length > 2 ? "every other value" : `“${classes.find(cell => cell !== one)}”`} means 0.`)
  return {kind, dim, features: flat, labels: alone ? null : Float64Array.from(labels), rows: features.length, words,
    names: [...choices.features, ...(constant ? ["intercept"] : [])], left: [...left].sort((a, b) => b[1] - a[1])}
}

function standardise(labels, response) { // in place, over the entire column: the model's noise has unit variance
  const mean = labels.reduce((sum, y) => sum + y, 0) / labels.length
  const sd = Math.sqrt(labels.reduce((sum, y) => sum + (y - mean) ** 2, 0) / labels.length) || 1
  labels.forEach((y, i) => { labels[i] = (y - mean) / sd })
  return `“${response}” is measured from its mean ${+mean.toPrecision(4)} in units of its standard deviation ${+sd.toPrecision(4)}.`
}

/** Return a problem for the user's own rows: `problem`, of the same kind, in `dim` dimensions with prior precision and noise 1. */
export function ownRowsProblem(problem, dim) {
  const saved = {...problem.saved, dim}
  for (const name of ["prior_precision", "noise_std"]) if (name in saved) saved[name] = 1
  return {...problem, dim, saved, numbers: {...problem.numbers, noise_std: 1},
    prior_precision: Array.from({length: dim * dim}, (_, k) => +(k % (dim + 1) === 0))}
}
