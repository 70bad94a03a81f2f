"""`Term` and its marks in text, ``[[term]]``, ``[[words|term]]`` and ``$formula$``, as HTML elements."""

from __future__ import annotations

import html
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("glossary.toml")
"""Glossary file: one table per term."""


@dataclass(frozen=True)
class Term:
    """One term of the glossary."""

    name: str
    definition: str  #: one or two sentences; may contain formulas between dollar signs
    place: str  #: paper and section, equation or definition; "ours" if in no paper
    symbol: str = ""  #: TeX; empty for none
    formula: str = ""  #: TeX; empty for none
    unit: str = ""  #: unit, such as "lengths of the parameter"; empty if it is not a number
    also: tuple[str, ...] = ()  #: synonyms that texts may mark


def _term(name: str, entry: dict[str, Any]) -> Term:
    return Term(name, **{**entry, "definition": " ".join(entry["definition"].split()), "also": tuple(entry.get("also", ()))})


def _key(word: str) -> str:
    return " ".join(word.split()).casefold()


GLOSSARY: dict[str, Term] = {name: _term(name, entry) for name, entry in tomllib.loads(
    FILE.read_text(encoding="utf-8")).items()}
"""Name -> term, in the order of the file."""

_BY_WORD = {_key(word): term for term in GLOSSARY.values() for word in (term.name, *term.also)}


def term_name(word: str) -> str:
    """Return the name of the term for a word or synonym; empty if there is none."""
    term = _BY_WORD.get(_key(word))
    return term.name if term else ""


def lookup(word: str) -> Term:
    """Return the term for a word or synonym, ignoring case and spaces.

    Raises
    ------
    ValueError
        If there is none; the message lists similar terms.
    """
    if term := _BY_WORD.get(_key(word)):
        return term
    long = {part for part in _key(word).split() if len(part) > 3}
    near = [name for name in GLOSSARY if long & set(_key(name).split())]
    hint = f"; near it are {', '.join(near)}" if near else ""
    raise ValueError(f"word must be a term of {FILE.name}, got {word!r}{hint}. Add it there, or unmark it.")


_MARK = re.compile(r"\[\[(?P<words>[^\[\]|]+)(?:\|(?P<term>[^\[\]|]+))?\]\]|\$\$(?P<display>[^$]+)\$\$|\$(?P<tex>[^$]+)\$")
_TAG = re.compile(r"&lt;(/?(?:sub|sup|b|i))&gt;")


def marked(text: str) -> str:
    """Return a text in HTML with its marks as `lab-term` and `lab-math` elements.

    Raises
    ------
    ValueError
        If a marked term is not in the glossary.
    """
    return _MARK.sub(_element, text)


def marked_first(text: str, *words: str) -> str:
    """Return HTML with the first occurrence of each word marked: for texts of the library.

    Raises
    ------
    ValueError
        If a word is not in the glossary.
    """
    for word, name in [(word, lookup(word).name) for word in words]:
        text = re.sub(first_word(word), lambda match, name=name: term_html(match[0], name), text, count=1)
    return text


def first_word(word: str) -> str:
    """Return a regular expression for a whole word in HTML, outside tags and marked terms."""
    return rf"(?<![\w>-])({re.escape(word)})(?![\w-])(?![^<]*(?:>|</lab-(?:term|math)>))"


def text_html(text: str) -> str:
    """Return plain text as HTML with its marks converted; the tags sub, sup, b and i remain, the rest is escaped."""
    return marked(_TAG.sub(r"<\1>", html.escape(text, quote=False)))


def unmarked(text: str) -> str:
    """Return plain text without marks and tags, for titles of windows, files and screen readers.

    Superscripts become ``^(...)``; formulas stay TeX, so that such texts should have none.
    """
    text = _MARK.sub(lambda match: match["words"] or match["display"] or match["tex"], text)
    return re.sub(r"</?(?:sub|b|i)>", "", re.sub(r"<sup>(.*?)</sup>", r"^(\1)", text))


def term_html(words: str, term: str) -> str:
    """Return the element of a term with this HTML as label."""
    return f'<lab-term key="{html.escape(lookup(term).name)}">{words}</lab-term>'


def math_html(tex: str, display: bool = False) -> str:
    """Return the element of a TeX formula, which the browser typesets with KaTeX."""
    return f'<lab-math tex="{html.escape(tex)}"{" display" if display else ""}></lab-math>'


def _element(match: re.Match) -> str:
    if tex := match["display"] or match["tex"]:
        return math_html(" ".join(html.unescape(tex).split()), display=bool(match["display"]))
    return term_html(marked(match["words"]), html.unescape(match["term"] or match["words"]))
