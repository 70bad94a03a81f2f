// Translated from app/state/user_data.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const OWN = "given";
