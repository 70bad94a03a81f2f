"""The kinds of parameters a page's state is made of: each knows its range, its words and its URL key.

`Knob` is a number, `Switch` is on or off, `Choice` is one of several, `Choices` are some of several. A parameter with
an empty `key` stays out of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import param

from app.state.parameters.typed_number import read_number
from app.state.parameters.url_reader import LinkReader, written

_UNSET = param.parameterized.Undefined


class Knob(param.Number):
    """A number the user sets.

    Parameters
    ----------
    default
        Value on opening.
    low, high
        Range, both ends allowed.
    words
        What it is, in two words.
    help
        One sentence, shown on hover.
    symbol
        HTML of the paper's symbol, may be empty.
    plain
        The symbol, or the name, in plain text, for messages.
    key
        URL parameter.
    scale
        Of the slider: "log", "log1p" (from zero), or "none" for a number box without a slider.
    whole
        Whether only whole numbers are taken.
    token
        Colour token of the thing it governs, see `app.theme`.
    lowest
        What the lowest value is called, such as "best"; empty for its number.
    term
        The term of the glossary that it is about, where its words are not one themselves.
    least
        Of a range from zero, the smallest number above it that is told from zero.
    """

    __slots__ = ["symbol", "plain", "key", "scale", "whole", "token", "lowest", "term", "least"]
    _slot_defaults = dict(param.Number._slot_defaults, symbol="", plain="", key="", scale="log", whole=False, token="",
                          lowest="", term="", least=0.0)

    def __init__(self, default: float = _UNSET, low: float = _UNSET, high: float = _UNSET, words: str = _UNSET,
                 help: str = _UNSET, *, symbol: str = _UNSET, plain: str = _UNSET, key: str = _UNSET,
                 scale: str = _UNSET, whole: bool = _UNSET, token: str = _UNSET, lowest: str = _UNSET,
                 term: str = _UNSET, least: float = _UNSET, **params: Any) -> None:
        self.symbol, self.plain, self.key = symbol, plain, key
        self.scale, self.whole, self.token, self.lowest, self.term, self.least = scale, whole, token, lowest, term, least
        bounds = _UNSET if low is _UNSET else (low, high)
        super().__init__(default=default, bounds=bounds, label=words, doc=help, **params)

    @property
    def low(self) -> float:
        """Lowest value, allowed."""
        return self.bounds[0]

    @property
    def high(self) -> float:
        """Highest value, allowed."""
        return self.bounds[1]

    @property
    def range_words(self) -> str:
        """The range as a sentence says it."""
        from_zero = f"{self.low:,g} or from {self.least:,g}" if self.least else f"from {self.low:,g}"
        return f"{'a whole number ' if self.whole else ''}{from_zero} to {self.high:,g}"

    def clamped(self, value: float) -> float:
        """Return the nearest value this knob can take; the lowest for NaN."""
        value = min(max(value, self.low), self.high) if value == value else self.low
        value = self.low if value < self.least else value
        return int(round(value)) if self.whole else float(value)

    def say(self, value: float) -> str:
        """Return a value as the page writes it."""
        if self.lowest and value == self.low:
            return self.lowest
        return f"{value:,}" if self.whole else f"{value:g}"

    def position(self, value: float) -> float:
        """Return where a slider stands."""
        return value

    def read(self, given: float | str, present: float) -> float:
        """Return the number given, if this knob can take it.

        Parameters
        ----------
        given
            A slider's value, or what was typed.
        present
            The value that is kept otherwise.

        Raises
        ------
        ValueError
            Words for the user: what is wrong, the allowed range, what was kept.
        """
        kept = f"Kept {self.say(present)}."
        named = isinstance(given, str) and given.strip().lower() == self.lowest.lower() != ""
        value = self.low if named else read_number(given)
        if value is None:
            raise ValueError(f"“{str(given)[:20]}” is not a number. {kept}")
        if not self.low <= value <= self.high or self.low < value < self.least or self.whole and value != round(value):
            raise ValueError(f"{self.plain} must be {self.range_words}. {kept}")
        return int(value) if self.whole else float(value)

    def write(self, value: float) -> str:
        """Return a value as a link holds it."""
        return written(value)

    def from_link(self, link: LinkReader, default: float) -> float:
        """Return the value in a link, clamped with words; the default when the link has none."""
        return link.number(self.key, self, default)


class Switch(param.Boolean):
    """Something that is on or off; `label` is what it is called, `doc` what it does, `term` its name in the glossary."""

    __slots__ = ["key", "term"]
    _slot_defaults = dict(param.Boolean._slot_defaults, key="", term="")

    def __init__(self, default: bool = _UNSET, label: str = _UNSET, help: str = _UNSET, *, key: str = _UNSET,
                 term: str = _UNSET, **params: Any) -> None:
        self.key, self.term = key, term
        super().__init__(default=default, label=label, doc=help, **params)

    def write(self, value: bool) -> str:
        """Return a value as a link holds it."""
        return "1" if value else "0"

    def from_link(self, link: LinkReader, default: bool) -> bool:
        """Return the value in a link; the default, with words, when it is neither on nor off."""
        return link.switch(self.key, default, self.label.lower())


class Choice(param.Selector):
    """One of several values. `tokens` are what a link calls them; by default the values as text."""

    __slots__ = ["key", "tokens"]
    _slot_defaults = dict(param.Selector._slot_defaults, key="", tokens=None)

    def __init__(self, default: Any = _UNSET, objects: Sequence[Any] = _UNSET, label: str = _UNSET, help: str = _UNSET,
                 *, key: str = _UNSET, tokens: Sequence[str] | None = _UNSET, **params: Any) -> None:
        self.key, self.tokens = key, tokens
        objects = objects if objects is _UNSET else list(objects)
        super().__init__(default=default, objects=objects, label=label, doc=help, **params)

    def _names(self) -> list[str]:
        return list(self.tokens or map(str, self.objects))

    def write(self, value: Any) -> str:
        """Return a value as a link holds it."""
        return self._names()[list(self.objects).index(value)]

    def from_link(self, link: LinkReader, default: Any) -> Any:
        """Return the value in a link; the default, with words, when it is no option."""
        names = self._names()
        return list(self.objects)[names.index(link.choice(self.key, names, self.write(default)))]


class Choices(param.Tuple):
    """Some of several names, kept in the order of `options`."""

    __slots__ = ["key", "options"]
    _slot_defaults = dict(param.Tuple._slot_defaults, key="", options=())

    def __init__(self, default: tuple[str, ...] = _UNSET, options: Sequence[str] = _UNSET, label: str = _UNSET,
                 help: str = _UNSET, *, key: str = _UNSET, **params: Any) -> None:
        self.key = key
        self.options = options if options is _UNSET else tuple(options)
        super().__init__(default=default, label=label, doc=help, **params)

    def _validate_length(self, value: Any, length: int) -> None:
        """Any number of them may be chosen."""

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        super()._validate_value(value, allow_None)
        unknown = [name for name in value or () if self.options and name not in self.options]
        if unknown:
            raise ValueError(f"{self.name} must be among {', '.join(self.options)}, not {unknown[0]!r}; leave it out.")

    def switched(self, value: tuple[str, ...], name: str, on: bool) -> tuple[str, ...]:
        """Return the choice with one option switched, in the order of the options."""
        return tuple(option for option in self.options if (option in value or option == name) and (on or option != name))

    def write(self, value: tuple[str, ...]) -> str:
        """Return a value as a link holds it."""
        return ",".join(value)

    def from_link(self, link: LinkReader, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return the options a link names; those that are none are said in words."""
        return link.choices(self.key, self.options, default)
