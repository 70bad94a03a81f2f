"""`Term`: one entry of the glossary, read from `glossary.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("glossary.toml")
"""One table a term, named as the pages write it."""


@dataclass(frozen=True)
class Term:
    """One term of art."""

    name: str
    says: str  #: one or two plain sentences; may hold formulas between dollar signs
    symbol: str = ""  #: TeX, empty where it has none
    formula: str = ""  #: TeX, empty where words are all there is
    unit: str = ""  #: what its number counts, such as "lengths of the parameter"; empty where it is no number
    place: str = ""  #: paper and section, equation or definition; "ours" where no paper has it
    also: tuple[str, ...] = ()  #: other words for it that texts may mark


def read(text: str) -> dict[str, Term]:
    """Return the terms of a glossary by name.

    Raises
    ------
    ValueError
        When a term lacks its meaning or its place, has a key that does not exist, or shares a name with another.
    """
    allowed = {field.name for field in fields(Term)} - {"name"}
    found: dict[str, Term] = {}
    names: set[str] = set()
    for name, entry in tomllib.loads(text).items():
        unknown, lacking = sorted(set(entry) - allowed), [key for key in ("says", "place") if not entry.get(key)]
        if unknown or lacking:
            wrong = f"has {unknown[0]!r}" if unknown else f"lacks {lacking[0]!r}"
            raise ValueError(f"{FILE.name}: {name!r} {wrong}; a term has {', '.join(sorted(allowed))}. Mend the entry.")
        found[name] = term = _term(name, entry)
        for word in (name, *term.also):
            if _key(word) in names:
                raise ValueError(f"{FILE.name}: {word!r} is there twice; a word stands for one term. Remove one.")
            names.add(_key(word))
    return found


def _term(name: str, entry: dict[str, Any]) -> Term:
    return Term(name, **{**entry, "says": " ".join(entry["says"].split()), "also": tuple(entry.get("also", ()))})


def _key(word: str) -> str:
    return " ".join(word.split()).casefold()


GLOSSARY: dict[str, Term] = read(FILE.read_text(encoding="utf-8"))
"""Name -> term, in the order of the file."""

_BY_WORD = {_key(word): term for term in GLOSSARY.values() for word in (term.name, *term.also)}


def known(word: str) -> str:
    """Return the name of the term that a word stands for, empty where there is none."""
    found = _BY_WORD.get(_key(word))
    return found.name if found else ""


def lookup(word: str) -> Term:
    """Return the term that a word stands for; capitals and spaces do not matter.

    Raises
    ------
    ValueError
        When the glossary does not have it; the words name the nearest terms.
    """
    if found := _BY_WORD.get(_key(word)):
        return found
    long = {part for part in _key(word).split() if len(part) > 3}
    near = [name for name in GLOSSARY if long & set(_key(name).split())]
    hint = f"; near it are {', '.join(near)}" if near else ""
    raise ValueError(f"word must be a term of {FILE.name}, got {word!r}{hint}. Add it there, or unmark it.")
