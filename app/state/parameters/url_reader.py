"""`LinkReader`: URL parameters made values; each one that is wrong is answered in words, none raises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from app.state.parameters.typed_number import read_number

_TRUE, _FALSE = {"1", "on", "true", "yes"}, {"0", "off", "false", "no"}


class Ranged(Protocol):
    """What a number's parameter says of its range."""

    plain: str
    low: float
    high: float
    whole: bool
    range_words: str

    def clamped(self, value: float) -> float:
        """Return the nearest value in it."""


class LinkReader:
    """Reads one link. `words` holds a sentence for each thing that was wrong and what was taken instead.

    Parameters
    ----------
    query
        URL parameters: str, bytes, numbers, or lists of them, of which the last counts.
    """

    def __init__(self, query: dict[str, Any] | None) -> None:
        self.given = {str(key): _text(value) for key, value in dict(query or {}).items()}
        self.words: list[str] = []

    def has(self, *keys: str) -> bool:
        """Whether the link names any of these."""
        return any(key in self.given for key in keys)

    def text(self, key: str) -> str | None:
        """Return what was given, or None."""
        return self.given.get(key)

    def choice(self, key: str, options: Sequence[str], default: str) -> str:
        """Return one of the options."""
        text = self.given.get(key)
        if text is None or text in options:
            return default if text is None else text
        named, taken = ", ".join(filter(None, options)), f"took {default}" if default else "left it open"
        self.words.append(f"{key} = {shown(text)} is not one of {named}; {taken}.")
        return default

    def choices(self, key: str, options: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
        """Return those of a comma-separated list that are options, in the options' order."""
        text = self.given.get(key)
        if text is None:
            return tuple(default)
        named = [part.strip() for part in text.split(",") if part.strip()]
        for part in named:
            if part not in options:
                self.words.append(f"{key}: {shown(part)} is not one of {', '.join(options)}; left it out.")
        return tuple(option for option in options if option in named)

    def switch(self, key: str, default: bool, label: str) -> bool:
        """Return True or False from 1 or 0, on or off, yes or no."""
        text = self.given.get(key)
        if text is None or text.lower() in _TRUE | _FALSE:
            return default if text is None else text.lower() in _TRUE
        self.words.append(f"{label} = {shown(text)} is neither 1 nor 0; took {int(default)}.")
        return default

    def number(self, key: str, knob: Ranged, default: float) -> float:
        """Return a knob's value, clamped to its range."""
        text = self.given.get(key)
        if text is None:
            return default
        value = _endless(text) or read_number(text)
        if value is None:
            self.words.append(f"{knob.plain} = {shown(text)} is not a number; took {default:g}.")
            return default
        clamped = knob.clamped(value)
        if clamped != value:
            self.words.append(f"{knob.plain} = {shown(text)} must be {knob.range_words}; took {clamped:,g}.")
        return clamped


def written(value: float) -> str:
    """Return a number as a link holds it: nothing is lost."""
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def shown(text: str) -> str:
    """Return what somebody typed, quoted, and shortened when it is long."""
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _endless(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isinf(value) else None


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        value = value[-1] if value else ""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return str(value).strip()
