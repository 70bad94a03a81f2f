"""Kinds of parameters that only the Tune page has: a stream, columns of a file, a cell of the sweep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import param

from app.state.parameters.knob import Switch
from app.state.parameters.url_reader import LinkReader, shown, written
from sampler.algorithms import ONLINE_ALGORITHMS
from sampler.tuning import CellKey

_UNSET = param.parameterized.Undefined


class Stream(param.String):
    """One of the named streams, "given" for what a notebook gave, or "file-<name of a kept upload>"."""

    __slots__ = ["key", "streams"]
    _slot_defaults = dict(param.String._slot_defaults, key="", streams=("",))

    def __init__(self, streams: Sequence[str] = _UNSET, *, key: str = _UNSET, **params: Any) -> None:
        self.key, self.streams = key, streams
        super().__init__(default="" if streams is _UNSET else streams[0], **params)

    def write(self, value: str) -> str:
        """Return a value as a link holds it."""
        return value

    def from_link(self, link: LinkReader, default: str) -> str:
        """Return the stream a link names."""
        text = link.text(self.key)
        if not text or text in self.streams or text == "given" or text.startswith("file-"):
            return text or default
        link.words.append(f"{self.key} = {shown(text)} is none of the streams there are; took {default}.")
        return default


class ColumnNames(param.Parameter):
    """Names of columns, or None for what the data say; `many` tells a tuple from a single name."""

    __slots__ = ["key", "many"]
    _slot_defaults = dict(param.Parameter._slot_defaults, key="", many=False)

    def __init__(self, default: Any = None, *, key: str = "", many: bool = False, **params: Any) -> None:
        self.key, self.many = key, many
        super().__init__(default=default, **params)

    def write(self, value: Any) -> str:
        """Return a value as a link holds it."""
        if not self.many:
            return value or ""
        text = "|".join(value or ())
        return text if text == text.strip() else f"|{text}|"  # a link's outer spaces are none of a name's

    def from_link(self, link: LinkReader, default: Any) -> Any:
        """Return the columns a link names."""
        text = link.text(self.key)
        if not text:
            return default
        return tuple(name for name in text.split("|") if name) or None if self.many else text


class MaybeSwitch(Switch):
    """On, off, or None for what the data ask for."""

    def __init__(self, *words: Any, **params: Any) -> None:
        super().__init__(None, *words, allow_None=True, **params)

    def write(self, value: bool | None) -> str:
        """Return a value as a link holds it."""
        return "" if value is None else super().write(value)

    def from_link(self, link: LinkReader, default: bool | None) -> bool | None:
        """Return the value in a link."""
        return link.switch(self.key, False, self.label.lower()) if link.text(self.key) else default


class ChosenCell(param.Tuple):
    """Key of a cell, or None for the best; a link leaves out the plain algorithm."""

    __slots__ = ["key"]
    _slot_defaults = dict(param.Tuple._slot_defaults, key="")

    def __init__(self, default: CellKey | None = None, *, key: str = "", **params: Any) -> None:
        self.key = key
        super().__init__(default=default, length=4, allow_None=True, **params)

    def _validate_length(self, value: Any, length: int) -> None:
        if value is not None and not isinstance(value, CellKey):
            raise ValueError(f"{self.name} must be a CellKey(eta0, i_max, batch_size, algorithm), not {value!r}; choose one "
                             "of the map's")

    def write(self, value: CellKey | None) -> str:
        """Return a value as a link holds it."""
        return "" if value is None else ",".join([*map(written, value[:3]), value.algorithm]).removesuffix(",saga-ld")

    def from_link(self, link: LinkReader, default: CellKey | None) -> CellKey | None:
        """Return the cell a link names."""
        text = link.text(self.key)
        if not text:
            return default
        try:
            *numbers, algorithm = text.split(",") if text.count(",") == 3 else [*text.split(","), "saga-ld"]
            eta0, length, batch = map(float, numbers)
            whole = length.is_integer() and batch.is_integer()
            if algorithm not in ONLINE_ALGORITHMS or not (0 < eta0 < math.inf and whole and min(length, batch) >= 1):
                raise ValueError
            return CellKey(eta0, int(length), int(batch), algorithm)
        except (ValueError, OverflowError):
            link.words.append(f"{self.key} = {shown(text)} must be eta0,i_max,b or eta0,i_max,b,algorithm; took the best "
                              "cell.")
            return default
