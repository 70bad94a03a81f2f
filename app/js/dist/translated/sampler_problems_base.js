// Translated from sampler/problems/base.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {LARGEST} from "./sampler_arguments.js"

export function coordinate_numbers(values, dim, name = "prior_precision", advice = "1.0 is the standard normal prior", least = 0.0) {
  let wanted, numbers, logical;
  wanted = `in [${py.format(least, "g")}, ${py.format(LARGEST, "g")}], one number or ${py.str(dim)} of them`;
  [numbers, logical] = [values, np.equal(np.asarray(values).dtype, py.bool)];
  if (py.truthy(logical) || !py.contains([[], [1], [dim]], numbers.shape) || (!(py.truthy(np.all(np.bitwise_and(np.greater_equal(numbers, least), np.less_equal(numbers, LARGEST))))))) {
    throw new py.PythonError("ValueError", `${py.str(name)} must be ${py.str(wanted)}, got ${py.str(py.shown(values))}; ${py.str(advice)}`);
  }
  return np.array(np.broadcast_to(numbers, [dim]));
}
