"""What a browser may send: messages that fit what a handler's annotations say; nothing else reaches the page.

A message is anything that JSON can hold, from whoever has the page's socket. The types of a handler's arguments are its
declaration: what does not fit them is dropped here, once, so that no handler has to ask.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any

from panel.custom import JSComponent
from panel.io.state import set_curdoc
from panel.models.esm import DataEvent

from app.model_definitions import definitions_for

LARGEST_WHOLE = 2**53
"""Beyond it a browser's numbers are not exact."""
LONGEST_TEXT = 1_000_000
"""Characters of one text."""


class OneWayComponent(JSComponent):
    """A component whose parameters are set by the server alone: its script sends messages.

    Panel would take any value of any parameter from the browser.
    """

    __abstract = True

    @property
    def _linked_properties(self) -> tuple[str, ...]:
        return ()

    def _get_properties(self, doc: Any) -> dict[str, Any]:
        """Tell each document of a class that it does not know; Panel tells the first that needs it, and no other."""
        properties = super()._get_properties(doc)
        if doc is not None and "_defs" in properties:
            properties["_defs"] = definitions_for(doc, self._data_model)
        return properties

    def _process_bokeh_event(self, doc: Any, event: Any) -> None:
        """Take an event. Panel would count it among what is busy, which no page shows: that costs as much as a frame."""
        with set_curdoc(doc):
            self._process_event(event)

    def _process_event(self, event: Any) -> None:
        """Take messages; of another event, Panel would call any method whose name begins as handlers' do."""
        if isinstance(event, DataEvent):
            super()._process_event(event)


def handler_of(component: Any, message: Any) -> Callable[[], None] | None:
    """Return what a message asks of a component's `on_<type>`, ready to be called; None where it does not fit.

    Methods of Panel's own whose names begin so are no handlers.
    """
    if not isinstance(message, dict) or not isinstance(kind := message.get("type"), str):
        return None
    found = _declared(type(component), f"on_{kind}")
    if found is None:
        return None
    known, required = found
    given = {name: _taken(value, known[name]) for name, value in message.items() if name != "type" and name in known}
    if not required <= given.keys() or len(given) != len(message) - 1 or any(value is _UNFIT for value in given.values()):
        return None
    method = getattr(component, f"on_{kind}")
    return lambda: method(**given)


_UNFIT = object()


@cache
def _declared(component: type, name: str) -> tuple[dict[str, Any], set[str]] | None:
    """Types of a handler's arguments by name, and which must be given; None where the house has no such handler."""
    owner = next((base for base in component.__mro__ if name in vars(base)), None)
    if owner is None or not owner.__module__.startswith("app."):
        return None
    method = vars(owner)[name]
    arguments = list(inspect.signature(method).parameters.values())[1:]
    hints = typing.get_type_hints(method)
    return {a.name: hints[a.name] for a in arguments}, {a.name for a in arguments if a.default is a.empty}


def _taken(value: Any, kind: Any) -> Any:
    """Return a value as the type asked for, or `_UNFIT`."""
    if kind is Any:
        return value
    if isinstance(kind, types.UnionType):
        found = (_taken(value, one) for one in typing.get_args(kind))
        return next((taken for taken in found if taken is not _UNFIT), _UNFIT)
    return value if _FITS[kind](value) else _UNFIT


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number that a browser can count to."""
    return _is_number(value) and value == int(value) and abs(value) <= LARGEST_WHOLE


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) if isinstance(value, float) else abs(value) <= LARGEST_WHOLE


def _is_text(value: Any) -> bool:
    """Whether a value is a text that can be written: half of a pair of surrogates cannot."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return False
    return value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)


_FITS: dict[Any, Callable[[Any], bool]] = {
    bool: lambda value: isinstance(value, bool),
    int: is_whole,
    float: _is_number,
    str: _is_text,
    bytes: lambda value: isinstance(value, bytes | bytearray | memoryview),
    type(None): lambda value: value is None,
}
