"""A `CompareConfig` as URL parameters and back: validated, clamped, nonsense answered in words."""

from __future__ import annotations

from typing import Any

from app.compare.config import AXES, BUDGETS, MEMORY, SCALES, STEPS, TABLES, VIEWS, CompareConfig
from app.compare.knobs import KNOBS
from app.compare.problems import CORESET, PROBLEMS, STREAM_KEYS, coreset_eta0
from app.compare.samplers import LOOKS
from app.state.link import LinkReader, written

NUMBERS = {"cT": "t", "ceta": "eta0", "cb": "batch_size", "cev": "evaluations", "csec": "seconds", "cchains": "chains",
           "cseed": "seed"}
"""URL key -> field. The letter c keeps them apart from the other pages' keys."""
CHOICES = {"cby": ("budget", BUDGETS), "cx": ("axis", AXES), "cscale": ("scale", SCALES), "cview": ("view", VIEWS),
           "ctable": ("table", TABLES)}


def to_query(config: CompareConfig) -> dict[str, str]:
    """Return all knobs as strings; `from_query` gives the same configuration back."""
    query = {"cproblem": config.problem, "cstream": config.stream}
    query |= {key: written(getattr(config, field)) for key, field in NUMBERS.items()}
    query |= {key: getattr(config, field) for key, (field, _) in CHOICES.items()}
    query["csteps"] = str(config.steps)
    query["csamplers"] = ",".join(config.samplers)
    return query


def from_query(query: dict[str, Any], coreset: object = None) -> tuple[CompareConfig, list[str]]:
    """Read URL parameters; `coreset` is what the Coreset page left, if anything. Never raises.

    Returns the configuration and one sentence for each thing that was wrong and what was taken instead.
    """
    link, base = LinkReader(query), CompareConfig()
    if link.text("cproblem") == CORESET and coreset is None:
        link.words.append("No coreset has been left by the Coreset page in this session; took the paper’s problem.")
        link.given["cproblem"] = base.problem
    problem = link.choice("cproblem", (*PROBLEMS, *((CORESET,) if coreset is not None else ())), base.problem)
    base = base.on_problem(problem, coreset_eta0(coreset) if problem == CORESET and not link.has("ceta") else None)
    values: dict[str, Any] = {field: link.number(key, KNOBS[field], getattr(base, field))
                              for key, field in NUMBERS.items()}
    values |= {field: link.choice(key, options, getattr(base, field)) for key, (field, options) in CHOICES.items()}
    values["steps"] = int(link.choice("csteps", [str(s) for s in STEPS], str(base.steps)))
    values["samplers"] = link.choices("csamplers", tuple(LOOKS), base.samplers)
    config = base.replace(stream=link.choice("cstream", STREAM_KEYS, base.stream), **values)
    if config.t * config.chains > MEMORY:
        chains = MEMORY // config.t
        link.words.append(f"T × chains = {config.t * config.chains:,} must be at most {MEMORY:,}; took {chains:,} chains.")
        config = config.replace(chains=chains)
    return config, link.words
