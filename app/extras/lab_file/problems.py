"""`problem_records`: the problems of Live's menu as the lab file takes them."""

from __future__ import annotations

from typing import Any

from app.live.run_state import start_rule
from app.state.algorithm_menu import ALGORITHMS, refusal
from app.state.live import default_config
from app.state.problem_menu import PROBLEMS, ProblemChoice
from sampler.wasm import problem_record


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
