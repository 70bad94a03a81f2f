"""`PageState`: the user settings of a page as parameters, their links, and their frozen copy for workers."""

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
    """Base class of frozen copies: immutable, compared by value. Subclasses are decorated with `frozen_copy_of`."""

    def replace(self: T, **changes: Any) -> T:
        """Return a copy with some fields changed."""
        return replace(self, **changes)


def frozen_copy_of(state: type[PageState]) -> Any:
    """Return a decorator that makes a class the frozen copy of a state: one field per parameter, with its default.

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
    """User settings of one page, independent of their display.

    Parameters of the state are the settings; `base` has their defaults. An invariant between knobs is a method with
    ``@param.depends("knob", watch=True)``; the dependent changes of a knob, and the values that it refuses, are in
    `changes_for`.
    """

    base = param.Parameter(None, precedence=-1, doc="Frozen copy with the defaults of the current settings.")

    Record: ClassVar[type] = Frozen  #: class of the frozen copy, set by `frozen_copy_of`
    presets: ClassVar[dict[str, Preset]] = {}  #: key -> preset; a link starts from the first
    preset_key: ClassVar[str] = ""  #: URL parameter that selects another preset to start from
    looks: ClassVar[tuple[str, ...]] = ()  #: parameters that change only the display of a preset

    @classmethod
    def settable(cls) -> list[str]:
        """Return the names of the settings, in the order of definition."""
        return [name for name in cls.param if name not in ("name", "base")]

    @classmethod
    def of(cls: type[T], record: Any, **params: Any) -> T:
        """Return a state with the values of a frozen copy."""
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
        """Return name -> knob, in the order of definition."""
        return {name: cls.param[name] for name in cls.settable() if isinstance(cls.param[name], Knob)}

    def changes_for(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Return all changes of setting a knob: its own value and those of dependent parameters.

        Subclasses refuse values that conflict with other knobs, or add dependent changes. `typed` is whether the number
        was typed: a slider is limited rather than refused.

        Raises
        ------
        ValueError
            If the value is refused, with a message for the user. Nothing has changed.
        """
        return {name: value}

    def put(self, name: str, entered: float | str) -> None:
        """Set one knob from a slider's number or from typed text.

        Raises
        ------
        ValueError
            If the value is refused, with a message for the user: error, range and value kept. Nothing has changed.
        """
        value = self.param[name].read(entered, getattr(self, name))
        self.param.update(**self.changes_for(name, value, isinstance(entered, str)))

    def to_defaults(self, *names: str) -> None:
        """Reset the named knobs and switches to their defaults; all of them without names."""
        self.param.update(**{name: getattr(self.base, name) for name in names or self.settable()})

    # Links ------------------------------------------------------------------------------------------------

    @classmethod
    @cache  # pages write their link often
    def linked(cls) -> MappingProxyType[str, Any]:
        """Return name -> parameter of the settings stored in links, in the order of definition."""
        return MappingProxyType({name: cls.param[name] for name in cls.settable() if getattr(cls.param[name], "key", "")})

    @classmethod
    def to_query(cls, record: Any) -> dict[str, str]:
        """Return a frozen copy, or a state, as URL parameters; `from_query` is the inverse."""
        return {knob.key: knob.write(getattr(record, name)) for name, knob in cls.linked().items()}

    @classmethod
    def from_query(cls, query: dict[str, Any] | None) -> tuple[Any, list[str]]:
        """Read URL parameters; never raises.

        Return the configuration and one warning per invalid value, with the value used instead.
        """
        link, names = LinkReader(query), tuple(cls.presets)
        base = cls.presets[link.choice(cls.preset_key, names, names[0])].config if cls.preset_key else cls.Record()
        return cls.read_query(link, base), link.words

    @classmethod
    def preset_of(cls, config: Any) -> str:
        """Return the key of the preset that equals `config` up to `looks`; "" for none."""
        looks = {name: getattr(config, name) for name in cls.looks}
        return next((key for key, preset in cls.presets.items() if preset.config.replace(**looks) == config), "")

    @classmethod
    def read_query(cls, link: LinkReader, base: Any) -> Any:
        """Return `base` updated from the link; invalid values are clamped or ignored, with a warning."""
        return base.replace(**{name: knob.from_link(link, getattr(base, name)) for name, knob in cls.linked().items()})


class Preset(NamedTuple):
    """Named configuration of a page, selected by a button."""

    key: str
    label: str
    hint: str  #: what to look at, one sentence
    config: Any
