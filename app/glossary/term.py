"""Terms of art and marks in a text: ``[[term]]``, ``[[words|term]]``, ``$formula$``, as HTML elements."""

from __future__ import annotations

import html
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("glossary.toml")
"""One table a term, named as the pages write it."""


@dataclass(frozen=True)
class Term:
    """One term of art."""

    name: str
    says: str  #: one or two plain sentences; may hold formulas between dollar signs
    place: str  #: paper and section, equation or definition; "ours" where no paper has it
    symbol: str = ""  #: TeX, empty where it has none
    formula: str = ""  #: TeX, empty where words are all there is
    unit: str = ""  #: what its number counts, such as "lengths of the parameter"; empty where it is no number
    also: tuple[str, ...] = ()  #: other words for it that texts may mark


def _term(name: str, entry: dict[str, Any]) -> Term:
    return Term(name, **{**entry, "says": " ".join(entry["says"].split()), "also": tuple(entry.get("also", ()))})


def _key(word: str) -> str:
    return " ".join(word.split()).casefold()


GLOSSARY: dict[str, Term] = {name: _term(name, entry) for name, entry in tomllib.loads(
    FILE.read_text(encoding="utf-8")).items()}
"""Name -> term, in the order of the file."""

_BY_WORD = {_key(word): term for term in GLOSSARY.values() for word in (term.name, *term.also)}


def term_name(word: str) -> str:
    """Return the name of the term that a word stands for, empty where there is none."""
    term = _BY_WORD.get(_key(word))
    return term.name if term else ""


def lookup(word: str) -> Term:
    """Return the term that a word stands for; capitals and spaces do not matter.

    Raises
    ------
    ValueError
        When the glossary does not have it; the words name the nearest terms.
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
        When a marked term is not in the glossary.
    """
    return _MARK.sub(_element, text)


def marked_first(text: str, *words: str) -> str:
    """Return a text in HTML with the first of each word, of those that stand in it, marked: for words of the library.

    Raises
    ------
    ValueError
        When a word is no term of the glossary.
    """
    for word, name in [(word, lookup(word).name) for word in words]:
        text = re.sub(first_word(word), lambda match, name=name: term_html(match[0], name), text, count=1)
    return text


def first_word(word: str) -> str:
    """Return the pattern of a whole word in a text in HTML, outside of tags and of what is marked."""
    return rf"(?<![\w>-])({re.escape(word)})(?![\w-])(?![^<]*(?:>|</lab-(?:term|math)>))"


def text_html(text: str) -> str:
    """Return a plain text as HTML with its marks set; of its tags sub, sup, b and i remain, all else is escaped."""
    return marked(_TAG.sub(r"<\1>", html.escape(text, quote=False)))


def unmarked(text: str) -> str:
    """Return the words of a plain text without marks and tags: for titles of windows, files and screen readers.

    What is raised is written ``^(...)``; a formula stays TeX, so texts that are used so have none.
    """
    text = _MARK.sub(lambda match: match["words"] or match["display"] or match["tex"], text)
    return re.sub(r"</?(?:sub|b|i)>", "", re.sub(r"<sup>(.*?)</sup>", r"^(\1)", text))


def term_html(words: str, term: str) -> str:
    """Return words, in HTML, as the mark of a term."""
    return f'<lab-term key="{html.escape(lookup(term).name)}">{words}</lab-term>'


def math_html(tex: str, display: bool = False) -> str:
    """Return a formula of KaTeX's TeX as an element, which is empty until the browser has set it."""
    return f'<lab-math tex="{html.escape(tex)}"{" display" if display else ""}></lab-math>'


def _element(match: re.Match) -> str:
    if tex := match["display"] or match["tex"]:
        return math_html(" ".join(html.unescape(tex).split()), display=bool(match["display"]))
    return term_html(marked(match["words"]), html.unescape(match["term"] or match["words"]))
