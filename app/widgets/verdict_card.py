"""`VerdictCard`: verdict on a run, its meters, and the advised change."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import param

from app.glossary import marked_first, term_name
from app.js.component import LabComponent

if TYPE_CHECKING:
    from sampler.tuning import Verdict


WRITTEN = {"i_max": "iₘₐₓ", "X^t": "Xᵗ"}


def symbols(text: str) -> str:
    """Return a message of the library with typeset symbols, such as "iₘₐₓ" for "i_max"."""
    for plain, written in WRITTEN.items():
        text = text.replace(plain, written)
    return text


LOOK = {
    "safe": ("check", "ok", "okbg"), "cold": ("cold", "cold", "coldbg"), "hot": ("hot", "hot", "hotbg"),
    "noisy": ("noise", "hot", "hotbg"), "resets": ("restart", "hot", "hotbg"),
    "lagging": ("epoch", "hot", "hotbg"), "narrow": ("cold", "cold", "coldbg"), "stale": ("wait", "hot", "hotbg"),
    "diverged": ("warn", "hot", "hotbg"),
    "weak_reference": ("info", "ink2", "chip"), "waiting": ("wait", "ink2", "chip"),
}
"""Verdict kind -> (icon, colour token, background token)."""

TERMS = ("ceiling", "escape ball", "checkpoint", "remembers", "gradient noise", "reference", "cached gradients", "effective",
         "lags")
"""Glossary terms in verdicts; the first occurrence of each is marked."""

SYMBOLS = {"eta0": "η₀", "batch_size": "b", "i_max": "iₘₐₓ", "acceptance_radius": "C′", "offset": "c",
            "escape_radius": "R"}
SWITCHED = {"variance_reduction": "it", "reset": "resets", "random_length": "random length",
             "refresh": "refresh"}
NUMBER = re.compile(r"(?<![\w=₀-₉.])([−-]?\d[\d,.]*\d|\d)(\s?[%×])?(?![\w₀-₉])")


def emphasise(sentence: str) -> str:
    """Return the sentence as HTML with its measured numbers in bold (settings such as "η₀ = 5" are not)."""
    def bold(match: re.Match) -> str:
        before = sentence_html[:match.start()].rstrip()
        return match.group(0) if before.endswith("=") or match.start() == 0 else f"<b>{match.group(0)}</b>"

    sentence_html = html.escape(symbols(sentence))
    return NUMBER.sub(bold, sentence_html)


def button_words(change: dict | None) -> str:
    """Return the label of a change's button, such as "Set η₀ = 1" or "Switch it on"."""
    if not change:
        return ""
    name, value = [*change.items()][0]
    if isinstance(value, bool):
        return f"Switch {SWITCHED.get(name, name)} {'on' if value else 'off'}"
    return f"Set {SYMBOLS.get(name, name)} = {value:g}"


class VerdictCard(LabComponent):
    """Card with a `Verdict` and its meters; `apply(change)` is called when its button is pressed."""

    look = param.List(["wait", "ink2", "chip"])
    title = param.String("Starting")
    subtitle = param.String("")
    sentence = param.String("", doc="HTML.")
    suggestion = param.String("")
    button = param.String("")
    meters = param.List([], doc="[label, text, fill, tick, bad, term] of each meter.")

    def __init__(self, apply: Callable[[dict], None], **params: object) -> None:
        self._apply = apply
        self._verdict: Verdict | None = None
        self.kind = "waiting"
        super().__init__(sizing_mode="stretch_both", **params)

    def show(self, verdict: Verdict | None, meters: Iterable[Any]) -> None:
        """Display changes since the last call; a meter has label, text, fill, tick and bad."""
        rows = [[m.label, m.text, round(m.fill, 3), m.tick, m.bad, term_name(m.label)] for m in meters]
        news: dict[str, object] = {"meters": rows}
        if verdict is not None and verdict != self._verdict:
            self._verdict, self.kind = verdict, verdict.kind
            news |= {"look": list(LOOK.get(verdict.kind, LOOK["waiting"])), "title": verdict.title,
                     "subtitle": verdict.subtitle, "sentence": marked_first(emphasise(verdict.sentence), *TERMS),
                     "suggestion": symbols(verdict.suggestion), "button": button_words(verdict.change)}
        self.change(**news)

    def on_apply(self) -> None:
        """Handle the button."""
        if self._verdict is not None and self._verdict.change:
            self._apply(dict(self._verdict.change))
