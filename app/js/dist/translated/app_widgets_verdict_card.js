// Translated from app/widgets/verdict_card.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const WRITTEN = {"i_max": "iₘₐₓ", "X^t": "Xᵗ"};

export function symbols(text) {
  let plain, written;
  for ([plain, written] of py.items(WRITTEN)) {
    text = text.replaceAll(plain, written);
  }
  return text;
}

export const LOOK = {"safe": ["check", "ok", "okbg"], "cold": ["cold", "cold", "coldbg"], "hot": ["hot", "hot", "hotbg"], "noisy": ["noise", "hot", "hotbg"], "resets": ["restart", "hot", "hotbg"], "lagging": ["epoch", "hot", "hotbg"], "narrow": ["cold", "cold", "coldbg"], "stale": ["wait", "hot", "hotbg"], "diverged": ["warn", "hot", "hotbg"], "weak_reference": ["info", "ink2", "chip"], "waiting": ["wait", "ink2", "chip"]};

export const SYMBOLS = {"eta0": "η₀", "batch_size": "b", "i_max": "iₘₐₓ", "acceptance_radius": "C′", "offset": "c", "escape_radius": "R"};

export const SWITCHED = {"variance_reduction": "it", "reset": "resets", "random_length": "random length", "refresh": "refresh"};

export function button_words(change) {
  let name, value;
  if (!py.truthy(change)) {
    return "";
  }
  [name, value] = [...py.items(change)][0];
  if (py.isinstance(value, "bool")) {
    return `Switch ${py.str(py.get(SWITCHED, name, name))} ${py.str(py.truthy(value) ? "on" : "off")}`;
  }
  return `Set ${py.str(py.get(SYMBOLS, name, name))} = ${py.format(value, "g")}`;
}
