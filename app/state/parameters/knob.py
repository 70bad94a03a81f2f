"""The kinds of parameters a page's state is made of: each knows its range, its words and its URL key.

`Knob` is a number, `Switch` is on or off, `Choice` is one of several, `Choices` are some of several, `Followed` is a chain,
`Axes` are two coordinates. A parameter with an empty `key` stays out of links.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import param

from app.state.parameters.url_reader import LinkReader, read_number, shown, written

_UNSET = param.parameterized.Undefined
_TRUE, _FALSE = {"1", "on", "true", "yes"}, {"0", "off", "false", "no"}


def in_link(kind: type[param.Parameter]) -> type[param.Parameter]:
    """Return a kind of parameter with the URL parameter `key`; a subclass says how a link holds its value.

    What a subclass names in `__slots__` are keyword arguments of it; one that is left out is inherited from the parameter of
    a parent class, as Param has it for its own, or has the value in `_slot_defaults`.
    """
    class InLink(kind):
        __slots__ = ["key"]
        _slot_defaults = dict(kind._slot_defaults, key="")

        def __init__(self, default: Any = _UNSET, **params: Any) -> None:
            for parent in type(self).__mro__[:type(self).__mro__.index(kind)]:
                for name in parent.__slots__:
                    setattr(self, name, params.pop(name, _UNSET))
            super().__init__(default=default, **params)

        def __init_subclass__(cls, **options: Any) -> None:
            """Add the defaults of the subclass's own slots to those of its base."""
            super().__init_subclass__(**options)
            cls._slot_defaults = super(cls, cls)._slot_defaults | cls._slot_defaults

        def write(self, value: Any) -> str:
            """Return a value as a link holds it."""
            return str(value)

    return InLink


def knob_text(value: float, whole: bool = False) -> str:
    """Return a knob's value as its page writes it: 0.05, or 2,000 where it takes whole numbers."""
    return f"{value:,}" if whole else f"{value:g}"


class Knob(in_link(param.Number)):
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

    __slots__ = ["symbol", "plain", "scale", "whole", "token", "lowest", "term", "least"]
    _slot_defaults = dict(symbol="", plain="", scale="log", whole=False, token="", lowest="", term="", least=0.0)

    def __init__(self, default: float = _UNSET, low: float = _UNSET, high: float = _UNSET, words: str = _UNSET,
                 help: str = _UNSET, **params: Any) -> None:
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
        return knob_text(value, self.whole)

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
        text = link.text(self.key)
        if text is None:
            return default
        value = _endless(text) or read_number(text)
        if value is None:
            link.words.append(f"{self.plain} = {shown(text)} is not a number; took {default:g}.")
            return default
        clamped = self.clamped(value)
        if clamped != value:
            link.words.append(f"{self.plain} = {shown(text)} must be {self.range_words}; took {clamped:,g}.")
        return clamped


def _endless(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isinf(value) else None


class Switch(in_link(param.Boolean)):
    """Something that is on or off; `label` is what it is called, `doc` what it does, `term` its name in the glossary."""

    __slots__ = ["term"]
    _slot_defaults = dict(term="")

    def __init__(self, default: bool = _UNSET, label: str = _UNSET, help: str = _UNSET, **params: Any) -> None:
        super().__init__(default=default, label=label, doc=help, **params)

    def write(self, value: bool) -> str:
        """Return a value as a link holds it."""
        return "1" if value else "0"

    def from_link(self, link: LinkReader, default: bool) -> bool:
        """Return the value in a link; the default, with words, when it is neither on nor off."""
        text = link.text(self.key)
        if text is None or text.lower() in _TRUE | _FALSE:
            return default if text is None else text.lower() in _TRUE
        link.words.append(f"{self.label.lower()} = {shown(text)} is neither 1 nor 0; took {int(default)}.")
        return default


class Choice(in_link(param.Selector)):
    """One of several values. `tokens` are what a link calls them; by default the values as text."""

    __slots__ = ["tokens"]
    _slot_defaults = dict(tokens=None)

    def __init__(self, default: Any = _UNSET, objects: Sequence[Any] = _UNSET, label: str = _UNSET, help: str = _UNSET,
                 **params: Any) -> None:
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


class Choices(in_link(param.ClassSelector)):
    """Some of several names, kept in the order of `options`."""

    __slots__ = ["options"]
    _slot_defaults = dict(options=(), class_=tuple)

    def __init__(self, default: tuple[str, ...] = _UNSET, options: Sequence[str] = _UNSET, label: str = _UNSET,
                 help: str = _UNSET, **params: Any) -> None:
        super().__init__(default, options=options, label=label, doc=help, class_=tuple, **params)

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
        text = link.text(self.key)
        if text is None:
            return tuple(default)
        named = [part.strip() for part in text.split(",") if part.strip()]
        for part in named:
            if part not in self.options:
                link.words.append(f"{self.key}: {shown(part)} is not one of {', '.join(self.options)}; left it out.")
        return tuple(option for option in self.options if option in named)


class Followed(in_link(param.Integer)):
    """Number of the chain shown with its acceptance ball, from 0, or None for nobody."""

    def write(self, value: int | None) -> str:
        """Return a value as a link holds it."""
        return "none" if value is None else str(value)

    def from_link(self, link: LinkReader, default: int | None, chains: int) -> int | None:
        """Return the chain a link names, clamped to the chains there are."""
        text = link.text(self.key)
        if text is None or text.lower() == "none":
            return default if text is None else None
        return Knob(0, 0, chains - 1, plain="chain to follow", whole=True, key=self.key).from_link(link, default or 0)


class Axes(in_link(param.Parameter)):
    """Two different coordinates, from 0, or "principal" for the two axes along which the target is widest."""

    def write(self, value: tuple[int, int] | str) -> str:
        """Return a value as a link holds it: coordinates from 1."""
        return value if isinstance(value, str) else f"{value[0] + 1}-{value[1] + 1}"

    def from_link(self, link: LinkReader, default: tuple[int, int] | str, dim: int) -> tuple[int, int] | str:
        """Return the axes a link names, of `dim` coordinates; the default, with words, when they are none."""
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
