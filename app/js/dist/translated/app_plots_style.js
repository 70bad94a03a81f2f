// Translated from app/plots/style.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const ROLES = {"ours": ["chain", "chain"], "rival": ["sgld", "sgldtx"], "kin": ["acc", "acctx"], "exit": ["esc", "esctx"], "bound": ["bound", "bound"], "truth": ["mode", "ink"], "reference": ["ref", "ink2"], "ceiling": ["ref", "ink2"], "cold": ["cold", "cold"], "safe": ["ok", "ok"], "hot": ["hot", "hot"], "axis": ["axis", "ink2"], "faint": ["line", "ink3"], "card": ["card", "card"], "middle": ["ink|on", "ink|on"], "over": ["on", "on"]};
