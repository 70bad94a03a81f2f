"""What the browser needs to set terms and formulas: the elements, the definitions, KaTeX with its fonts.

KaTeX itself comes with Panel; its fonts, which Panel leaves out, are in `katex`. A page's shell sends each when it is asked,
over the connection the page has anyway: so no other host is, and it works in a kernel that no browser can reach.
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
    """Return what is shown when a term is pointed at."""
    parts = [f"<h4><span>{html.escape(term.name)}</span>{math_html(term.symbol) if term.symbol else ''}</h4>",
             f"<p>{text_html(term.says)}</p>"]
    if term.formula:
        parts.append(f'<div class="formula">{math_html(term.formula, display=True)}</div>')
    place = "Ours, in no paper." if term.place == "ours" else f"{term.place[0].upper()}{term.place[1:]}."
    unit = f"Unit: {term.unit}. " if term.unit else ""
    return "".join([*parts, f'<p class="soft">{text_html(unit + place)}</p>'])


@functools.cache
def terms() -> dict[str, list[str]]:
    """Return name -> HTML of the definition and all words for it, of every term."""
    return {name: [definition_html(term), ", ".join((name, *term.also))] for name, term in GLOSSARY.items()}


@functools.cache
def katex() -> dict[str, Any]:
    """Return KaTeX's script, its style sheet without fonts, and [family, woff2 file, slant] of the fonts used.

    Raises
    ------
    FileNotFoundError
        When this Panel does not bring KaTeX along.
    """
    scripts = sorted(KATEX.glob("*/dist/katex.min.js"))
    if not scripts:
        raise FileNotFoundError(f"Panel must bring KaTeX in {KATEX}; it is not there. Install another version of Panel.")
    style = scripts[-1].with_suffix("").with_suffix(".min.css").read_text(encoding="utf-8")
    fonts = [[name.rsplit("-", 1)[0], path.read_bytes(), "italic" if name.endswith("Italic") else "normal"]
             for path in sorted(FONTS.glob("*.woff2")) for name in [path.stem]]
    return {"script": scripts[-1].read_text(encoding="utf-8"), "style": re.sub(r"@font-face\{[^}]*\}", "", style),
            "fonts": fonts}


GIVEN: dict[str, Callable[[], dict[str, Any]]] = {"terms": terms, "katex": katex}
"""What `giveGlossary` asks for."""
