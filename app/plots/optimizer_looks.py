"""How each coreset optimizer looks and is named, wherever it is drawn."""

from __future__ import annotations

from app.plots.look import Look

LOOKS = {
    "hot_dog": Look("Hot DoG", "Hot DoG", "ours", width=1.8),
    "dog": Look("DoG", "DoG", "kin"),
    "dowg": Look("DoWG", "DoWG", "kin", "dots"),
    "d_adaptation": Look("D-Adaptation", "D-Adapt.", "bound", "dots"),
    "prodigy": Look("Prodigy", "Prodigy", "truth", width=1.4),
    "adam_sqrt": Look("ADAM, rate/√t", "ADAM/√t", "rival"),
    "adam_const": Look("ADAM, constant", "ADAM const", "exit", "dots"),
    "untrained": Look("untrained", "untrained", "reference", width=1.6),
}
"""Key of an optimizer -> how it looks."""
COLD = {"line": "dash", "dots": "dashdot"}
"""Mark of a run -> its mark without a hot start, where both kinds are drawn."""


def look_of(key: str) -> Look:
    """Return how a run looks, by its optimizer's key or name; ", cold" after it tells runs without a hot start."""
    name, _, kind = key.partition(", cold")
    found = LOOKS.get(name) or next((look for look in LOOKS.values() if name in (look.name, look.short)), None)
    found = found or Look(name, name, "reference")
    if name not in LOOKS:
        found = found._replace(name=name)
    if key == name:
        return found
    return found._replace(name=f"{found.name}, cold", short=f"{found.short}, cold", mark=COLD[found.mark])
