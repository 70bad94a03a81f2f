"""Rules for reading, clamping and writing parameter values; `LinkReader` reads a link and collects warnings, never raises.

The text of each parameter type in links and the parsing of typed numbers are plain Python, translated so that a page in a
browser reads and writes the same links. The ``...Rules`` use the attributes of their parameters in
`app.state.parameters.knob`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


class LinkReader:
    """Reader of one link. `words` has one warning per invalid value, with the value used instead.

    Parameters
    ----------
    query
        URL parameters: str, bytes, numbers, or lists of them, of which the last is used.
    """

    def __init__(self, query: dict[str, Any] | None) -> None:
        self.texts = {str(key): url_text(value) for key, value in dict(query or {}).items()}
        self.words: list[str] = []

    def has(self, *keys: str) -> bool:
        """Return whether the link has any of these keys."""
        return any(key in self.texts for key in keys)

    def text(self, key: str) -> str | None:
        """Return the text of a key; None if absent."""
        return self.texts.get(key)

    def choice(self, key: str, options: Sequence[str], default: str) -> str:
        """Return the option of a key; the default if it is absent or, with a warning, not an option."""
        text = self.texts.get(key)
        if text is None or text in options:
            return default if text is None else text
        named, taken = ", ".join([one for one in options if one]), f"took {default}" if default else "left it open"
        self.words.append(f"{key} = {shown(text)} is not one of {named}; {taken}.")
        return default


def written(value: float) -> str:
    """Return the shortest text of a number that reads back exactly."""
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def shown(text: str) -> str:
    """Return a user's text quoted, truncated to 40 characters."""
    return repr(text if len(text) <= 40 else text[:39] + "…")


def url_text(value: object) -> str:
    """Return a URL parameter as text; of a list, such as Bokeh's lists of bytes, the last item."""
    if isinstance(value, list | tuple):
        value = value[-1] if value else ""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return "" if value is None else str(value).strip()


_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}((,\d{3})+(\.\d*)?|( \d{3})+([.,]\d*)?)")
"""Number with thousands grouped by commas or by spaces; any other comma is a decimal comma."""


def read_number(typed: float | str) -> float | None:
    """Return the finite number in a text such as 5e-6, 5 × 10⁻⁶, 100,000 or 0,125; None if there is none."""
    text = re.sub(r"\s*[×x*]\s*10\s*\^?\s*|\s*[eE]\s*", "e", str(typed).strip().translate(_DIGITS))
    mantissa, *exponent = text.split("e", 1)
    if _GROUPED.fullmatch(mantissa):
        mantissa = mantissa.replace(" " if " " in mantissa else ",", "")
    if "." not in mantissa:
        mantissa = mantissa.replace(",", ".")
    try:
        value = float("e".join([mantissa, *exponent]))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def endless(text: str) -> float | None:
    """Return plus or minus infinity if a text denotes it; None for any other text."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isinf(value) else None


_TRUE, _FALSE = ("1", "on", "true", "yes"), ("0", "off", "false", "no")


def knob_text(value: float, whole: bool = False) -> str:
    """Return the displayed text of a knob's value: 0.05, or 2,000 for integers."""
    return f"{value:,}" if whole else f"{value:g}"


class KnobRules:
    """Rules of a number from ``low`` to ``high``, integer if ``whole``; ``least`` is the smallest nonzero value, if any."""

    __slots__ = ()

    @property
    def range_words(self) -> str:
        """Range as text for messages."""
        from_zero = f"{self.low:,g} or from {self.least:,g}" if self.least else f"from {self.low:,g}"
        return f"{'a whole number ' if self.whole else ''}{from_zero} to {self.high:,g}"

    def clamped(self, value: float) -> float:
        """Return the nearest allowed value; the lowest for NaN."""
        value = min(max(value, self.low), self.high) if value == value else self.low
        value = self.low if value < self.least else value
        return int(round(value)) if self.whole else float(value)

    def format_value(self, value: float) -> str:
        """Return the displayed text of a value."""
        if self.lowest and value == self.low:
            return self.lowest
        return knob_text(value, self.whole)

    def read(self, entered: float | str, present: float) -> float:
        """Return the entered number if it is allowed.

        Parameters
        ----------
        entered
            A slider's value, or typed text.
        present
            Current value, which is kept if the entered one is refused.

        Raises
        ------
        ValueError
            If the value is not allowed, with a message for the user: the error, the range and the value kept.
        """
        kept = f"Kept {self.format_value(present)}."
        named = isinstance(entered, str) and entered.strip().lower() == self.lowest.lower() != ""
        value = self.low if named else read_number(entered)
        if value is None:
            raise ValueError(f"“{str(entered)[:20]}” is not a number. {kept}")
        if not self.low <= value <= self.high or self.low < value < self.least or self.whole and value != round(value):
            raise ValueError(f"{self.plain} must be {self.range_words}. {kept}")
        return int(value) if self.whole else float(value)

    def write(self, value: float) -> str:
        """Return the text of a value in links."""
        return written(value)

    def from_link(self, link: LinkReader, default: float) -> float:
        """Return the value in a link, clamped with a warning; the default if there is none."""
        text = link.text(self.key)
        if text is None:
            return default
        value = endless(text) or read_number(text)
        if value is None:
            link.words.append(f"{self.plain} = {shown(text)} is not a number; took {default:g}.")
            return default
        clamped = self.clamped(value)
        if clamped != value:
            link.words.append(f"{self.plain} = {shown(text)} must be {self.range_words}; took {clamped:,g}.")
        return clamped


@dataclass(frozen=True)
class NumberRange(KnobRules):
    """Rules of a number without a parameter."""

    key: str
    plain: str
    low: float
    high: float
    whole: bool = False
    least: float = 0.0
    lowest: str = ""


class SwitchRules:
    """Rules of a boolean."""

    __slots__ = ()

    def write(self, value: bool) -> str:
        """Return the text of a value in links."""
        return "1" if value else "0"

    def from_link(self, link: LinkReader, default: bool) -> bool:
        """Return the value in a link; the default, with a warning, if it is neither on nor off."""
        text = link.text(self.key)
        if text is None or text.lower() in (*_TRUE, *_FALSE):
            return default if text is None else text.lower() in _TRUE
        link.words.append(f"{self.label.lower()} = {shown(text)} is neither 1 nor 0; took {int(default)}.")
        return default


class ChoiceRules:
    """Rules of one of several ``objects``, named ``tokens`` in links."""

    __slots__ = ()

    def _names(self) -> list[str]:
        return [*self.tokens] if self.tokens else [str(one) for one in self.objects]

    def write(self, value: Any) -> str:
        """Return the text of a value in links."""
        return self._names()[[*self.objects].index(value)]

    def from_link(self, link: LinkReader, default: Any) -> Any:
        """Return the value in a link; the default, with a warning, if it is not an option."""
        names = self._names()
        return [*self.objects][names.index(link.choice(self.key, names, self.write(default)))]


class FollowedRules:
    """Rules of a chain's index from 0, or None."""

    __slots__ = ()

    def write(self, value: int | None) -> str:
        """Return the text of a value in links."""
        return "none" if value is None else str(value)

    def from_link(self, link: LinkReader, default: int | None, chains: int) -> int | None:
        """Return the chain in a link, clamped to `chains`."""
        text = link.text(self.key)
        if text is None or text.lower() == "none":
            return default if text is None else None
        return NumberRange(self.key, "chain to follow", 0, chains - 1, True).from_link(link, default or 0)


class AxesRules:
    """Rules of two coordinates, or "principal"."""

    __slots__ = ()

    def write(self, value: tuple[int, int] | str) -> str:
        """Return the text of a value in links, with coordinates from 1."""
        return value if isinstance(value, str) else f"{value[0] + 1}-{value[1] + 1}"

    def from_link(self, link: LinkReader, default: tuple[int, int] | str, dim: int) -> tuple[int, int] | str:
        """Return the axes in a link, among `dim` coordinates; the default, with a warning, if they are invalid."""
        text = link.text(self.key)
        if text is None or text == "principal":
            return default if text is None else text
        first, _, second = text.partition("-")
        if first.isascii() and first.isdigit() and second.isascii() and second.isdigit():
            pair = int(first[:9]) - 1, int(second[:9]) - 1
            if pair[0] != pair[1] and all(0 <= axis < dim for axis in pair):
                return pair
        link.words.append(f"{self.key} = {shown(text)} must be two different coordinates from 1 to {dim}, such as 1-2, or"
                          f" principal; took {self.write(default)}.")
        return default
