"""Resources of a browser for terms and formulas: the definitions, and KaTeX with its fonts.

Panel ships KaTeX without its fonts, which are in `katex`. A page's shell sends each on request over the page's own
connection, so that no other host is needed, also in a kernel that the browser cannot reach.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import panel as pn

from app.glossary.term import GLOSSARY, Term, math_html, text_html

FONTS = Path(__file__).with_name("katex")
KATEX = Path(pn.__file__).parent / "dist" / "bundled" / "katex"


def definition_html(term: Term) -> str:
    """Return the HTML of a term's definition."""
    parts = [f"<h4><span>{html.escape(term.name)}</span>{math_html(term.symbol) if term.symbol else ''}</h4>",
             f"<p>{text_html(term.definition)}</p>"]
    if term.formula:
        parts.append(f'<div class="formula">{math_html(term.formula, display=True)}</div>')
    place = "Ours, in no paper." if term.place == "ours" else f"{term.place[0].upper()}{term.place[1:]}."
    unit = f"Unit: {term.unit}. " if term.unit else ""
    return "".join([*parts, f'<p class="soft">{text_html(unit + place)}</p>'])


@functools.cache
def terms() -> dict[str, list[str]]:
    """Return, for every term, name -> [HTML of the definition, its synonyms]."""
    return {name: [definition_html(term), ", ".join((name, *term.also))] for name, term in GLOSSARY.items()}


@functools.cache
def katex() -> dict[str, Any]:
    """Return KaTeX's script, its style sheet without fonts, and [family, woff2 file, slant] of the fonts used.

    Raises
    ------
    FileNotFoundError
        If this version of Panel does not ship KaTeX.
    """
    scripts = sorted(KATEX.glob("*/dist/katex.min.js"))
    if not scripts:
        raise FileNotFoundError(f"Panel must ship KaTeX in {KATEX}, which does not exist. Install another version of Panel.")
    style = scripts[-1].with_suffix("").with_suffix(".min.css").read_text(encoding="utf-8")
    fonts = [[name.rsplit("-", 1)[0], path.read_bytes(), "italic" if name.endswith("Italic") else "normal"]
             for path in sorted(FONTS.glob("*.woff2")) for name in [path.stem]]
    return {"script": scripts[-1].read_text(encoding="utf-8"), "style": re.sub(r"@font-face\{[^}]*\}", "", style),
            "fonts": fonts}


RESOURCES: dict[str, Callable[[], dict[str, Any]]] = {"terms": terms, "katex": katex}
"""Resources requested through `connectGlossary`, by name."""
