"""Parameter types of page states, each with its range, its label and its URL key.

`Knob` is a number, `Switch` a boolean, `Choice` one of several values, `Choices` a subset of several names, `Followed` a
chain, `Axes` two coordinates. A parameter with an empty `key` is not stored in links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import param

from app.state.parameters.knob_values import AxesRules, ChoiceRules, FollowedRules, KnobRules, LinkReader, SwitchRules, shown

_UNSET = param.parameterized.Undefined


def in_link(kind: type[param.Parameter]) -> type[param.Parameter]:
    """Return a parameter type with the URL parameter `key`; subclasses define the text of a value in links.

    The `__slots__` of a subclass are keyword arguments; an omitted one is inherited from the parameter of a parent class, as
    in Param, or has the value in `_slot_defaults`.
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
            """Return the text of a value in links; empty for None."""
            return "" if value is None else self.to_text(value)

        def to_text(self, value: Any) -> str:
            """Return the text of a value other than None in links."""
            return str(value)

        def from_link(self, link: LinkReader, default: Any) -> Any:
            """Return the value in a link, read by the subclass's ``from_text``; the default if there is none."""
            text = link.text(self.key)
            return self.from_text(text, link, default) if text else default

    return InLink


class Bounded:
    """Mixin of a parameter with inclusive `bounds`."""

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
        Initial value.
    low, high
        Range, both ends included.
    words
        Label of about two words.
    help
        One sentence, shown on hover.
    symbol
        HTML of the paper's symbol, may be empty.
    plain
        The symbol, or the name, in plain text, for messages.
    key
        URL parameter.
    scale
        Scale of the slider: "log", "log1p" (from zero), or "none" for a number box without a slider.
    whole
        Whether values must be integers.
    token
        Colour token of the controlled object, see `app.theme`.
    lowest
        Display name of the lowest value, such as "best"; empty: its number.
    term
        Related term of the glossary, if the label is not a term itself.
    least
        In a range from zero, the smallest allowed nonzero value.
    """

    __slots__ = ["symbol", "plain", "scale", "whole", "token", "lowest", "term", "least"]
    _slot_defaults = dict(symbol="", plain="", scale="log", whole=False, token="", lowest="", term="", least=0.0)

    def __init__(self, default: float = _UNSET, low: float = _UNSET, high: float = _UNSET, words: str = _UNSET,
                 help: str = _UNSET, **params: Any) -> None:
        bounds = _UNSET if low is _UNSET else (low, high)
        super().__init__(default=default, bounds=bounds, label=words, doc=help, **params)

    def position(self, value: float) -> float:
        """Return the position of the slider."""
        return value


class Switch(SwitchRules, in_link(param.Boolean)):
    """A boolean; `label` is its name, `doc` its effect, `term` its term in the glossary."""

    __slots__ = ["term"]
    _slot_defaults = dict(term="")

    def __init__(self, default: bool = _UNSET, label: str = _UNSET, help: str = _UNSET, **params: Any) -> None:
        super().__init__(default=default, label=label, doc=help, **params)


class Choice(ChoiceRules, in_link(param.Selector)):
    """One of several values. `tokens` are their names in links, by default the values as text."""

    __slots__ = ["tokens"]
    _slot_defaults = dict(tokens=None)

    def __init__(self, default: Any = _UNSET, objects: Sequence[Any] = _UNSET, label: str = _UNSET, help: str = _UNSET,
                 **params: Any) -> None:
        objects = objects if objects is _UNSET else list(objects)
        super().__init__(default=default, objects=objects, label=label, doc=help, **params)


class Choices(in_link(param.ClassSelector)):
    """A subset of several names, in the order of `options`."""

    __slots__ = ["options"]
    _slot_defaults = dict(options=(), class_=tuple)

    def __init__(self, default: tuple[str, ...] = _UNSET, options: Sequence[str] = _UNSET, label: str = _UNSET,
                 help: str = _UNSET, **params: Any) -> None:
        super().__init__(default, options=options, label=label, doc=help, class_=tuple, **params)

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        super()._validate_value(value, allow_None)
        unknown = [name for name in value or () if self.options and name not in self.options]
        if unknown:
            raise ValueError(f"{self.name} must be among {', '.join(self.options)}, got {unknown[0]!r}; leave it out.")

    def switched(self, value: tuple[str, ...], name: str, on: bool) -> tuple[str, ...]:
        """Return the value with one option switched on or off, in the order of the options."""
        return tuple(option for option in self.options if (option in value or option == name) and (on or option != name))

    def to_text(self, value: tuple[str, ...]) -> str:
        """Return the text of a value in links."""
        return ",".join(value)

    def from_link(self, link: LinkReader, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return the options in a link; unknown ones are ignored, with a warning."""
        text = link.text(self.key)
        if text is None:
            return tuple(default)
        named = [part.strip() for part in text.split(",") if part.strip()]
        for part in named:
            if part not in self.options:
                link.words.append(f"{self.key}: {shown(part)} is not one of {', '.join(self.options)}; left it out.")
        return tuple(option for option in self.options if option in named)


class Followed(FollowedRules, in_link(param.Integer)):
    """Index of the chain drawn with its acceptance ball, from 0, or None."""


class Axes(AxesRules, in_link(param.Parameter)):
    """Two different coordinates, from 0, or "principal" for the two widest principal axes of the target."""
