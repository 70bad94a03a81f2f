"""Formulas in the words of the errata, which are plain text: found, and written as TeX for the page to set."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

_STRONG = re.compile(r"[=≤≥√‖^_∇Σ∏∝⟨⟩·±←]|[₀-₉²⁰-⁹]|[A-Za-zα-ωΑ-Ω]\(|\d/|/[\d(]|\b[A-Za-zα-ω]/[A-Za-zα-ω]\b")
"""Signs that only a formula has."""
_WEAK = re.compile(r"[A-Za-zα-ωΑ-Ω]′?|\d*[A-Za-z]?[α-ω]+[A-Za-z]?|[\d.,]*\d|[-+−<>~×/|…∼→]|log|exp|max|min|[()\[\]{}]+")
"""Words that may stand in one: a letter, a number, a product, a sign."""
_RELATIONS = tuple("=≤≥<>∝←+−±")
_SET = re.compile(r"[\x20-\x7eα-ωΑ-Ω=≤≥√‖∇Σ∏∝⟨⟩·₀-₉²³⁰-⁹−×←→…′∞±⌊⌋ℓ]+")
"""Signs that can be set; with another one the words stay as they are."""
_NAMES = {"i_max": r"i_{\max}", "T_min": r"T_{\min}", "_TV": r"_{\mathrm{TV}}", "exit": r"\text{exit}", "‖": r"\Vert ",
          "′": "'", "…": r"\dots "}
_FUNCTION = re.compile(r"(?<![A-Za-z\\])(exp|log|max|min)(?![A-Za-z])")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")


def with_formulas(words: str, said: Callable[[str], str]) -> str:
    """Return plain words as HTML with what are formulas set; `said` makes HTML of the rest, and of a formula unset."""
    parts, run = [], []

    def close() -> None:
        if run:
            text = " ".join(run)
            end = re.search(r"[.,;:]*$", text)[0]
            formula = text[: len(text) - len(end)]
            tex = _tex(formula) if _is_formula(formula) else None
            parts.append(said(text) if tex is None else
                         f'<lab-math tex="{html.escape(tex)}">{said(formula)}</lab-math>{end}')
            run.clear()

    given = words.split(" ")
    for word, after in zip(given, [*given[1:], ""], strict=True):
        core = word.rstrip(".,;:")
        strong = _STRONG.search(core) and not re.search(r"[a-z]{3,}(?!\()", _bare(core))
        article = core in ("a", "A", "I") and not run and after not in _RELATIONS
        if strong or _WEAK.fullmatch(core) and not article:
            run.append(word)
            if core != word and _balanced(" ".join(run)):
                close()
        else:
            close()
            parts.append(said(word))
    close()
    return " ".join(parts)


def _is_formula(text: str) -> bool:
    return bool(_STRONG.search(text) and _SET.fullmatch(text) and not text.endswith(_RELATIONS)
                and (not text.startswith(_RELATIONS) or text.startswith(("−", "±"))))


def _balanced(text: str) -> bool:
    pairs = all(text.count(first) == text.count(last) for first, last in ("()", "[]", "{}", "⟨⟩"))
    return pairs and text.count("‖") % 2 == 0


def _bare(core: str) -> str:
    """Return a word without the names that stand in formulas."""
    return re.sub(r"i_max|T_min|exp|log|max|min|exit", "", core)


def _tex(formula: str) -> str | None:
    """Return a formula as TeX; None where its brackets do not match."""
    if not _balanced(formula):
        return None
    tex = formula
    for name, command in _NAMES.items():
        tex = tex.replace(name, command)
    while (at := tex.find("√")) >= 0:
        end = _end(tex, at + 1)
        inside = tex[at + 1:end]
        inside = inside[1:-1] if inside.startswith("(") and inside.endswith(")") else inside
        tex = f"{tex[:at]}\\sqrt{{{inside}}}{tex[end:]}"
    return _THOUSANDS.sub("{,}", _FUNCTION.sub(r"\\\1", tex))


def _end(tex: str, at: int) -> int:
    """Return where the argument of a root ends: a pair of brackets, or a letter with its indices."""
    if at < len(tex) and tex[at] == "(":
        depth = 0
        for k in range(at, len(tex)):
            depth += {"(": 1, ")": -1}.get(tex[k], 0)
            if depth == 0:
                return k + 1
    found = re.compile(r"\d+|\\?\w(?:_\w|[₀-₉²′])*").match(tex, at)
    return found.end() if found else at
