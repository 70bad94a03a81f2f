// Compiled kernels as translated Python calls them: with the kernel's own arguments in their order, arrays filled in place.
//
//   Object.assign(np.kernels, kernelCalls(kernels))

/** Name -> function of each entry; those are called that are named as their kernels. */
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
