"""`LinkReader`: URL parameters made values; each one that is wrong is answered in words, none raises."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any


class LinkReader:
    """Reads one link. `words` holds a sentence for each thing that was wrong and what was taken instead.

    Parameters
    ----------
    query
        URL parameters: str, bytes, numbers, or lists of them, of which the last counts.
    """

    def __init__(self, query: dict[str, Any] | None) -> None:
        self.texts = {str(key): url_text(value) for key, value in dict(query or {}).items()}
        self.words: list[str] = []

    def has(self, *keys: str) -> bool:
        """Whether the link names any of these."""
        return any(key in self.texts for key in keys)

    def text(self, key: str) -> str | None:
        """Return the text of a key, or None."""
        return self.texts.get(key)

    def choice(self, key: str, options: Sequence[str], default: str) -> str:
        """Return one of the options."""
        text = self.texts.get(key)
        if text is None or text in options:
            return default if text is None else text
        named, taken = ", ".join([one for one in options if one]), f"took {default}" if default else "left it open"
        self.words.append(f"{key} = {shown(text)} is not one of {named}; {taken}.")
        return default


def written(value: float) -> str:
    """Return a number as a link holds it: nothing is lost."""
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def shown(text: str) -> str:
    """Return what somebody typed, quoted, and shortened when it is long."""
    return repr(text if len(text) <= 40 else text[:39] + "…")


def url_text(value: object) -> str:
    """Return a URL parameter as text: it comes as Bokeh has it, a list of bytes, or as text; the last one counts."""
    if isinstance(value, list | tuple):
        value = value[-1] if value else ""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return "" if value is None else str(value).strip()


_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


def read_number(typed: float | str) -> float | None:
    """Return the number in 5e-6, 5 × 10⁻⁶, 100,000 or 0,5; None when there is none."""
    text = str(typed).strip().translate(_DIGITS)
    text = re.sub(r"\s*[×x*]\s*10\s*\^?\s*", "e", text)
    if text.count(",") == 1 and "." not in text and len(text.split(",")[1]) != 3:
        text = text.replace(",", ".")
    try:
        value = float(text.replace(",", "").replace(" ", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def endless(text: str) -> float | None:
    """Return the infinite number that a text writes; None for any other text."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isinf(value) else None
