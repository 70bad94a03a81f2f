// Translated from app/live/recent_samples.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const EPOCHS = 16;
