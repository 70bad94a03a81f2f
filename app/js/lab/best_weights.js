// Linear program of `sampler/theory/anytime_bound.py`, solved by SciPy there. Any weights give a valid bound, so that differences
// between the two solvers do no harm.
import {NdArray, full} from "./numpy.js"
import {solve} from "../dist/libraries/yalps.js"

/** Return the weights of the columns, with sum 1, that maximize the smallest entry of ``rows @ weights``; rows are nonnegative. */
export function best_weights({data, shape: [m, n]}) {
  const variables = Array.from({length: n}, (_, j) => [j, [["sum", 1], ...Array.from({length: m}, (_, i) => [i, data[i * n + j]])]])
  const constraints = Array.from({length: m}, (_, i) => [i, {min: 1}])
  const {status, result, variables: solution} = solve({direction: "minimize", objective: "sum", constraints, variables})
  if (status !== "optimal") return full(n, 1 / n)
  const weights = new NdArray(new Float64Array(n))
  for (const [j, value] of solution) weights.data[j] = value / result
  return weights
}
