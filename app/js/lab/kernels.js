// Kernels of the library in the browser: an instance of `sampler/wasm/lab.wasm`, arrays in its memory, calls of its entries.
//
//   const kernels = await Kernels.load(bytes, manifest)                 // bytes of lab.wasm; manifest.json, parsed
//   const state = kernels.state(["glm_arrive_8"], {K: 64, T: 1000, N: 520, C: 0})    // arrays of zeros
//   state.set("position", numbers)
//   kernels.call("glm_arrive_8", state, {kind: 0, t: 1, eta0: 0.5, ...})
//   state.array("position")                                             // Float64Array (K * D)
//
// Views returned by `array` become invalid when the memory grows, which any call may cause: request them again after a call. The
// symbols of the sizes are defined in `sampler/wasm/entries.py`.

const VIEWS = {float64: Float64Array, int64: BigInt64Array, uint64: BigUint64Array, int32: Int32Array, bool: Uint8Array}
const MATH = ["log", "log1p", "log2", "log10", "exp", "expm1", "pow", "sin", "cos"]
const LARGEST = 2 ** 31 - 128 // maximum bytes of an array

const widthOf = dtype => dtype.bytes ?? VIEWS[dtype].BYTES_PER_ELEMENT
const wholeNumber = (name, value) => {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${name} must be a whole number below 2^53, got ${value}`)
  return BigInt(value)
}
const PASSED = { // dtype of a number -> conversion to an argument of WebAssembly
  int64: wholeNumber,
  float64: (name, value) => {
    if (typeof value !== "number") throw new TypeError(`${name} must be a number, got ${value}`)
    return value
  },
  bool: (name, value) => {
    if (typeof value !== "boolean") throw new TypeError(`${name} must be true or false, got ${value}`)
    return Number(value)
  },
}

/** Return the elements of an int64 or uint64 array as numbers; throw a RangeError unless all are below 2^53. */
export function wholeNumbers(array) {
  return Array.from(array, value => {
    const number = Number(value)
    if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is not below 2^53`)
    return number
  })
}

/** Arrays in the module's memory, shared by some entries. */
class State {
  #exports
  #arrays = {}

  /**
   * `sizes` has a number per symbol; each call passes the current ones, so that C and S may be set to 0 and back. Arrays that
   * `lenders`, other states, have under the same name are borrowed; `lenders` may be replaced by others with the same names.
   */
  constructor(exports, sizes, declared, lenders = []) {
    this.#exports = exports
    this.skipped = 0 // leading rows of each array of T that calls do not see
    this.sizes = {...sizes}
    this.lenders = lenders
    for (const {name, dtype, shape} of declared) {
      if (lenders.some(one => one.names.includes(name))) continue
      const dims = shape.map(one => typeof one === "number" ? one : this.size(one))
      const length = dims.reduce((size, one) => size * one, 1), bytes = length * widthOf(dtype)
      if (bytes > LARGEST) throw new RangeError(`${name} needs ${bytes} bytes, an array has room for ${LARGEST}`)
      this.#arrays[name] = {address: this.#allocate(name, bytes), length, bytes, dtype, shape, dims}
      this.#raw(name).fill(0)
    }
  }

  #allocate(name, bytes) {
    try {
      return this.#exports.allocate(bytes) >>> 0
    } catch {
      throw new RangeError(`no memory for ${name}, ${bytes} bytes`)
    }
  }

  #of(name) {
    const owner = [this, ...this.lenders].find(one => name in one.#arrays)
    if (!owner) throw new ReferenceError(`no array ${name}, but ${this.names.join(", ")}`)
    return owner.#arrays[name]
  }

  #raw(name) {
    const {address, bytes} = this.#of(name)
    return new Uint8Array(this.#exports.memory.buffer, address, bytes)
  }

  /** Names of the arrays, without borrowed ones. */
  get names() { return Object.keys(this.#arrays) }

  size(symbol) {
    const size = this.sizes[symbol]
    if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`the size ${symbol} must be a whole number, got ${size}`)
    return size
  }

  /** Return the address of an array; with T rows, that of the first visible row. */
  address(name) {
    const {address, shape, dims, bytes} = this.#of(name)
    return shape[0] === "T" ? address + this.skipped * bytes / dims[0] : address
  }

  /** Return a view of an array's elements; of records, the bytes. */
  array(name) {
    const {address, length, dtype} = this.#of(name)
    return dtype.bytes ? this.#raw(name) : new VIEWS[dtype](this.#exports.memory.buffer, address, length)
  }

  /** Return a copy of one field of `length` records of an array, from record `first`. */
  field(name, field, first, length) {
    const {address, dtype} = this.#of(name), [type, offset] = dtype.fields[field], out = new VIEWS[type](length)
    const step = dtype.bytes / out.BYTES_PER_ELEMENT
    const all = new VIEWS[type](this.#exports.memory.buffer, address + first * dtype.bytes + offset, length && (length - 1) * step + 1)
    for (let i = 0; i < length; i++) out[i] = all[i * step]
    return out
  }

  /** Set elements of an array from element `first` to numbers (booleans as 0 and 1). */
  set(name, values, first = 0) {
    const view = this.array(name), {dtype} = this.#of(name)
    if (dtype.bytes) throw new TypeError(`${name} must be an array of numbers, got records; set its bytes with load`)
    if (first + values.length > view.length) throw new RangeError(`${name} has room for ${view.length - first}, got ${values.length}`)
    const whole = dtype.endsWith("int64") && typeof values[0] === "number"
    view.set(whole ? Array.from(values, value => wholeNumber(name, value)) : values, first)
  }

  #blocks(name, rows) { // an array with T in its shape has one block per chain, with a number of bytes per row; others are one block
    const {shape, dims, bytes} = this.#of(name), axis = shape.indexOf("T")
    if (axis < 0) return {count: 1, own: bytes, used: bytes}
    const count = dims.slice(0, axis).reduce((size, one) => size * one, 1), own = bytes / count
    return {count, own, used: own / Math.max(dims[axis], 1) * rows}
  }

  /** Return the number of bytes of `save`. */
  bytes(name, rows = this.sizes.T) {
    const {count, used} = this.#blocks(name, rows)
    return count * used
  }

  /** Return the bytes of an array in NumPy's layout, with room for `rows` rows if T is in its shape. */
  save(name, rows = this.sizes.T) {
    const {count, own, used} = this.#blocks(name, rows), raw = this.#raw(name), out = new Uint8Array(count * used)
    for (let i = 0; i < count; i++) out.set(raw.subarray(i * own, i * own + used), i * used)
    return out
  }

  /** Set the bytes of an array, with room for `rows` rows if T is in its shape; later rows are not changed. */
  load(name, bytes, rows = this.sizes.T) {
    const {count, own, used} = this.#blocks(name, rows), raw = this.#raw(name)
    if (used > own || bytes.length !== count * used) {
      throw new RangeError(`${name} has room for ${count} x ${own} bytes, got ${bytes.length} of ${rows} rows`)
    }
    for (let i = 0; i < count; i++) raw.set(bytes.subarray(i * used, (i + 1) * used), i * own)
  }

  /** Free the memory of the arrays, which may not be used afterwards. */
  release() {
    for (const {address} of Object.values(this.#arrays)) this.#exports.release(address)
    this.#arrays = {}
  }
}

export class Kernels {
  #exports

  constructor(instance, manifest) {
    this.#exports = instance.exports
    this.entries = manifest.entries
    this.constants = manifest.constants
  }

  /** Return a new instance of a compiled module, with separate memory. */
  static of(module, manifest) {
    const env = Object.fromEntries(MATH.map(name => [name, Math[name]]))
    return new Kernels(new WebAssembly.Instance(module, {env}), manifest)
  }

  static async load(bytes, manifest) { return Kernels.of(await WebAssembly.compile(bytes), manifest) }

  #entry(name) {
    if (!(name in this.entries)) throw new ReferenceError(`no entry ${name}, but ${Object.keys(this.entries).join(", ")}`)
    return this.entries[name]
  }

  /** Return arrays of zeros for some entries; arrays of the same name are shared, also with `lenders`, other states. */
  state(entries, sizes, lenders = []) {
    const declared = entries.flatMap(name => this.#entry(name).arguments.filter(({shape}) => shape))
    return new State(this.#exports, sizes, new Map(declared.map(one => [one.name, one])).values(), lenders)
  }

  /** Return the result of `use(state)` and free the state. */
  borrow(entries, sizes, use, lenders = []) {
    const state = this.state(entries, sizes, lenders)
    try {
      return use(state)
    } finally {
      state.release()
    }
  }

  /** Call an entry on a state; `numbers` has a value per scalar argument. Return a boolean or undefined. */
  call(name, state, numbers) {
    const {arguments: declared, returns} = this.#entry(name)
    const passed = declared.map(({name: one, dtype, shape}) => shape ? state.address(one)
      : one in state.sizes ? wholeNumber(one, state.size(one)) : PASSED[dtype](one, numbers[one]))
    const answer = this.#exports[name](...passed)
    return returns === "bool" ? (answer & 1) === 1 : undefined
  }
}

/**
 * Return the compiled kernels for calls by translated Python, name -> function of the kernel's arguments in order, with arrays
 * filled in place. Only kernels that share the name of an entry are callable: `Object.assign(np.kernels, kernelCalls(kernels))`.
 */
export function kernelCalls(kernels) {
  const called = (name, values) => {
    const declared = kernels.entries[name].arguments.slice(0, values.length), sizes = {}, numbers = {}, arrays = []
    declared.forEach(({name: own, shape}, i) => {
      if (!shape) numbers[own] = values[i]
      else {
        arrays.push([own, values[i]])
        shape.forEach((size, axis) => { if (typeof size === "string") sizes[size] = values[i].shape[axis] })
      }
    })
    return kernels.borrow([name], sizes, state => {
      for (const [own, {data}] of arrays) state.set(own, data)
      const answer = kernels.call(name, state, numbers)
      for (const [own, {data}] of arrays) state.array(own).forEach((value, k) => { data[k] = Number(value) })
      return answer
    })
  }
  return Object.fromEntries(Object.keys(kernels.entries).map(name => [name, (...values) => called(name, values)]))
}
