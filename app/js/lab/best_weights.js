// The linear program of `sampler/theory/anytime_bound.py`, which SciPy solves there. Any weights give a bound, so that what two
// solvers differ by makes none false.
import {NdArray, full} from "./numpy.js"
import {solve} from "../dist/libraries/yalps.js"

/** Weights on the columns, summing to 1, that make the least of ``rows @ weights`` as large as they can; rows are 0 or more. */
export function best_weights({data, shape: [m, n]}) {
  const variables = Array.from({length: n}, (_, j) => [j, [["sum", 1], ...Array.from({length: m}, (_, i) => [i, data[i * n + j]])]])
  const constraints = Array.from({length: m}, (_, i) => [i, {min: 1}])
  const {status, result, variables: found} = solve({direction: "minimize", objective: "sum", constraints, variables})
  if (status !== "optimal") return full(n, 1 / n)
  const weights = new NdArray(new Float64Array(n))
  for (const [j, value] of found) weights.data[j] = value / result
  return weights
}
