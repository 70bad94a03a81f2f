// Translated from sampler/tuning/settings_grid.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const _ROUND = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];

export const MOST_STEPS = 2000;

export function below(value) {
  let power, digit;
  power = np.power(10.0, Math.floor(np.add(Math.log10(value), 1e-09)));
  digit = py.max(py.iter(_ROUND).filter((digit) => np.less_equal((np.multiply(digit, power)), (np.multiply(value, np.add(1, 1e-09))))));
  return py.float(`${py.format(np.multiply(digit, power), ".6g")}`);
}

export function above(value) {
  let power, digit;
  power = np.power(10.0, Math.floor(np.add(Math.log10(value), 1e-09)));
  digit = py.min(py.iter(_ROUND).filter((digit) => np.greater_equal((np.multiply(digit, power)), (np.multiply(value, np.subtract(1, 1e-09))))));
  return py.float(`${py.format(np.multiply(digit, power), ".6g")}`);
}

export function whole_steps(value) {
  return py.int(py.min([MOST_STEPS, Math.ceil(above(py.max([value, 1.0])))]));
}
