"""A formula in plain HTML: what is read where mathematics cannot be set, and until it is."""

from __future__ import annotations

import html
import re
import unicodedata

_SIGNS = {
    "cdot": "·", "times": "×", "le": "≤", "ge": "≥", "ll": "≪", "lt": "<", "gt": ">", "approx": "≈", "neq": "≠", "sim": "~",
    "propto": "∝", "infty": "∞", "nabla": "∇", "sum": "Σ", "prod": "Π", "int": "∫", "to": "→", "leftarrow": "←", "in": "∈",
    "mid": "|", "lVert": "‖", "rVert": "CLOSED", "|": "‖", "ldots": "…", "dots": "…", "cdots": "…", "prime": "′", "ast": "*",
    "star": "*", "pm": "±", "quad": " ", "qquad": "  ", ",": " ", ";": " ", ":": " ", "!": "", " ": " ", "{": "{", "}": "}",
    "%": "%", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "top": "T",
    "partial": "∂", "ell": "ℓ", "mathrm": "", "text": "",
    "operatorname": "", "left": "", "right": "",
    "log": "log", "ln": "ln", "exp": "exp", "max": "max", "min": "min", "det": "det", "big": "", "Big": "", "bigl": "",
    "bigr": "", "Bigl": "", "Bigr": "", "displaystyle": "", "tfrac": "frac", "dfrac": "frac", "setminus": "∖", "cup": "∪",
    "Pr": "P", "limits": "",
}
_ACCENTS = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "widehat": "\u0302"}
_WORDS = ("log", "ln", "exp", "max", "min", "det")
_LINE, _RAISED = "0123456789+−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ"
_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|[{}^_]|\s+|[^\\{}^_\s]")


def plain_math(tex: str) -> str:
    """Return a formula of the TeX that the glossary uses as HTML with lower and upper indices, without a backslash.

    Raises
    ------
    ValueError
        When it has a command that is not known here, or its braces do not match.
    """
    tokens = _TOKEN.findall(tex)
    said, left = _row(tokens, 0, tex)
    if left != len(tokens):
        raise ValueError(f"tex must have matching braces, got {tex!r}. Mend it.")
    said = re.sub(r"(?<=[‖⌊⌈⟨∇]) | (?=[⌋⌉⟩]|CLOSED)", "", said).replace("CLOSED", "‖")
    return re.sub(r"[ \n]+", " ", said).strip()


def math_text(tex: str) -> str:
    """Return a formula as text alone: raised digits where Unicode has them, else ``^(…)``; lower indices stand beside."""
    said, found = re.sub(r"</?sub>", "", plain_math(tex)), 1
    while found:  # the innermost first
        said, found = re.subn(r"<sup>([^<>]*)</sup>", _raised, said)
    return said


def _raised(match: re.Match) -> str:
    said = match[1]
    if set(said) <= set(_LINE):
        return said.translate(str.maketrans(_LINE, _RAISED))
    return f"^{said}" if len(said) == 1 else f"^({said})"


def _row(tokens: list[str], at: int, tex: str) -> tuple[str, int]:
    """Return what stands up to the brace that closes the row, and where that is."""
    said: list[str] = []
    while at < len(tokens) and tokens[at] != "}":
        part, at = _part(tokens, at, tex)
        said.append(part)
    return "".join(said), at


def _part(tokens: list[str], at: int, tex: str) -> tuple[str, int]:
    if at >= len(tokens):
        raise ValueError(f"tex must not end where an argument is due, got {tex!r}. Mend it.")
    token = tokens[at]
    if token == "{":
        said, at = _row(tokens, at + 1, tex)
        if at == len(tokens):
            raise ValueError(f"tex must have matching braces, got {tex!r}. Mend it.")
        return said, at + 1
    if token in "^_":
        said, at = _argument(tokens, at + 1, tex)
        if token == "^" and said in ("′", "*"):
            return said, at
        return (f"<sup>{said}</sup>" if token == "^" else f"<sub>{said}</sub>"), at
    if token.startswith("\\"):
        return _command(token[1:], tokens, at + 1, tex)
    return (" " if token.isspace() else {"-": "−", "'": "′"}.get(token, html.escape(token))), at + 1


def _argument(tokens: list[str], at: int, tex: str) -> tuple[str, int]:
    while at < len(tokens) and tokens[at].isspace():
        at += 1
    return _part(tokens, at, tex)


def _command(name: str, tokens: list[str], at: int, tex: str) -> tuple[str, int]:
    name = _SIGNS[name] if _SIGNS.get(name) == "frac" else name
    if name == "frac":
        above, at = _argument(tokens, at, tex)
        below, at = _argument(tokens, at, tex)
        return f"{_bracketed(above)}/{_bracketed(below)}", at
    if name == "sqrt":
        inside, at = _argument(tokens, at, tex)
        return f"√{_bracketed(inside)}", at
    if name in _ACCENTS:
        inside, at = _argument(tokens, at, tex)
        return unicodedata.normalize("NFC", inside + _ACCENTS[name]), at
    if name in _WORDS:
        tight = at < len(tokens) and tokens[at] in ("_", "^", "}", "(") or at == len(tokens)
        return _SIGNS[name] + ("" if tight else " "), at
    if name in _SIGNS:
        return html.escape(_SIGNS[name]), at
    try:
        size = "CAPITAL" if name[0].isupper() else "SMALL"
        greek = {"varepsilon": "epsilon", "lambda": "lamda", "Lambda": "lamda"}.get(name, name)
        return unicodedata.lookup(f"GREEK {size} LETTER {greek.upper()}"), at
    except KeyError:
        raise ValueError(f"tex must use commands that _SIGNS has, got \\{name} in {tex!r}. Add it there.") from None


def _bracketed(said: str) -> str:
    bare = re.sub(r"<su[bp]>.*?</su[bp]>", "", said).strip()
    whole = re.fullmatch(r"√?\([^()]*\)|[\w′]+", bare) and not re.search(r"\d\w|\w\d", bare)
    return said if whole else f"({said})"
