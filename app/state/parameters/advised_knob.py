"""Parameter types with None for the value inferred from the data or advised; None is not stored in links.

`AdvisedKnob` is a number, `KnobRange` its smallest and largest value in a sweep, `KnobValues` several integers. The
others are for the Tune page: `Stream`, `ColumnNames` and `MaybeSwitch` for its data, `ChosenCell` for its sweep.
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
    """Mixin of a parameter type that may be None; `usual` replaces an invalid value in a link."""

    __slots__ = ()

    def write(self, value: Any) -> str:
        """Return the text of a value in links; empty for None."""
        return "" if value is None else super().write(value)

    def from_link(self, link: LinkReader, default: Any) -> Any:
        """Return the value in a link, corrected with a warning; the default if there is none."""
        return super().from_link(link, self.usual) if link.text(self.key) else default


class AdvisedKnob(Advised, Knob):
    """A number, or None for the advised one.

    Parameters
    ----------
    usual
        Position of a slider before the advice is available, and replacement for a link's value that is not a number.
    **knob
        Arguments of `Knob`, without the default.
    """

    __slots__ = ["usual"]
    _slot_defaults = dict(usual=None)

    def __init__(self, usual: float = _UNSET, *knob: Any, default: float | None = None, **params: Any) -> None:
        super().__init__(default, *knob, usual=usual, allow_None=True, **params)

    def position(self, value: float | None) -> float:
        """Return the position of the slider."""
        return self.usual if value is None else value

    def format_value(self, value: float | None) -> str:
        """Return the displayed text of a value."""
        return "the advised value" if value is None else super().format_value(value)


class KnobRange(in_link(param.Range), KnobRules, Bounded):
    """The smallest and the largest value of a knob, both within `bounds`, or None for the advised range.

    Parameters
    ----------
    low, high
        Inclusive bounds of both ends.
    words, help, symbol, plain, key, whole
        As for `Knob`.
    """

    __slots__ = ["symbol", "plain", "whole"]
    _slot_defaults = dict(symbol="", plain="", whole=False)
    lowest, least = "", 0.0

    def __init__(self, low: float, high: float, words: str, help: str, **params: Any) -> None:
        super().__init__(None, bounds=(low, high), label=words, doc=help, **params)

    def format_value(self, pair: tuple[float, float] | None) -> str:
        """Return the displayed text of a range."""
        return "the advised range" if pair is None else f"{pair[0]:g} to {pair[1]:g}"

    def read(self, low: object, high: object, present: tuple[float, float] | None) -> tuple[float, float]:
        """Return the range of two ends from a slider or typed text, which may be fractions such as 1/30.

        Raises
        ------
        ValueError
            If an end is not allowed, with a message for the user: the error, the range and the value kept.
        """
        smallest, largest = (super(KnobRange, self).read(_fraction(end), present) for end in (low, high))
        if smallest > largest:
            raise ValueError(f"The smallest {self.plain} must not be above the largest. Kept {self.format_value(present)}.")
        return smallest, largest

    def to_text(self, pair: tuple[float, float]) -> str:
        """Return the text of a range in links."""
        return ",".join(map(written, pair))

    def from_text(self, text: str, link: LinkReader, default: Any) -> tuple[float, float] | None:
        """Return the range in a link, clamped with a warning; None, with a warning, if the text is invalid."""
        try:
            first, last = (float(part) for part in text.split(","))
            if not 0 < first <= last < float("inf"):
                raise ValueError
        except ValueError:
            link.words.append(f"{self.key} = {shown(text)} must be smallest,largest; took the advised range.")
            return None
        pair = tuple(self.clamped(int(value) if self.whole else value) for value in (first, last))
        if pair != (first, last):
            link.words.append(f"{self.key} = {shown(text)} must be from {self.low:g} to {self.high:g}; took"
                              f" {self.format_value(pair)}.")
        return pair


class KnobValues(in_link(param.ClassSelector)):
    """Several integers in ascending order, or None for the advised one.

    Parameters
    ----------
    low, high
        Inclusive bounds of each.
    most
        Maximum number of values.
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
                raise ValueError(f"{self.plain} must be a whole number from {self.low:,} to {self.high:,}, got {one}.")

    def added(self, values: tuple[int, ...] | None, one: int) -> tuple[int, ...]:
        """Return the values with one more; raise ValueError, with a message for the user, if there are `most` already."""
        if len(values or ()) >= self.most:
            raise ValueError(f"At most {self.most} values of {self.plain}: remove one first.")
        return tuple(sorted({*(values or ()), int(one)}))

    def to_text(self, values: tuple[int, ...]) -> str:
        """Return the text of values in links."""
        return ",".join(map(str, values))

    def from_text(self, text: str, link: LinkReader, default: Any) -> tuple[int, ...] | None:
        """Return the values in a link; those out of bounds are ignored, with a warning."""
        parts = [part.strip() for part in text.split(",")]
        good = sorted({int(part) for part in parts
                       if part.isascii() and part.isdigit() and len(part) < 10 and self.low <= int(part) <= self.high})
        if len(good) != len(set(parts)):
            link.words.append(f"{self.key} = {shown(text)} must be whole numbers from {self.low:g} to {self.high:g}; "
                              + (f"took {', '.join(map(str, good))}." if good else "took the advised one."))
        return tuple(good[:self.most]) or None


def _fraction(entered: object) -> object:
    """Return the value of a fraction such as 1/30; other input unchanged."""
    first, _, last = str(entered).partition("/")
    top, bottom = read_number(first), read_number(last)
    return entered if top is None or not bottom else top / bottom


class Stream(in_link(param.String)):
    """One of the named streams, "given" for data from a notebook, or "file-<name of a stored upload>"."""

    __slots__ = ["streams"]
    _slot_defaults = dict(streams=("",))

    def __init__(self, streams: Sequence[str], **params: Any) -> None:
        super().__init__(streams[0], streams=streams, **params)

    def from_text(self, text: str, link: LinkReader, default: str) -> str:
        """Return the stream in a link; the default, with a warning, if it is unknown."""
        if text in self.streams or text == "given" or text.startswith("file-"):
            return text
        link.words.append(f"{self.key} = {shown(text)} is not one of the streams; took {default}.")
        return default


class ColumnNames(in_link(param.Parameter)):
    """Names of columns, or None to infer them from the data; a tuple if `many`, else a single name."""

    __slots__ = ["many"]
    _slot_defaults = dict(many=False)

    def write(self, value: Any) -> str:
        """Return the text of a value in links."""
        if not self.many:
            return value or ""
        text = "|".join(value or ())
        return text if text == text.strip() else f"|{text}|"  # outer spaces of a link's text are stripped

    def from_text(self, text: str, link: LinkReader, default: Any) -> Any:
        """Return the columns in a link."""
        return tuple(name for name in text.split("|") if name) or None if self.many else text


class MaybeSwitch(Advised, Switch):
    """On, off, or None to infer the value from the data."""

    usual = False

    def __init__(self, *words: Any, **params: Any) -> None:
        super().__init__(None, *words, allow_None=True, **params)


class ChosenCell(in_link(param.Parameter)):
    """Key of a cell, or None for the best; links omit the plain algorithm."""

    def _validate(self, value: Any) -> None:
        if value is not None and not isinstance(value, CellKey):
            raise ValueError(f"{self.name} must be a CellKey(eta0, i_max, batch_size, algorithm), got {value!r}; choose one "
                             "from the map")

    def to_text(self, value: CellKey) -> str:
        """Return the text of a value in links."""
        return ",".join([*map(written, value[:3]), value.algorithm]).removesuffix(",saga-ld")

    def from_text(self, text: str, link: LinkReader, default: CellKey | None) -> CellKey | None:
        """Return the cell in a link; the default, with a warning, if the text is invalid."""
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
