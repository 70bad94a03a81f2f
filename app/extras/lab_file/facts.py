"""What the lab file knows of the parameters of a page's state."""

from __future__ import annotations

from typing import Any

from app.glossary import known
from app.state.exit_time import Chain
from app.state.page_state import Frozen, PageState
from app.state.parameters.knob import Axes, Choice, Followed, Knob, Switch

KINDS = {Knob: "knob", Switch: "switch", Choice: "choice", Followed: "followed", Axes: "axes", Chain: "chain"}
"""Kind of parameter -> its name in the file, where `app/js/lab/link.js` gives each the rules of its kind."""
OF_KIND = {
    "knob": ("low", "high", "symbol", "plain", "scale", "whole", "token", "lowest", "term", "least"), "switch": ("term",),
    "choice": ("objects", "tokens"), "followed": (), "axes": (), "chain": ()}


def parameter_facts(state: type[PageState]) -> dict[str, dict[str, Any]]:
    """Return name -> what is stated of each parameter that a link holds, in their order."""
    facts = {}
    for name, one in state.linked().items():
        kind = next(word for cls, word in KINDS.items() if isinstance(one, cls))
        fact = {"kind": kind, "key": one.key, "label": one.label, "doc": one.doc, "default": one.default}
        fact |= {field: getattr(one, field) for field in OF_KIND[kind]}
        if kind == "knob":
            fact["term"] = one.term or known(one.label)
        if kind == "choice":
            fact["tokens"] = one.tokens or [str(value) for value in one.objects]
        facts[name] = fact
    return facts


def plain(state: type[PageState], config: Frozen) -> dict[str, Any]:
    """Return a configuration as names and values, without the user's own data."""
    return {name: getattr(config, name) for name in state.linked()}
