"""Parameters of the Live page's view: which chain is followed, and which coordinates are plotted."""

from __future__ import annotations

from typing import Any

import param

from app.state.parameters.knob import Knob
from app.state.parameters.url_reader import LinkReader, shown


class Followed(param.Integer):
    """Number of the chain shown with its acceptance ball, from 0, or None for nobody."""

    __slots__ = ["key"]
    _slot_defaults = dict(param.Integer._slot_defaults, key="")

    def __init__(self, default: int | None = 0, *, key: str = "", **params: Any) -> None:
        self.key = key
        super().__init__(default=default, allow_None=True, **params)

    def write(self, value: int | None) -> str:
        """Return a value as a link holds it."""
        return "none" if value is None else str(value)

    def from_link(self, link: LinkReader, default: int | None, chains: int) -> int | None:
        """Return the chain a link names, clamped to the chains there are."""
        text = link.text(self.key)
        if text is None:
            return default
        if text.lower() == "none":
            return None
        return link.number(self.key, Knob(0, 0, chains - 1, plain="chain to follow", whole=True), default or 0)


class Axes(param.Parameter):
    """Two different coordinates, from 0, or "principal" for the two axes along which the target is widest."""

    __slots__ = ["key"]
    _slot_defaults = dict(param.Parameter._slot_defaults, key="")

    def __init__(self, default: tuple[int, int] | str = (0, 1), *, key: str = "", **params: Any) -> None:
        self.key = key
        super().__init__(default=default, **params)

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
