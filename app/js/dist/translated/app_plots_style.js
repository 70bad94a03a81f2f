// Translated from app/plots/style.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const ROLES = {"ours": ["chain", "chain"], "rival": ["sgld", "sgldtx"], "kin": ["acc", "acctx"], "exit": ["esc", "esctx"], "bound": ["bound", "bound"], "truth": ["mode", "ink"], "reference": ["ref", "ink2"], "ceiling": ["ref", "ink2"], "cold": ["cold", "cold"], "safe": ["ok", "ok"], "hot": ["hot", "hot"], "axis": ["axis", "ink2"], "faint": ["line", "ink3"], "card": ["card", "card"], "middle": ["ink|on", "ink|on"], "over": ["on", "on"]};

export function chart_words(x, y, drawn) {
  let names, name, listed;
  names = [];
  for (name of py.iter(drawn)) {
    if (py.truthy(name) && !py.contains(names, name)) {
      names.push(name);
    }
  }
  listed = py.iter(names.slice(0, 8)).join(", ") + ((py.len(names) > 8) ? ` and ${py.str(py.len(names) - 8)} more` : "");
  return `Chart of ${py.str(y)} against ${py.str(x)}` + (py.truthy(listed) ? `: ${py.str(listed)}` : "");
}
