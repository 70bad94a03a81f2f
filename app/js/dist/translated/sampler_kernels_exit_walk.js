// Translated from sampler/kernels/exit_walk.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const FLAT = 0;

export const QUADRATIC = 1;

export const LOGISTIC = 2;
