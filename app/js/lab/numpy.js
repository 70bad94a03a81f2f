// Part of NumPy for the modules in `dist/translated/` whose values may be arrays: arrays of numbers with any number of dimensions,
// operators of numbers and arrays, and the functions that those modules call. Arrays own their elements, there are no views;
// indexing with arrays applies to one axis at a time. Keyword arguments come last, as an object.
import {eq, float, int, iter, times} from "./python.js"

export const inf = Infinity, nan = NaN, {E: e} = Math, int64 = int, float64 = float, float32 = Math.fround
/** Name of a compiled kernel -> function of its arguments, which fills arrays in place; see `kernels.js`. */
export const kernels = {}

const count = shape => shape.reduce((a, b) => a * b, 1)
const axisOf = options => typeof options === "number" ? options : options?.axis ?? null
const halfEven = value => { const near = Math.round(value); return Math.abs(value % 1) === 0.5 && near % 2 ? near - 1 : near }

export class NdArray {
  /** `data` has the elements in C order; with `truths` they are booleans, stored as 0 and 1. */
  constructor(data, shape = [data.length], truths = false) { Object.assign(this, {data, shape, truths}) }

  get size() { return this.data.length }
  get ndim() { return this.shape.length }
  get length() { return this.shape[0] }
  get T() { return this.ndim < 2 ? this : new NdArray(this.data.map((_, k) => this.data[k % this.length * this.shape[1] + Math.floor(k / this.length)]), [this.shape[1], this.length], this.truths) }
  *[Symbol.iterator]() { for (let i = 0; i < this.length; i++) yield at(this, i) }

  map(f, truths = false) { return new NdArray(new Float64Array(this.data).map(f), this.shape, truths) }
  copy() { return new NdArray(new Float64Array(this.data), this.shape, this.truths) }
  astype(dtype) { return this.map(dtype === int ? Math.trunc : dtype === float32 ? Math.fround : value => value) }
  round() { return this.map(halfEven) }
  reshape(...shape) {
    const sizes = shape.flat(), others = -count(sizes) // with -1 for the size to be inferred
    return new NdArray(this.data, sizes.map(one => one < 0 ? this.size / others : one), this.truths)
  }
  ravel() { return this.reshape(this.size) }
  tolist() { return this.ndim > 1 ? [...this].map(row => row.tolist()) : [...this] }

  /** Apply `f` to all elements, or to each line along an axis. Return a number if no axis remains. */
  reduce(f, options, truths = false) {
    const axis = axisOf(options), own = value => truths ? Boolean(value) : value
    if (axis === null || this.ndim < 2) return own(f(this.data))
    const k = axis < 0 ? axis + this.ndim : axis, n = this.shape[k], inner = count(this.shape.slice(k + 1)), out = new Float64Array(this.size / n)
    const line = new Float64Array(n)
    for (let o = 0; o < out.length; o++) {
      const first = Math.floor(o / inner) * n * inner + o % inner
      for (let i = 0; i < n; i++) line[i] = this.data[first + i * inner]
      out[o] = f(line)
    }
    return new NdArray(out, this.shape.filter((_, i) => i !== k), truths)
  }

  sum(options) { return this.reduce(line => line.reduce((a, b) => a + b, 0), options) }
  min(options) { return this.reduce(line => line.reduce(lower, options?.initial ?? Infinity), options) }
  max(options) { return this.reduce(line => line.reduce(higher, options?.initial ?? -Infinity), options) }
  mean(options) { return this.reduce(line => line.reduce((a, b) => a + b, 0) / line.length, options) }
  all(options) { return this.reduce(line => line.every(Boolean), options, true) }
  any(options) { return this.reduce(line => line.some(Boolean), options, true) }
  argmin(options) { return this.reduce(line => line.reduce((best, value, i) => value < line[best] ? i : best, 0), options) }
  argmax(options) { return this.reduce(line => line.reduce((best, value, i) => value > line[best] ? i : best, 0), options) }
}

// making arrays -----------------------------------------------------------------------------------------------------------
const sized = (shape, value, dtype) => new NdArray(new Float64Array(count([shape].flat())).fill(value), [shape].flat(), dtype === "bool")
export const zeros = shape => sized(shape, 0), empty = zeros, ones = shape => sized(shape, 1), full = (shape, value) => sized(shape, asarray(value).data[0])
export function asarray(value) {
  if (value instanceof NdArray) return value
  if (ArrayBuffer.isView(value) || typeof value?.[0] === "number") return new NdArray(Float64Array.from(value, Number))
  if (!Array.isArray(value)) return new NdArray(Float64Array.of(Number(value)), [], typeof value === "boolean")
  return value.length ? stack(value) : new NdArray(new Float64Array(0))
}
export const array = value => asarray(value).copy(), ascontiguousarray = asarray, ndim = value => asarray(value).ndim
export const atleast_1d = value => asarray(value).ndim ? asarray(value) : asarray(value).reshape(1)
export function arange(...ends) {
  const [start, stop, step = 1] = ends.length > 1 ? ends : [0, ...ends]
  return new NdArray(Float64Array.from({length: Math.ceil((stop - start) / step)}, (_, i) => start + i * step))
}
const joined = (parts, shape, truths) => {
  const data = new Float64Array(count(shape))
  parts.reduce((first, {data: one}) => { data.set(one, first); return first + one.length }, 0)
  return new NdArray(data, shape, truths)
}
export function stack(parts, options) {
  const all = [...parts].map(asarray), whole = joined(all, [all.length, ...all[0].shape], all[0].truths)
  return axisOf(options) === 1 ? whole.T : whole
}
export function concatenate(parts, options) {
  const all = [...parts].map(asarray)
  if (axisOf(options) === 1) return concatenate(all.map(one => one.T)).T
  return joined(all, [all.reduce((sum, one) => sum + one.length, 0), ...all[0].shape.slice(1)], all.every(one => one.truths))
}
export const append = (a, b) => concatenate([asarray(a).reshape(-1), asarray(b).reshape(-1)])
export function linspace(start, stop, points) {
  const step = divide(subtract(stop, start), Math.max(points - 1, 1))
  return stack(Array.from({length: points}, (_, i) => i && i === points - 1 ? stop : add(start, multiply(step, i))))
}
export function geomspace(start, stop, points) {
  const at = power(10, linspace(Math.log10(start), Math.log10(stop), points))
  at.data[0] = start
  if (points > 1) at.data[points - 1] = stop
  return at
}
export const column_stack = parts => stack(parts).T
export const vstack = parts => concatenate(parts), hstack = parts => concatenate(parts, {axis: 1})
export const eye = n => new NdArray(Float64Array.from({length: n * n}, (_, k) => Number(k % (n + 1) === 0)), [n, n])
export const broadcast_to = (value, shape) => add(value, zeros(shape))

// operators and elementwise functions -------------------------------------------------------------------------------------
const isOne = value => !(value instanceof NdArray) && !Array.isArray(value) && !ArrayBuffer.isView(value)
/** Return the offsets of elements in C order: sums of earlier offsets and steps along the next axis. */
function further(places, steps) {
  const out = new Int32Array(places.length * steps.length)
  let k = 0
  for (const place of places) for (const step of steps) out[k++] = place + step
  return out
}
function spread(x, shape) { // offset in x of the element broadcast to each place of a shape; null if the shapes are equal
  if (eq(x.shape, shape)) return null
  return shape.reduce((places, size, i) => {
    const own = i - (shape.length - x.ndim), step = own < 0 || x.shape[own] === 1 ? 0 : count(x.shape.slice(own + 1))
    return further(places, Int32Array.from({length: size}, (_, k) => k * step))
  }, Int32Array.of(0))
}
function broadcast(f, truths, ...values) {
  const all = values.map(asarray), most = Math.max(...all.map(one => one.ndim))
  const shape = Array.from({length: most}, (_, i) => all.reduce((size, {shape: one}) => {
    const own = one[i - most + one.length] ?? 1
    if (own !== 1 && size !== 1 && own !== size) throw new Error(`arrays of shapes ${all.map(({shape: each}) => `(${each})`).join(" and ")} cannot be broadcast together`)
    return own === 1 ? size : own
  }, 1))
  const spreads = all.map(one => one.size === 1 ? undefined : spread(one, shape)), out = new Float64Array(count(shape)) // undefined: one element for all places
  if (all.length === 2) {
    const [{data: a}, {data: b}] = all, [p, q] = spreads, one = a[0], other = b[0]
    if (p === undefined) for (let k = 0; k < out.length; k++) out[k] = f(one, q ? b[q[k]] : q === null ? b[k] : other)
    else if (q === undefined) for (let k = 0; k < out.length; k++) out[k] = f(p ? a[p[k]] : a[k], other)
    else for (let k = 0; k < out.length; k++) out[k] = f(p ? a[p[k]] : a[k], q ? b[q[k]] : b[k])
  } else {
    const take = ({data}, places) => places === undefined ? () => data[0] : places ? k => data[places[k]] : k => data[k]
    const takes = all.map((one, i) => take(one, spreads[i]))
    for (let k = 0; k < out.length; k++) out[k] = f(...takes.map(own => own(k)))
  }
  return most ? new NdArray(out, shape, truths) : truths ? Boolean(out[0]) : out[0]
}
const binary = (f, truths = false) => (a, b) => isOne(a) && isOne(b) ? f(a, b) : broadcast(f, truths, a, b)
const unary = (f, truths = false) => value => isOne(value) ? f(Number(value)) : asarray(value).map(f, truths)
const lower = (a, b) => a < b || Number.isNaN(a) ? a : b, higher = (a, b) => a > b || Number.isNaN(a) ? a : b
const plus = binary((a, b) => a + b)
export const subtract = binary((a, b) => a - b), divide = binary((a, b) => a / b), power = binary((a, b) => a ** b)
export const round = value => isOne(value) ? halfEven(Number(value)) : asarray(value).round()
export const floor_divide = binary((a, b) => Math.floor(a / b))
export const remainder = binary((a, b) => a - b * Math.floor(a / b))
const product = binary((a, b) => a * b)
export const multiply = (a, b) => Array.isArray(a) || typeof a === "string" ? times(a, b) : product(a, b)
export const add = (a, b) => Array.isArray(a) && Array.isArray(b) ? [...a, ...b] : plus(a, b)
const compared = f => binary(f, true)
const same = compared((a, b) => a === b), other = compared((a, b) => a !== b), some = value => value instanceof NdArray
export const array_equal = (a, b) => eq(asarray(a).shape, asarray(b).shape) && asarray(a).data.every((value, k) => value === asarray(b).data[k])
/** Return the matrix product; a vector is a row on the left and a column on the right. */
export function matmul(a, b) {
  const [n, d] = a.ndim < 2 ? [1, a.length] : a.shape, m = b.shape[1] ?? 1, out = new Float64Array(n * m)
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) {
    for (let q = 0; q < d; q++) out[i * m + j] += a.data[i * d + q] * b.data[q * m + j]
  }
  return new NdArray(out, [...a.ndim < 2 ? [] : [n], ...b.ndim < 2 ? [] : [m]])
}
export const less = compared((a, b) => a < b), less_equal = compared((a, b) => a <= b)
export const greater = compared((a, b) => a > b), greater_equal = compared((a, b) => a >= b)
export const equal = (a, b) => some(a) || some(b) ? same(a, b) : eq(a, b), not_equal = (a, b) => some(a) || some(b) ? other(a, b) : !eq(a, b)
export const bitwise_and = (a, b) => typeof a === "number" && typeof b === "number" ? a & b : compared((one, two) => Boolean(one && two))(a, b)
export const bitwise_or = (a, b) => a instanceof Set ? new Set([...a, ...b]) : Object.getPrototypeOf(a) === Object.prototype ? {...a, ...b}
  : compared((one, two) => Boolean(one || two))(a, b)
export const negative = unary(value => -value), invert = unary(value => !value, true), abs = unary(Math.abs)
export const {exp, expm1, log, log2, sqrt, floor, ceil} = Object.fromEntries(
  ["exp", "expm1", "log", "log2", "sqrt", "floor", "ceil"].map(name => [name, unary(Math[name])]))
export const isfinite = unary(Number.isFinite, true), isnan = unary(Number.isNaN, true)
const accumulate = (f, truths = false) => (value, options) => {
  const own = asarray(value), whole = axisOf(options) === 0, inner = whole ? count(own.shape.slice(1)) : 1, out = own.data.slice()
  for (let k = inner; k < out.length; k++) out[k] = f(out[k - inner], out[k])
  return new NdArray(out, whole ? own.shape : [out.length], truths && own.truths)
}
export const cumsum = accumulate((a, b) => a + b)
export const minimum = Object.assign(binary(lower), {accumulate: accumulate(lower, true)}), maximum = binary(higher)
export const fmin = binary((a, b) => Number.isNaN(a) || b < a ? b : a)
export const logaddexp = binary((a, b) => Math.max(a, b) + (a === b ? Math.LN2 : Math.log1p(Math.exp(-Math.abs(a - b)))))
export const where = (test, a, b) => broadcast((one, yes, no) => one ? yes : no, false, test, a, b)
export const clip = (value, low, high) => minimum(maximum(value, low), high)
export const nan_to_num = (value, {nan: instead = 0} = {}) => unary(one => Number.isNaN(one) ? instead : Math.min(Math.max(one, -Number.MAX_VALUE), Number.MAX_VALUE))(value)
export const divmod = (a, b) => [floor_divide(a, b), remainder(a, b)]

// indexing ----------------------------------------------------------------------------------------------------------------
class Slice { constructor(start, stop, step) { Object.assign(this, {start, stop, step: step ?? 1}) } }
export const slice = (start, stop, step) => new Slice(start, stop, step)
function cut({start, stop, step}, size) {
  const near = (value, other) => value === null || value === undefined ? other : Math.min(Math.max(value < 0 ? value + size : value, step < 0 ? -1 : 0), step < 0 ? size - 1 : size)
  const from = near(start, step < 0 ? size - 1 : 0), to = near(stop, step < 0 ? -1 : size)
  return Array.from({length: Math.max(0, Math.ceil((to - from) / step))}, (_, i) => from + i * step)
}
function places(whole, key) { // [offset of each selected element, shape of the selection]
  if (some(key) && key.ndim > 1) return [[...key.data].flatMap((one, k) => one ? [k] : []), null]
  const keys = Array.isArray(key) ? key : [key], shape = []
  let chosen = Int32Array.of(0), axis = 0
  for (const one of [...keys, ...Array(whole.ndim - keys.filter(each => each !== null).length).fill(slice())]) {
    if (one === null) { shape.push(1); continue }
    const size = whole.shape[axis], step = count(whole.shape.slice(axis + 1))
    const own = one instanceof Slice ? cut(one, size) : !some(one) ? [one < 0 ? one + size : Number(one)]
      : one.truths ? [...one.data].flatMap((yes, i) => yes ? [i] : []) : Array.from(one.data, i => i < 0 ? i + size : i)
    if (one instanceof Slice || some(one)) shape.push(own.length)
    chosen = further(chosen, Int32Array.from(own, i => i * step))
    axis += 1
  }
  return [chosen, shape]
}
export function at(whole, key) {
  if (!some(whole)) {
    if (key instanceof Slice) { const own = cut(key, whole.length).map(i => whole[i]); return typeof whole === "string" ? own.join("") : own }
    return whole[typeof key === "number" && key < 0 ? key + whole.length : key]
  }
  const [chosen, shape] = places(whole, key)
  if (shape && !shape.length) return whole.truths ? Boolean(whole.data[chosen[0]]) : whole.data[chosen[0]]
  const out = new Float64Array(chosen.length)
  for (let k = 0; k < out.length; k++) out[k] = whole.data[chosen[k]]
  return new NdArray(out, shape ?? [chosen.length], whole.truths)
}
export function put(whole, key, value) {
  if (!some(whole)) { whole[typeof key === "number" && key < 0 ? key + whole.length : key] = value; return }
  const [chosen, shape] = places(whole, key), own = broadcast_to(value, shape ?? [chosen.length]), {data} = asarray(own)
  chosen.forEach((k, i) => { whole.data[k] = data[i] })
}
export const take_along_axis = (values, where_, axis) => stack(values.tolist().map((row, i) => new NdArray(Float64Array.from(at(where_, i).data, k => row[k]))))
export const repeat = (value, n) => new NdArray(Float64Array.from({length: n * value.size}, (_, k) => value.data[Math.floor(k / n)]))
export const array_split = (value, n) => split(value, Array.from({length: n - 1}, (_, i) => Math.floor(value.length / n) * (i + 1) + Math.min(i + 1, value.length % n)))
export const split = (value, ends) => [...ends, value.length].map((end, i) => at(value, slice(ends[i - 1] ?? 0, end)))

// order, sums, tables -----------------------------------------------------------------------------------------------------
export const sort = value => new NdArray(asarray(value).data.slice().sort())
export const argsort = value => new NdArray(Float64Array.from(asarray(value).data.keys()).sort((a, b) => value.data[a] - value.data[b] || a - b))
/** Return the indices that sort by the last key, with ties sorted by the previous key, and so on. */
export const lexsort = keys => new NdArray(Float64Array.from(keys[0].data.keys()).sort(
  (a, b) => keys.reduceRight((apart, {data}) => apart || data[a] - data[b], 0) || a - b))
export const flatnonzero = ({data}) => new NdArray(new Float64Array(data).map((_, k) => k).filter(k => data[k]))
export function unique(value, {return_inverse = false} = {}) {
  const all = sort(value).data, own = new NdArray(all.filter((one, k) => !k || one !== all[k - 1]))
  return return_inverse ? [own, searchsorted(own, asarray(value))] : own
}
function placeOf(value, data, right) { // insertion index of a value in sorted numbers
  let low = 0, high = data.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (right ? data[middle] <= value : data[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}
export const union1d = (a, b) => unique(append(a, b))
export function searchsorted(sorted, values, {side = "left"} = {}) {
  const {data} = asarray(sorted)
  return unary(value => placeOf(value, data, side === "right"))(values)
}
export function interp(x, at_, values, {right} = {}) {
  const {data: xs} = asarray(at_), {data: ys} = asarray(values), last = xs.length - 1, beyond = right ?? ys[last]
  return unary(one => {
    if (!(one > xs[0])) return Number.isNaN(one) ? one : ys[0]
    if (one >= xs[last]) return one > xs[last] ? beyond : ys[last]
    const k = placeOf(one, xs, true) - 1
    return ys[k] + (ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k]) * (one - xs[k])
  })(x)
}
export const diff = (value, {prepend} = {}) => {
  const {data} = prepend === undefined ? asarray(value) : append(prepend, value)
  return new NdArray(data.slice(1).map((one, k) => one - data[k]))
}
export const bincount = (value, {minlength = 0} = {}) => {
  const out = zeros(Math.max(minlength, 1 + value.max()))
  for (const k of value.data) out.data[k] += 1
  return out
}
/** Return the sums of products of rows, "ij,ij->i". */
export const einsum = (_, a, b) => multiply(a, b).sum({axis: 1})
export const total = (values, start = 0) => iter(values).reduce(add, start)
export const argmin = value => asarray(value).argmin()
export const ptp = value => value.max() - value.min(), isin = (value, some_) => value.map(one => some_.includes(one), true)
const finite = value => asarray(value).data.filter(one => !Number.isNaN(one))
export const nanmin = value => finite(value).reduce(lower, Infinity), nanmax = value => finite(value).reduce(higher, -Infinity)
export const nanmean = value => finite(value).reduce((a, b) => a + b, 0) / finite(value).length
export const any = (value, options) => asarray(value).any(options), all = (value, options) => asarray(value).all(options)

// matrices ----------------------------------------------------------------------------------------------------------------
const diagonal = matrix => new NdArray(matrix.data.filter((_, k) => k % (matrix.length + 1) === 0))
export const trace = matrix => diagonal(matrix).sum()
export function diag(values) {
  const {size} = values, out = zeros([size, size])
  values.data.forEach((value, k) => { out.data[k * (size + 1)] = value })
  return out
}
const diagonalize = (matrix, vectors) => { // eigenvalues in ascending order; columns of `vectors`, the identity, become eigenvectors
  const own = matrix.copy()
  kernels.jacobi(own, vectors)
  return [diagonal(own), vectors]
}
export const linalg = {
  norm: (value, options) => sqrt(multiply(value, value).sum(options)),
  eigh: matrix => diagonalize(matrix, diag(ones(matrix.length))),
  eigvalsh: matrix => diagonalize(matrix, zeros([0, matrix.length]))[0],
  /** Return the inverse of a positive definite matrix. */
  inv(matrix) {
    const lower_ = zeros(matrix.shape), out = zeros(matrix.shape)
    if (!kernels.cholesky(matrix, lower_)) throw new Error("matrix must be positive definite to be inverted")
    kernels.invert(lower_, out)
    return out
  },
}
