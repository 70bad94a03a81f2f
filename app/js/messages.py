"""Validation of messages from a browser against the annotations of their handlers.

A message is untrusted JSON. The types of a handler's arguments are its schema: a message that does not match is dropped
here, so that no handler needs checks of types.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any

LARGEST_WHOLE = 2**53
"""Largest integer that a browser represents exactly."""
LONGEST_TEXT = 1_000_000
"""Maximum length of a text, in characters."""


def handler_of(component: Any, message: Any) -> Callable[[], None] | None:
    """Return the bound call of a component's `on_<type>` for a message, or None if the message does not match.

    Methods of Panel whose names start with ``on_`` are not handlers.
    """
    if not isinstance(message, dict) or not isinstance(kind := message.get("type"), str):
        return None
    declared = _declared(type(component), f"on_{kind}")
    if declared is None:
        return None
    types_of, required = declared
    sent = {name: value for name, value in message.items() if name != "type"}
    if not required <= sent.keys() <= types_of.keys():
        return None
    arguments = {name: _taken(value, types_of[name]) for name, value in sent.items()}
    if any(value is _UNFIT for value in arguments.values()):
        return None
    method = getattr(component, f"on_{kind}")
    return lambda: method(**arguments)


_UNFIT = object()


@cache
def _declared(component: type, name: str) -> tuple[dict[str, Any], set[str]] | None:
    """Return the types of a handler's arguments by name and the required ones; None if `app` has no such handler."""
    owner = next((base for base in component.__mro__ if name in vars(base)), None)
    if owner is None or not owner.__module__.startswith("app."):
        return None
    method = vars(owner)[name]
    arguments = list(inspect.signature(method).parameters.values())[1:]
    hints = typing.get_type_hints(method)
    return {a.name: hints[a.name] for a in arguments}, {a.name for a in arguments if a.default is a.empty}


def _taken(value: Any, kind: Any) -> Any:
    """Return a value of the requested type, or `_UNFIT`."""
    if kind is Any:
        return value
    if isinstance(kind, types.UnionType):
        fitting = (_taken(value, one) for one in typing.get_args(kind))
        return next((taken for taken in fitting if taken is not _UNFIT), _UNFIT)
    return value if _FITS[kind](value) else _UNFIT


def is_whole(value: Any) -> bool:
    """Return whether a value is an integer that a browser represents exactly."""
    return _is_number(value) and value == int(value) and abs(value) <= LARGEST_WHOLE


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) if isinstance(value, float) else abs(value) <= LARGEST_WHOLE


def _is_text(value: Any) -> bool:
    """Return whether a value is text without lone surrogates, which cannot be encoded."""
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
