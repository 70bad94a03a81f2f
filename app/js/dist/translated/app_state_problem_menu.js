// Translated from app/state/problem_menu.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export function coordinate_names(dim, intercept = false) {
  let names;
  names = py.tuple(py.range(dim).map((i) => ("θ" + py.iter(py.iter(py.str(i + 1)).map((digit) => "₀₁₂₃₄₅₆₇₈₉"[py.int(digit)])).join(""))));
  return py.truthy(intercept) ? [...py.iter(names.slice(0, -1)), "intercept"] : names;
}
