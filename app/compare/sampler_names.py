"""Samplers as the page names and marks them."""

from __future__ import annotations

from app.compare.race_problems import refusals
from app.glossary import known
from app.plots.sampler_looks import look_of
from app.state.compare import SAMPLERS, CompareConfig

PAPER = {"sgld": "SGLD, the paper’s step"}
"""Where SAGA-LD's step is the paper's, a fifth of it is SGLD's."""


def names_of(config: CompareConfig) -> dict[str, str]:
    """Return key -> name of the samplers that are named otherwise than usual."""
    return PAPER if config.paper_step else {}


def name_of(key: str, config: CompareConfig) -> str:
    """Return a sampler's name in a race."""
    return look_of(key, names_of(config)).name


def marked(key: str, names: dict[str, str] | None = None) -> list[str]:
    """Return [key, name, mark, colour token], as rows of tables and switches begin."""
    look = look_of(key, names)
    return [key, look.name, look.mark, look.token]


def refusal_sentences(config: CompareConfig) -> dict[str, str]:
    """Return key of a sampler -> the sentence that says why it cannot run, for those that cannot."""
    return {key: f"{look_of(key).name} {words}." for key, words in refusals(config).items()}


def switch_rows(config: CompareConfig) -> list[list[str]]:
    """Return the rows of the list of switches."""
    blocked, names = refusal_sentences(config), names_of(config)
    return [[*(row := marked(key, names)), blocked.get(key, ""), "", known(row[1].split(",")[0])] for key in SAMPLERS]
