// Translated from app/live/run_state.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const ROUNDING = 1e-12;
