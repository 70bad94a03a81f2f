// Translated from sampler/algorithms/preconditioned_saga_ld.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const PLAIN = "saga-ld";
