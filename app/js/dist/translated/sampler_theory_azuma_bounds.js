// Translated from sampler/theory/azuma_bounds.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const CUTOFF_POINTS = 1601;

export const CUTOFF_SPAN = 400.0;

export function azuma_bounds(dim, step_size, steps, radius, start, noise_bound, smoothness, truncation = null) {
  let n, cutoff, wobble, room, reach, largest, exponent, cut_off, printed, corrected;
  n = np.at(np.asarray(steps, py.float), [np.slice(null, null, null), null]);
  if (truncation == null) {
    cutoff = np.at(np.sqrt(np.add(np.multiply(2.0, dim), np.linspace(0.0, CUTOFF_SPAN, CUTOFF_POINTS))), [null, np.slice(null, null, null)]);
  } else {
    cutoff = np.array([[py.float(truncation)]]);
  }
  wobble = np.multiply(np.multiply(2.0, step_size), np.add(np.multiply(step_size, np.add(np.power(noise_bound, 2), np.power(np.multiply(smoothness, radius), 2))), dim));
  room = np.maximum(np.subtract(np.subtract(np.power(radius, 2), np.power(start, 2)), np.multiply(n, wobble)), 0.0);
  reach = np.add(radius, np.multiply(step_size, np.add(noise_bound, np.multiply(smoothness, radius))));
  largest = np.multiply(np.multiply(np.multiply(2.0, step_size), noise_bound), radius);
  largest = np.add(np.add(largest, np.multiply(np.multiply(np.multiply(2.0, np.sqrt(np.multiply(2.0, step_size))), cutoff), reach)), np.multiply(np.multiply(2.0, step_size), np.power(cutoff, 2)));
  exponent = np.multiply(-0.5, np.power(np.divide(room, largest), 2));
  cut_off = np.exp(np.divide(np.negative(np.subtract(np.power(cutoff, 2), dim)), 8.0));
  printed = np.multiply(n, np.add(np.exp(exponent), cut_off));
  corrected = np.multiply(n, np.add(np.exp(np.divide(exponent, np.maximum(n, 1.0))), cut_off));
  return [np.minimum(printed.min(1), 1.0), np.minimum(corrected.min(1), 1.0)];
}
