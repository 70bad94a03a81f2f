// Translated from sampler/algorithms/results.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export class Divergence {
  constructor({chain = py.missing("Divergence.chain"), epoch = py.missing("Divergence.epoch"), step = py.missing("Divergence.step")} = {}) {
    Object.assign(this, {chain, epoch, step});
  }
}
