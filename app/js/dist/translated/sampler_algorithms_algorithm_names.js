// Translated from sampler/algorithms/algorithm_names.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const PLAIN = "saga-ld";
