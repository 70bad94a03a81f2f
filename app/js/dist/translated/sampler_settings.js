// Translated from sampler/settings.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export class Settings {
  constructor({eta0 = 0.1, batch_size = 64, i_max = 1000, acceptance_radius = 100.0, offset = 2.0, variance_reduction = true, reset = true, random_length = true, refresh = true} = {}) {
    Object.assign(this, {eta0, batch_size, i_max, acceptance_radius, offset, variance_reduction, reset, random_length, refresh});
  }
  step_size(t) {
    return np.divide(this.eta0, np.add(t, this.offset));
  }
}
