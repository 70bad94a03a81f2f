"""Choice of the response and feature columns, by name, by number or inferred; model and classes of the response."""

from collections.abc import Collection, Container
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.arguments import shown
from sampler.streams.chunk import Chunk, python_cells
from sampler.streams.number_columns import cell_at, text_share
from sampler.streams.source_error import CATEGORIES, CLASSES, COUNTS, MODEL, SourceError

RESPONSES = ("y", "label", "target", "class", "outcome", "response")
"""Column names that suggest the response, in order of preference."""
WORDS = "text, not numbers"
"""Reason for which a text column is left out."""
HINT_CELLS = 50
"""Number of leading cells of a column searched for a decimal comma."""
MODELS = ("logistic", "linear", "poisson", "gaussian_mean")


@dataclass(frozen=True)
class Choice:
    """Columns in use.

    Attributes
    ----------
    response : str or None
        None if every column is part of the observation (model ``gaussian_mean``).
    features : tuple of str
    left_out : dict of str to str
        Reason for each column that is not in use.
    because : str
        Sentence on how the response was inferred; empty if it was chosen.
    """

    response: str | None
    features: tuple[str, ...]
    left_out: dict[str, str]
    because: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns in use, the response last."""
        return self.features if self.response is None else (*self.features, self.response)


def choose(names: tuple[str, ...], response: str | int | None, features: Any, with_response: bool = True,
           categories: Collection[str] = ()) -> Choice:
    """Choose columns by name or by number (from 1, or from the end with -1); infer a response that is None.

    The inferred response is a column named y, label, target, class, outcome or response that is not in ``features``, else
    the last column. ``categories`` are features too.

    Raises
    ------
    ValueError
        If a column is missing; the message lists the available ones.
    """
    if with_response and len(names) < 2:
        raise SourceError("", f"source must have two columns or more, a feature and a response, got {', '.join(names)}")
    if isinstance(features, str):
        features = [part.strip() for part in features.split(",")]
    requested = [] if features is None else [*features, *(name for name in categories if name not in features)]
    chosen = tuple(_find("features", feature, names) for feature in requested)
    target, because = _response(response, names, chosen) if with_response else (None, "")
    if features is None:
        chosen = tuple(name for name in names if name != target)
        for name in categories:
            if name not in chosen:
                raise SourceError("", f"categories must be features, got {name!r}", f"they are {', '.join(chosen)}")
        return Choice(target, chosen, {}, because)
    if not chosen:
        raise SourceError("", "features must name at least one column, got none", "leave it out for all columns")
    twice = [name for name in chosen if chosen.count(name) > 1]
    if twice or target in chosen:
        raise SourceError("", f"features must be different columns without the response {target!r}, got {', '.join(chosen)}")
    left = {name: "not chosen" for name in names if name not in chosen and name != target}
    return Choice(target, chosen, left, because)


def likely_response(names: tuple[str, ...]) -> str | None:
    """Return the column whose name suggests a response; the last column if several do and it is one of them; else None.

    Parameters
    ----------
    names : sequence of str
        All columns, in order.
    """
    likely = [name for word in RESPONSES for name in names if name.strip().lower() == word]
    return names[-1] if names and names[-1] in likely else likely[0] if likely else None


def _response(wanted: Any, names: tuple[str, ...], features: tuple[str, ...]) -> tuple[str, str]:
    """Return the response and, if it was inferred, a sentence on how."""
    if wanted is not None:
        return _find("response", wanted, names), ""
    likely = likely_response(tuple(name for name in names if name not in features))
    if likely is not None:
        return likely, f"{likely!r} is used as the response because of its name"
    return names[-1], f"the last column, {names[-1]!r}, is used as the response"


def without_text(choice: Choice, chunk: Chunk, decimal: str, categories: Container[str]) -> Choice:
    """Move features that hold text in most of the first rows to ``left_out``."""
    text = {name: WORDS + _decimal_hint(chunk, name, decimal) for name in choice.features
            if name not in categories and text_share(chunk.columns[name], decimal) > 0.5}
    features = tuple(name for name in choice.features if name not in text)
    if not features:
        raise SourceError("", f"features must hold numbers, but {', '.join(text)} hold text", "to encode a categorical "
                          f"column as 0/1 columns, pass categories=[{choice.features[0]!r}] (--categories on the command "
                          f"line){_decimal_hint(chunk, choice.features[0], decimal)}", CATEGORIES)
    return Choice(choice.response, features, {**choice.left_out, **text}, choice.because)


def check_not_text(choice: Choice, chunk: Chunk, decimal: str, categories: Container[str]) -> None:
    """Raise a SourceError if a feature chosen by name holds only text."""
    for name in choice.features:
        if name not in categories and text_share(chunk.columns[name], decimal) == 1:
            raise SourceError("features", f"column {name!r} holds text ({shown(cell_at(chunk.columns[name], 0))} in "
                              f"{chunk.name(0)})", f"leave it out, or pass categories=[{name!r}] (--categories on the "
                              f"command line) to encode it as 0/1 columns{_decimal_hint(chunk, name, decimal)}",
                              CATEGORIES)


def _decimal_hint(chunk: Chunk, name: str, decimal: str) -> str:
    cells = [str(cell) for cell in python_cells(chunk.columns[name][:HINT_CELLS])]
    comma = decimal == "." and any(cell.replace(",", "", 1).lstrip("-").isdigit() and "," in cell for cell in cells)
    return "; or it uses a decimal comma: pass decimal=','" if comma else ""


def _find(argument: str, wanted: Any, names: tuple[str, ...]) -> str:
    if isinstance(wanted, str) and wanted in names:
        return wanted
    if isinstance(wanted, str) and len(wanted) < 20 and wanted.lstrip("-").isdecimal():
        wanted = int(wanted)
    if isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool):
        if 1 <= wanted <= len(names):
            return names[wanted - 1]
        if -len(names) <= wanted <= -1:
            return names[wanted]
    close = [name for name in names if str(wanted).lower() == name.lower().strip()]
    hint = f"did you mean {close[0]!r}?" if close else f"the columns are {', '.join(names)}"
    raise SourceError(argument, f"there is no column {shown(wanted)}", hint)


def response_classes(response: str, model: str | None, classes: Any, values: list[Any],
                     rows: int) -> tuple[str, tuple[Any, ...] | None]:
    """Return the model of a response and, for a logistic one, the two values that mean 0 and 1.

    ``values`` are up to three distinct values of its first ``rows`` rows; empty if classes or another model were chosen.
    """
    if model is None:
        model = _inferred_model(values, response, rows) if classes is None else "logistic"
    if model != "logistic":
        return model, None
    if classes is None:
        if len(values) == 1 and values[0] in (-1.0, 0.0, 1.0):
            values = [-1.0, 1.0] if values[0] == -1.0 else [0.0, 1.0]
        if len(values) != 2:
            one = (f", or pass positive={values[0]!r} (--positive on the command line) for that value against all others"
                   if len(values) > 2 else "")
            some = f"{', '.join(map(repr, values))}, …" if one else f"only {values[0]!r}" if values else "none"
            raise SourceError("response", f"column {response!r} must have two values for logistic regression, got {some} in "
                              "its first rows", f"choose another response or another model{one}", CLASSES if one else "")
        classes = values
    if len(classes) != 2 or classes[0] == classes[1]:
        raise ValueError(f"classes must be two different values, got {classes!r}")
    return model, tuple(str(one) if any(isinstance(each, str) for each in classes) else float(one) for one in classes)


def _inferred_model(values: list[Any], response: str, rows: int) -> str:
    """Return "logistic" for a response with two values in ``rows`` rows; raise a SourceError otherwise."""
    if len(values) == 2:
        return "logistic"
    if len(values) < 2:
        values_words = f"only the value {values[0]!r}" if values else "no number"
        where = "the only row" if rows == 1 else f"its first {rows:,} rows"
        raise SourceError("", f"model cannot be inferred: the response {response!r} has {values_words} in {where}",
                          f"pass one of {', '.join(MODELS[:3])}", MODEL)
    if isinstance(values[0], str):
        raise too_many_classes(response, values)
    raise SourceError("", f"model cannot be inferred: the response {response!r} has more than two values", "pass 'linear' "
                      "or, for counts, 'poisson' (--model on the command line), or choose another response", COUNTS)


def too_many_classes(response: str, values: list[Any], where: str = "") -> SourceError:
    """Return the error for a text response with more than two values."""
    return SourceError("response", f"column {response!r}{where} holds text of three values or more "
                       f"({', '.join(values[:3])}, …), logistic regression needs two", f"pass positive={values[0]!r} "
                       "(--positive on the command line) for that value against all others", CLASSES)
