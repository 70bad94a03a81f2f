// Translated from app/state/live.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const SPEEDS = [["1 step a second", "steps", 1.0], ["2 steps a second", "steps", 2.0], ["4 steps a second", "steps", 4.0], ["10 steps a second", "steps", 10.0], ["half an epoch a second", "epochs", 0.5], ["1 epoch a second", "epochs", 1.0], ["2 epochs a second", "epochs", 2.0], ["4 epochs a second", "epochs", 4.0], ["8 epochs a second", "epochs", 8.0], ["16 epochs a second", "epochs", 16.0], ["32 epochs a second", "epochs", 32.0], ["64 epochs a second", "epochs", 64.0], ["128 epochs a second", "epochs", 128.0], ["as fast as it goes", "epochs", Infinity]];
