// Translated from sampler/problems/base.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {LARGEST} from "./sampler_arguments.js"

export function precision_vector(prior_precision, dim, name = "prior_precision") {
  let wanted, advice, precision;
  [wanted, advice] = [`in [0, ${py.format(LARGEST, "g")}], one number or ${py.str(dim)} of them`, "1.0 is the standard normal prior"];
  precision = prior_precision;
  if (!py.contains([[], [1], [dim]], precision.shape) || (!(py.truthy(np.all(np.bitwise_and(np.greater_equal(precision, 0), np.less_equal(precision, LARGEST))))))) {
    throw new py.PythonError("ValueError", `${py.str(name)} must be ${py.str(wanted)}, got ${py.str(py.shown(prior_precision))}; ${py.str(advice)}`);
  }
  return np.array(np.broadcast_to(precision, [dim]));
}
