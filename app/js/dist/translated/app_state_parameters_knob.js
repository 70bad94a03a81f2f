// Translated from app/state/parameters/knob.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export function knob_text(value, whole = false) {
  return py.truthy(whole) ? `${py.format(value, ",")}` : `${py.format(value, "g")}`;
}
