"""`KnobSpec`: how one number is presented, and what happens to a number that is slid or typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.state.numbers import read_number


@dataclass(frozen=True)
class KnobSpec:
    """One number a person can set; the attributes a `Knob` reads."""

    name: str  #: field it sets
    symbol: str  #: HTML of the paper's symbol, may be empty
    plain: str  #: the symbol in plain text, for messages
    words: str
    help: str
    low: float
    high: float
    scale: str = "log"  #: "log", "log1p" (from zero) or "none" (a number box only)
    whole: bool = False
    token: str = ""  #: colour of the thing it governs
    lowest: str = ""  #: what the lowest value is called; empty: its number

    @property
    def limits(self) -> tuple[float, float]:
        """Lowest and highest value, both allowed."""
        return self.low, self.high

    @property
    def range_words(self) -> str:
        """The range as a sentence says it."""
        return f"{'a whole number ' if self.whole else ''}from {self.low:,g} to {self.high:,g}"

    def say(self, value: float) -> str:
        """Return a value as the page writes it."""
        if self.lowest and value == self.low:
            return self.lowest
        return f"{value:,}" if self.whole else f"{value:g}"

    def read(self, given: float | str, present: float) -> float:
        """Return the number given, if it is one this knob can take.

        Parameters
        ----------
        given
            A slider's value, or what was typed.
        present
            The value that is kept otherwise.

        Raises
        ------
        ValueError
            The words for the person: what is wrong, the allowed range, what was kept.
        """
        kept = f"Kept {self.say(present)}."
        named = isinstance(given, str) and given.strip().lower() == self.lowest.lower() != ""
        value = self.low if named else read_number(given)
        if value is None:
            raise ValueError(f"“{str(given)[:20]}” is not a number. {kept}")
        if not self.low <= value <= self.high or self.whole and value != round(value):
            raise ValueError(f"{self.plain} must be {self.range_words}. {kept}")
        return int(value) if self.whole else float(value)


def knobs_within(limits: Mapping[str, tuple[float, float]]) -> Callable[..., KnobSpec]:
    """Return a maker of knobs, `knob(name, symbol, plain, words, help, **more)`, that looks their ranges up."""
    def knob(name: str, symbol: str, plain: str, words: str, help: str, **more: Any) -> KnobSpec:
        low, high = limits[name]
        return KnobSpec(name, symbol, plain, words, help, low, high, **more)

    return knob

