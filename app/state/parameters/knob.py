"""The kinds of parameters a page's state is made of: each knows its range, its words and its URL key.

`Knob` is a number, `Switch` is on or off, `Choice` is one of several, `Choices` are some of several, `Followed` is a chain,
`Axes` are two coordinates. A parameter with an empty `key` stays out of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import param

from app.state.parameters.knob_values import AxesRules, ChoiceRules, FollowedRules, KnobRules, LinkReader, SwitchRules, shown

_UNSET = param.parameterized.Undefined


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
            """Return a value as a link holds it: nothing of None."""
            return "" if value is None else self.to_text(value)

        def to_text(self, value: Any) -> str:
            """Return a value that is not None as a link holds it."""
            return str(value)

        def from_link(self, link: LinkReader, default: Any) -> Any:
            """Return the value in a link, of a subclass's ``from_text``; the default when the link has none."""
            text = link.text(self.key)
            return self.from_text(text, link, default) if text else default

    return InLink


class Bounded:
    """Of a parameter with `bounds`, both of them allowed."""

    __slots__ = ()

    @property
    def low(self) -> float:
        """Lowest value."""
        return self.bounds[0]

    @property
    def high(self) -> float:
        """Highest value."""
        return self.bounds[1]


class Knob(KnobRules, Bounded, in_link(param.Number)):
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

    def position(self, value: float) -> float:
        """Return where a slider stands."""
        return value


class Switch(SwitchRules, in_link(param.Boolean)):
    """Something that is on or off; `label` is what it is called, `doc` what it does, `term` its name in the glossary."""

    __slots__ = ["term"]
    _slot_defaults = dict(term="")

    def __init__(self, default: bool = _UNSET, label: str = _UNSET, help: str = _UNSET, **params: Any) -> None:
        super().__init__(default=default, label=label, doc=help, **params)


class Choice(ChoiceRules, in_link(param.Selector)):
    """One of several values. `tokens` are what a link calls them; by default the values as text."""

    __slots__ = ["tokens"]
    _slot_defaults = dict(tokens=None)

    def __init__(self, default: Any = _UNSET, objects: Sequence[Any] = _UNSET, label: str = _UNSET, help: str = _UNSET,
                 **params: Any) -> None:
        objects = objects if objects is _UNSET else list(objects)
        super().__init__(default=default, objects=objects, label=label, doc=help, **params)


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

    def to_text(self, value: tuple[str, ...]) -> str:
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


class Followed(FollowedRules, in_link(param.Integer)):
    """Number of the chain shown with its acceptance ball, from 0, or None for nobody."""


class Axes(AxesRules, in_link(param.Parameter)):
    """Two different coordinates, from 0, or "principal" for the two axes along which the target is widest."""
