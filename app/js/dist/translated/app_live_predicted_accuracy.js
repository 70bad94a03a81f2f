// Translated from app/live/predicted_accuracy.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const EVERY = 4;

export const MOST_NUMBERS = 256;

export const GROWTH = 1.05;
