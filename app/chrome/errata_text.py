"""The papers' errata as the help shows them: the library's records, with the numbers that each computes."""

from __future__ import annotations

import functools
import html
import math
import re

from app.number_words import scientific
from sampler.errata import ERRATA, PAPERS, Counterexample, Erratum

_RELATIONS = {"equal": "", "at most": "at most ", "at least": "at least "}


def number(value: float) -> str:
    """Return a number with four digits, 8.8 × 10⁻²²³ where it is far from one, 0/0 where it is none."""
    if math.isnan(value):
        return "0/0"
    text = f"{value:,.4g}" if value == 0 or 1e-3 <= abs(value) < 1e5 else scientific(value)
    return text.replace("-", "−")


def example_words(example: Counterexample) -> str:
    """Return the sentence that sets the printed number against the true one."""
    claim = _RELATIONS[example.relation]
    text = f"{claim}{number(example.printed)} as printed"
    if example.mended is not None:
        text += f", {claim}{number(example.mended)} as mended"
    first = example.quantity.split()[0]
    quantity = first.capitalize() + example.quantity[len(first):] if first.isalpha() else example.quantity
    return f"{example.setting}. {quantity}: {text}; in truth {number(example.true)}."


def indexed(words: str) -> str:
    """Return words as HTML, with x_i, x_{i+1} and x^{2} as lower and upper indices."""
    words = re.sub(r"_(?:\{([^}]*)\}|([A-Za-zα-ω]+))", r"<sub>\1\2</sub>", html.escape(words, quote=False))
    return re.sub(r"\^\{([^}]*)\}", r"<sup>\1</sup>", words)


def _details(record: Erratum) -> str:
    rows = {"printed": record.printed, "in truth": record.holds, "example": example_words(record.example())}
    body = "".join(f"<dt>{title}</dt><dd>{indexed(words)}</dd>" for title, words in rows.items())
    return (f'<details data-erratum="{record.key}"><summary>{indexed(record.place)}: {record.title}'
            f" <span>{record.kind}</span></summary><dl>{body}</dl></details>")


@functools.cache
def errata_html() -> str:
    """Return all records, a fold each, under the names of their papers; the counterexamples run at the first call."""
    parts = ["<p>Where the papers’ texts cannot be meant as printed, or are not so. Each was checked by the "
             "counterexample under its fold, which the library computes (<code>sampler.errata</code>; notebook 07).</p>"]
    for short, title in PAPERS.items():
        records = [record for record in ERRATA if record.paper == short]
        parts += [f"<h4>{short}: {html.escape(title)}</h4>", *map(_details, records)]
    return "".join(parts)
