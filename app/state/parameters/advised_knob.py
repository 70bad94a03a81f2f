"""Kinds of parameters that may be left to the data and the advisor: None means "as advised", a link then holds nothing.

`AdvisedKnob` is a number, `KnobRange` its smallest and largest value in a sweep, `KnobValues` some whole numbers. Only the
Tune page has the others: `Stream`, `ColumnNames` and `MaybeSwitch` of its data, `ChosenCell` of its sweep.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import param

from app.state.parameters.knob import Bounded, Knob, Switch, in_link
from app.state.parameters.knob_values import KnobRules, LinkReader, read_number, shown, written
from sampler.algorithms import ONLINE_ALGORITHMS
from sampler.tuning import CellKey

_UNSET = param.parameterized.Undefined


class Advised:
    """Of a kind of parameter that may be None; `usual` is taken where a link's value makes no sense."""

    __slots__ = ()

    def write(self, value: Any) -> str:
        """Return a value as a link holds it."""
        return "" if value is None else super().write(value)

    def from_link(self, link: LinkReader, default: Any) -> Any:
        """Return the value in a link, put right with words; the default when the link has none."""
        return super().from_link(link, self.usual) if link.text(self.key) else default


class AdvisedKnob(Advised, Knob):
    """A number, or None for the advised one.

    Parameters
    ----------
    usual
        Where a slider stands before the advice is there, and what is taken where a link's value is no number.
    **knob
        As `Knob` takes them, without the default.
    """

    __slots__ = ["usual"]
    _slot_defaults = dict(usual=None)

    def __init__(self, usual: float = _UNSET, *knob: Any, default: float | None = None, **params: Any) -> None:
        super().__init__(default, *knob, usual=usual, allow_None=True, **params)

    def position(self, value: float | None) -> float:
        """Return where a slider stands."""
        return self.usual if value is None else value

    def say(self, value: float | None) -> str:
        """Return a value as the page writes it."""
        return "what is advised" if value is None else super().say(value)


class KnobRange(in_link(param.Range), KnobRules, Bounded):
    """The smallest and the largest value of a knob, or None for the advised range; both ends lie within `bounds`.

    Parameters
    ----------
    low, high
        Bounds of both ends, allowed.
    words, help, symbol, plain, key, whole
        As for `Knob`.
    """

    __slots__ = ["symbol", "plain", "whole"]
    _slot_defaults = dict(symbol="", plain="", whole=False)
    lowest, least = "", 0.0

    def __init__(self, low: float, high: float, words: str, help: str, **params: Any) -> None:
        super().__init__(None, bounds=(low, high), label=words, doc=help, **params)

    def say(self, pair: tuple[float, float] | None) -> str:
        """Return a range as the page writes it."""
        return "what is advised" if pair is None else f"{pair[0]:g} to {pair[1]:g}"

    def read(self, low: object, high: object, present: tuple[float, float] | None) -> tuple[float, float]:
        """Return the range of two ends that were slid or typed; fractions such as 1/30 are numbers too.

        Raises
        ------
        ValueError
            Words for the user: what is wrong, the allowed range, what was kept.
        """
        smallest, largest = (super(KnobRange, self).read(_fraction(end), present) for end in (low, high))
        if smallest > largest:
            raise ValueError(f"The smallest {self.plain} must not be above the largest. Kept {self.say(present)}.")
        return smallest, largest

    def to_text(self, pair: tuple[float, float]) -> str:
        """Return a range as a link holds it."""
        return ",".join(map(written, pair))

    def from_text(self, text: str, link: LinkReader, default: Any) -> tuple[float, float] | None:
        """Return the range in a link, clamped with words; None for nonsense."""
        try:
            first, last = (float(part) for part in text.split(","))
            if not 0 < first <= last < float("inf"):
                raise ValueError
        except ValueError:
            link.words.append(f"{self.key} = {shown(text)} must be smallest,largest; took what the advisor says.")
            return None
        pair = tuple(self.clamped(int(value) if self.whole else value) for value in (first, last))
        if pair != (first, last):
            link.words.append(f"{self.key} = {shown(text)} must lie from {self.low:g} to {self.high:g}; took"
                              f" {self.say(pair)}.")
        return pair


class KnobValues(in_link(param.ClassSelector)):
    """Some whole numbers, rising, or None for the advised one.

    Parameters
    ----------
    low, high
        Bounds of each.
    most
        How many there may be.
    words, help, plain, key
        As for `Knob`.
    """

    __slots__ = ["low", "high", "most", "plain"]
    _slot_defaults = dict(low=1, high=1, most=1, plain="")

    def __init__(self, low: int, high: int, words: str, help: str, **params: Any) -> None:
        super().__init__(None, low=low, high=high, label=words, doc=help, class_=tuple, **params)

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        super()._validate_value(value, allow_None)
        for one in value or ():
            if not self.low <= one <= self.high:
                raise ValueError(f"{self.plain} must be a whole number from {self.low:,} to {self.high:,}, not {one}.")

    def added(self, values: tuple[int, ...] | None, one: int) -> tuple[int, ...]:
        """Return the values with one more; ValueError in words when it is one too many."""
        if len(values or ()) >= self.most:
            raise ValueError(f"{self.most} values of {self.plain} at most: leave one out first.")
        return tuple(sorted({*(values or ()), int(one)}))

    def to_text(self, values: tuple[int, ...]) -> str:
        """Return values as a link holds them."""
        return ",".join(map(str, values))

    def from_text(self, text: str, link: LinkReader, default: Any) -> tuple[int, ...] | None:
        """Return the values in a link; those out of bounds are left out, in words."""
        parts = [part.strip() for part in text.split(",")]
        good = sorted({int(part) for part in parts
                       if part.isascii() and part.isdigit() and len(part) < 10 and self.low <= int(part) <= self.high})
        if len(good) != len(set(parts)):
            link.words.append(f"{self.key} = {shown(text)} must be whole numbers from {self.low:g} to {self.high:g}; "
                              + (f"took {', '.join(map(str, good))}." if good else "took the advised one."))
        return tuple(good[:self.most]) or None


def _fraction(entered: object) -> object:
    """Return the number of a fraction such as 1/30; what is none as it is."""
    first, _, last = str(entered).partition("/")
    top, bottom = read_number(first), read_number(last)
    return entered if top is None or not bottom else top / bottom


class Stream(in_link(param.String)):
    """One of the named streams, "given" for what a notebook gave, or "file-<name of a kept upload>"."""

    __slots__ = ["streams"]
    _slot_defaults = dict(streams=("",))

    def __init__(self, streams: Sequence[str], **params: Any) -> None:
        super().__init__(streams[0], streams=streams, **params)

    def from_text(self, text: str, link: LinkReader, default: str) -> str:
        """Return the stream a link names."""
        if text in self.streams or text == "given" or text.startswith("file-"):
            return text
        link.words.append(f"{self.key} = {shown(text)} is none of the streams there are; took {default}.")
        return default


class ColumnNames(in_link(param.Parameter)):
    """Names of columns, or None for what the data say; `many` tells a tuple from a single name."""

    __slots__ = ["many"]
    _slot_defaults = dict(many=False)

    def write(self, value: Any) -> str:
        """Return a value as a link holds it."""
        if not self.many:
            return value or ""
        text = "|".join(value or ())
        return text if text == text.strip() else f"|{text}|"  # a link's outer spaces are none of a name's

    def from_text(self, text: str, link: LinkReader, default: Any) -> Any:
        """Return the columns a link names."""
        return tuple(name for name in text.split("|") if name) or None if self.many else text


class MaybeSwitch(Advised, Switch):
    """On, off, or None for what the data ask for."""

    usual = False

    def __init__(self, *words: Any, **params: Any) -> None:
        super().__init__(None, *words, allow_None=True, **params)


class ChosenCell(in_link(param.Parameter)):
    """Key of a cell, or None for the best; a link leaves out the plain algorithm."""

    def _validate(self, value: Any) -> None:
        if value is not None and not isinstance(value, CellKey):
            raise ValueError(f"{self.name} must be a CellKey(eta0, i_max, batch_size, algorithm), not {value!r}; choose one "
                             "of the map's")

    def to_text(self, value: CellKey) -> str:
        """Return a value as a link holds it."""
        return ",".join([*map(written, value[:3]), value.algorithm]).removesuffix(",saga-ld")

    def from_text(self, text: str, link: LinkReader, default: CellKey | None) -> CellKey | None:
        """Return the cell a link names."""
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
