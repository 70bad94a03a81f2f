"""What the lab file holds of the served lab: the parameters of a page's state, the problems of Live's menu, its lessons."""

from __future__ import annotations

from typing import Any

from app.glossary import known
from app.live.run_state import start_rule
from app.state.algorithm_menu import ALGORITHMS, refusal
from app.state.exit_time import Chain
from app.state.live import default_config
from app.state.page_state import Frozen, PageState
from app.state.parameters.knob import Axes, Choice, Followed, Knob, Switch
from app.state.problem_menu import PROBLEMS, ProblemChoice
from sampler.wasm import problem_record

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


def problem_records() -> dict[str, dict[str, Any]]:
    """Return key -> record of `sampler.wasm.problem_record`, with what the menu says of the problem."""
    return {key: _record(choice) for key, choice in PROBLEMS.items()}


def _record(choice: ProblemChoice) -> dict[str, Any]:
    advised = {name: default_config(choice.key, algorithm=name).settings.to_dict() for name in ALGORITHMS
               if not refusal(name, choice)}
    return problem_record(choice.problem) | {
        "key": choice.key, "label": choice.label, "coordinates": choice.coordinates, "truth": choice.truth,
        "start": start_rule(choice.problem.kind), "seed": choice.seed, "escape_radius": choice.escape_radius,
        "advised": advised}
