// Translated from app/live/recent_samples.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const EPOCHS = 16;
