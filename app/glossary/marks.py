"""Marks in a text: ``[[term]]``, ``[[words|term]]``, ``$formula$``, ``$$formula on its own line$$``, as HTML elements."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from app.glossary.plain_math import math_text, plain_math
from app.glossary.term import lookup

_MARK = re.compile(r"\[\[(?P<words>[^\[\]|]+)(?:\|(?P<term>[^\[\]|]+))?\]\]|\$\$(?P<display>[^$]+)\$\$|\$(?P<tex>[^$]+)\$")
_TAG = re.compile(r"&lt;(/?(?:sub|sup|b|i))&gt;")


def marked(text: str) -> str:
    """Return a text in HTML with its marks as `lab-term` and `lab-math` elements.

    Where no script runs they are the words, and the formula in plain HTML.

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
        whole = re.compile(rf"(?<![\w>-])({re.escape(word)})(?![\w-])(?![^<]*(?:>|</lab-(?:term|math)>))")
        text = whole.sub(lambda match, name=name: term_html(match[0], name), text, count=1)
    return text


def text_html(text: str) -> str:
    """Return a plain text as HTML with its marks set; of its tags sub, sup, b and i remain, all else is escaped."""
    return _around_marks(text, lambda words: _TAG.sub(r"<\1>", html.escape(words, quote=False)))


def unmarked(text: str, raised: bool = False) -> str:
    """Return the words of a text without its marks, formulas as plain text: for names, files and screen readers.

    With ``raised`` what is raised in a formula stays so, see `math_text`: for the title of a window.
    """
    def words(match: re.Match) -> str:
        if match["words"]:
            return unmarked(match["words"], raised)
        tex = match["display"] or match["tex"]
        return math_text(tex) if raised else re.sub(r"<[^>]*>", "", plain_math(tex))

    return _MARK.sub(words, text)


def term_html(words: str, term: str) -> str:
    """Return words, in HTML, as the mark of a term."""
    return f'<lab-term key="{html.escape(lookup(term).name)}">{words}</lab-term>'


def math_html(tex: str, display: bool = False) -> str:
    """Return a formula as an element; its plain form is what is shown until it is set."""
    return f'<lab-math tex="{html.escape(tex)}"{" display" if display else ""}>{plain_math(tex)}</lab-math>'


def _element(match: re.Match) -> str:
    if tex := match["display"] or match["tex"]:
        return math_html(" ".join(html.unescape(tex).split()), display=bool(match["display"]))
    return term_html(marked(match["words"]), html.unescape(match["term"] or match["words"]))


def _around_marks(text: str, change: Callable[[str], str]) -> str:
    parts, end = [], 0
    for match in _MARK.finditer(text):
        parts.append(change(text[end:match.start()]))
        tex = match["display"] or match["tex"]
        parts.append(math_html(tex, display=bool(match["display"])) if tex else
                     term_html(change(match["words"]), match["term"] or match["words"]))
        end = match.end()
    return "".join([*parts, change(text[end:])])
