// What becomes of the rows of a file: which columns are used, what the response means, which rows are left out and why. The rules
// are those of `sampler/streams`, tested against it. And the problem that is made of a built-in one for them.
import {plainNumber} from "./numbers.js"
import {thousands} from "../common/dom.js"

const MOST_ROWS = 65_536, MOST_CLASSES = 20 // epochs of a run, values of a response
const SETTLED = 1000 // rows after which the scale stays

/** Coordinates of the posterior for which there are kernels. */
export const mostColumns = kind => kind === "gaussian_mean" ? 8 : 21

/** A cell as a number, or why it is none. */
function numberIn(cell, decimal, missing) {
  const text = cell.trim()
  if (missing.includes(text)) return "missing or NaN"
  const value = plainNumber(decimal === "," ? text.replace(",", ".") : text)
  return value === null ? "text" : Number.isFinite(value) ? value : "infinite"
}

/** Names of the columns that hold numbers, in most of their rows. */
export function numericColumns({names, rows, decimal}, missing) {
  return names.filter((_, k) => {
    const found = rows.map(row => numberIn(row[k] ?? "", decimal, missing)), numbers = found.filter(one => typeof one === "number").length
    return numbers > found.filter(one => one === "text").length
  })
}

/** Different values of a column, in their order: numbers by their size, then words. */
export function classesOf({names, rows, decimal}, column, missing) {
  const at = names.indexOf(column), found = new Set()
  for (const row of rows) {
    const cell = (row[at] ?? "").trim()
    if (!missing.includes(cell)) found.add(cell)
    if (found.size > MOST_CLASSES) return []
  }
  const rank = cell => { const value = numberIn(cell, decimal, missing); return typeof value === "number" ? value : Infinity }
  return [...found].sort((a, b) => rank(a) - rank(b) || a.toLowerCase().localeCompare(b.toLowerCase()))
}

/** Row k becomes (x - mean) / sd of rows 1..k, up to row 1,000; a feature that has not varied becomes 0: `RunningScale`. */
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

/** The kind of model that a response asks for: two values are classes, anything else is a number. */
export const likelyKind = classes => classes.length === 2 ? "logistic" : "linear"

/**
 * {kind, dim, features, labels, names, rows, left: [[reason, rows]], words} of a table under choices {response, features, kind,
 * positive, intercept, scale}; an Error says what cannot be.
 */
export function useRows(table, choices, missing) {
  const {kind, response, positive, intercept, scale} = choices, {names, decimal} = table, alone = kind === "gaussian_mean"
  const constant = intercept && !alone, dim = choices.features.length + constant, most = mostColumns(kind)
  if (dim < 2) throw new Error(`Choose ${alone ? "two columns" : "a column more"}: the picture has two coordinates.`)
  if (dim > most) throw new Error(`Choose at most ${most - constant} columns${constant ? " beside the intercept" : ""}: this page has kernels for ${most} coordinates.`)
  const columns = choices.features.map(name => names.indexOf(name)), at = names.indexOf(response)
  const classes = kind === "logistic" ? classesOf(table, response, missing) : []
  if (kind === "logistic" && classes.length < 2) throw new Error(`“${response}” has ${classes.length ? "one value" : "more than 20 values"}: choose another response, or another gradient.`)
  if (kind === "logistic" && classes.length > 2 && !positive) throw new Error(`“${response}” has ${classes.length} values: choose the one that means 1, against all others.`)
  const one = positive || classes[1], left = new Map(), features = [], labels = []
  const leave = reason => left.set(reason, (left.get(reason) ?? 0) + 1)
  const labelOf = cell => {
    if (kind === "logistic") return missing.includes(cell.trim()) ? "missing or NaN" : cell.trim() === one ? 1 : -1
    const value = numberIn(cell, decimal, missing)
    return kind === "poisson" && typeof value === "number" && (value < 0 || !Number.isInteger(value)) ? "no count" : value
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
  if (later) words.push(`The last ${thousands(later)} rows are left out: a run has at most ${thousands(MOST_ROWS)} epochs.`)
  if (kind === "logistic") words.push(`1 means “${one}”, ${classes.length > 2 ? "every other value" : `“${classes.find(cell => cell !== one)}”`} means 0.`)
  return {kind, dim, features: flat, labels: alone ? null : Float64Array.from(labels), rows: features.length, words,
    names: [...choices.features, ...(constant ? ["intercept"] : [])], left: [...left].sort((a, b) => b[1] - a[1])}
}

function standardise(labels, response) { // in place, by the whole column: the model's noise has unit size
  const mean = labels.reduce((sum, y) => sum + y, 0) / labels.length
  const sd = Math.sqrt(labels.reduce((sum, y) => sum + (y - mean) ** 2, 0) / labels.length) || 1
  labels.forEach((y, i) => { labels[i] = (y - mean) / sd })
  return `“${response}” is measured from its mean ${+mean.toPrecision(4)} in units of its standard deviation ${+sd.toPrecision(4)}.`
}

/** A problem for the user's own rows: `problem`, any of the same kind, in `dim` dimensions, its prior's precision and noise 1. */
export function givenProblem(problem, dim) {
  const saved = {...problem.saved, dim}
  for (const name of ["prior_precision", "noise_std"]) if (name in saved) saved[name] = 1
  return {...problem, dim, saved, numbers: {...problem.numbers, noise_std: 1},
    prior_precision: Array.from({length: dim * dim}, (_, k) => +(k % (dim + 1) === 0))}
}
