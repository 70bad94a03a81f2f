// Translated from sampler/metrics/gradient_variance.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export function uniform_variance_bound(t, smoothness, radius, drift, batch_size) {
  [smoothness, radius, drift] = [["smoothness", smoothness], ["radius", radius], ["drift", drift]].map(([name, value]) => value);
  return np.divide(np.multiply(np.multiply(np.multiply(9.0, t), np.power(smoothness, 2)), np.power(np.add(radius, drift), 2)), batch_size);
}
