"""HTML of the papers' errata for the help: the library's records with their computed numbers."""

from __future__ import annotations

import functools
import html
import math
import re

from app.number_words import scientific
from sampler.errata import ERRATA, PAPERS, Counterexample, Erratum

_RELATIONS = {"equal": "", "at most": "at most ", "at least": "at least "}


def number(value: float) -> str:
    """Return a number with four digits, in scientific notation if far from one; 0/0 for nan."""
    if math.isnan(value):
        return "0/0"
    text = f"{value:,.4g}" if value == 0 or 1e-3 <= abs(value) < 1e5 else scientific(value)
    return text.replace("-", "−")


def example_words(example: Counterexample) -> str:
    """Return a sentence that compares the printed number with the true one."""
    claim = _RELATIONS[example.relation]
    text = f"{claim}{number(example.printed)} as printed"
    if example.mended is not None:
        text += f", {claim}{number(example.mended)} as mended"
    first = example.quantity.split()[0]
    quantity = first.capitalize() + example.quantity[len(first):] if first.isalpha() else example.quantity
    return f"{example.setting}. {quantity}: {text}; in truth {number(example.true)}."


def indexed(words: str) -> str:
    """Return text as HTML, with x_i, x_{i+1} and x^{2} as subscripts and superscripts."""
    words = re.sub(r"_(?:\{([^}]*)\}|([A-Za-zα-ω]+))", r"<sub>\1\2</sub>", html.escape(words, quote=False))
    return re.sub(r"\^\{([^}]*)\}", r"<sup>\1</sup>", words)


def _details(record: Erratum) -> str:
    rows = {"printed": record.printed, "in truth": record.holds, "example": example_words(record.example())}
    body = "".join(f"<dt>{title}</dt><dd>{indexed(words)}</dd>" for title, words in rows.items())
    return (f'<details data-erratum="{record.key}"><summary>{indexed(record.place)}: {record.title}'
            f" <span>{record.kind}</span></summary><dl>{body}</dl></details>")


@functools.cache
def errata_html() -> str:
    """Return all records grouped by paper, one fold each; the counterexamples run at the first call."""
    parts = ["<p>Misprints and false statements in the papers. Each fold has a counterexample, which the library "
             "computes (<code>sampler.errata</code>; notebook 07).</p>"]
    for short, title in PAPERS.items():
        records = [record for record in ERRATA if record.paper == short]
        parts += [f"<h4>{short}: {html.escape(title)}</h4>", *map(_details, records)]
    return "".join(parts)
