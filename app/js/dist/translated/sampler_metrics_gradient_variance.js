// Translated from sampler/metrics/gradient_variance.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export function uniform_variance_bound(t, smoothness, radius, drift, batch_size) {
  [smoothness, radius, drift] = [["smoothness", smoothness], ["radius", radius], ["drift", drift]].map(([name, value]) => value);
  return (((9.0 * t) * (smoothness ** 2)) * ((radius + drift) ** 2)) / batch_size;
}
