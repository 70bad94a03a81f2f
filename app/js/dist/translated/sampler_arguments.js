// Translated from sampler/arguments.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const LARGEST = 1e+50;

export const SMALLEST = 1e-50;
