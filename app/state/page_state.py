"""`PageState`: everything a page lets the user set, as parameters; its links; its frozen copy for workers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar

import param

from app.state.parameters.knob import Knob
from app.state.parameters.knob_values import LinkReader

T = TypeVar("T")


class Frozen:
    """Base of frozen copies: immutable, compared by value. Made by `frozen_copy_of`."""

    def replace(self: T, **changes: Any) -> T:
        """Return a copy with some values changed."""
        return replace(self, **changes)


def frozen_copy_of(state: type[PageState]) -> Any:
    """Make a class the frozen copy of a state: one field a parameter, with the parameter's default.

    Workers take frozen copies, never a state. The class may add properties; it must derive from `Frozen`.
    """
    def make(record: type) -> type:
        for name in state.settable():
            setattr(record, name, state.param[name].default)
        record.__annotations__ = {name: Any for name in state.settable()}
        record = dataclass(frozen=True)(record)
        state.Record = record
        return record

    return make


class PageState(param.Parameterized):
    """Everything the user can set on one page. It knows nothing of how it is shown.

    Parameters of the state are what can be set; `base` is where "defaults" leads back to. What must always hold
    between knobs is a method with ``@param.depends("knob", watch=True)`` beside them; what one turn of a knob takes
    along, or must not do, is in `taken_along`.
    """

    base = param.Parameter(None, precedence=-1, doc="Frozen copy that holds the defaults of what is shown.")

    Record: ClassVar[type] = Frozen  #: class of the frozen copy, set by `frozen_copy_of`
    presets: ClassVar[dict[str, Preset]] = {}  #: key -> picture to try; a link starts from the first
    preset_key: ClassVar[str] = ""  #: URL parameter that names another one to start from
    looks: ClassVar[tuple[str, ...]] = ()  #: parameters that change how a picture to try is looked at

    @classmethod
    def settable(cls) -> list[str]:
        """Return the names of what can be set, in the order of their statement."""
        return [name for name in cls.param if name not in ("name", "base")]

    @classmethod
    def of(cls: type[T], record: Any, **params: Any) -> T:
        """Return a state that stands as a frozen copy does."""
        state = cls(**params)
        state.load(record)
        return state

    def load(self, record: Any) -> None:
        """Set everything from a frozen copy, in one batch of events."""
        self.param.update(**{field.name: getattr(record, field.name) for field in fields(record)})

    def frozen(self) -> Any:
        """Return a copy that never changes, for a worker."""
        return self.Record(**{name: getattr(self, name) for name in self.settable()})

    # Knobs ------------------------------------------------------------------------------------------------

    @classmethod
    def knobs(cls) -> dict[str, Knob]:
        """Return name -> knob, in the order of their statement."""
        return {name: cls.param[name] for name in cls.settable() if isinstance(cls.param[name], Knob)}

    def taken_along(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Return everything that changes when a knob is set: the knob's own value and what it takes along.

        A subclass refuses here what another knob forbids, or takes other values along. `typed` is whether the number
        was typed: a slider cannot be refused on its way.

        Raises
        ------
        ValueError
            Words for the user. Nothing has changed.
        """
        return {name: value}

    def put(self, name: str, entered: float | str) -> None:
        """Set one knob from a slider's number or from what was typed.

        Raises
        ------
        ValueError
            Words for the user: what is wrong, the allowed range, what was kept. Nothing has changed.
        """
        value = self.param[name].read(entered, getattr(self, name))
        self.param.update(**self.taken_along(name, value, isinstance(entered, str)))

    def to_defaults(self, *names: str) -> None:
        """Put knobs and switches back to their defaults; all of them when none is named."""
        self.param.update(**{name: getattr(self.base, name) for name in names or self.settable()})

    # Links ------------------------------------------------------------------------------------------------

    @classmethod
    @cache  # a page's link is written again at every look
    def linked(cls) -> MappingProxyType[str, Any]:
        """Return name -> parameter of what a link holds, in the order of their statement."""
        return MappingProxyType({name: cls.param[name] for name in cls.settable() if getattr(cls.param[name], "key", "")})

    @classmethod
    def to_query(cls, record: Any) -> dict[str, str]:
        """Return a frozen copy, or a state, as URL parameters; `from_query` gives the same back."""
        return {knob.key: knob.write(getattr(record, name)) for name, knob in cls.linked().items()}

    @classmethod
    def from_query(cls, query: dict[str, Any] | None) -> tuple[Any, list[str]]:
        """Read URL parameters; never raises.

        Returns the configuration and one sentence for each thing that was wrong and what was taken instead.
        """
        link, names = LinkReader(query), tuple(cls.presets)
        base = cls.presets[link.choice(cls.preset_key, names, names[0])].config if cls.preset_key else cls.Record()
        return cls.read_query(link, base), link.words

    @classmethod
    def preset_of(cls, config: Any) -> str:
        """Return the key of the picture to try that `config` is, however it is looked at; "" for none."""
        looks = {name: getattr(config, name) for name in cls.looks}
        return next((key for key, preset in cls.presets.items() if preset.config.replace(**looks) == config), "")

    @classmethod
    def read_query(cls, link: LinkReader, base: Any) -> Any:
        """Return `base` with what the link says; what is wrong is clamped or left out, in words."""
        return base.replace(**{name: knob.from_link(link, getattr(base, name)) for name, knob in cls.linked().items()})


class Preset(NamedTuple):
    """One button."""

    key: str
    label: str
    says: str  #: what to look at, one sentence
    config: Any
