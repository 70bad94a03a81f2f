// Translated from sampler/kernels/glm_langevin.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const LOGISTIC = 0;
