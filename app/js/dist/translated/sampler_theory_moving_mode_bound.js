// Translated from sampler/theory/moving_mode_bound.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {walk_back} from "./sampler_theory_block_bounds.js"

export function path_back(epoch, theta, at) {
  return walk_back(theta, at, epoch.dim, epoch.step_size, epoch.contraction, epoch.noise_bound);
}
