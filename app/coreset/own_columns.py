"""`OwnColumns`: what may be chosen of a file's columns, known even where the file cannot be read as it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.coreset.models import SOURCES
from app.file_columns import class_values
from sampler.streams import likely_response, peek

MOST_COLUMNS = 60
"""Columns that a model may be made of."""


@dataclass(frozen=True, eq=False)
class OwnColumns:
    """Choices about a file for one model."""

    model_key: str = ""  #: what it was looked at for
    responses: tuple[str, ...] = ()  #: columns that may be the response
    words: dict[str, int] = field(default_factory=dict)  #: columns of words -> how many different ones; 0: too many
    classes: tuple[str, ...] = ()  #: values of the response of which one may mean 1


def columns_of(source: Any, model: str, response: str | None = None) -> OwnColumns:
    """Look at the beginning of a file; nothing may be chosen of one that cannot be read.

    Parameters
    ----------
    source
        As for `DataStream`.
    model
        Key of the model.
    response
        Column to explain; None: one called y, label, ..., or the last.
    """
    if model == "bradley_terry":  # each of its three columns has its place
        return OwnColumns(model)
    explains, two = SOURCES[model].has_response, SOURCES[model].reads == "logistic"
    try:
        found = peek(source)
        response = (response or likely_response(found.names) or found.names[-1]) if explains else None
        classes = class_values(source, found, response) if two and response is not None else ()
    except ValueError:  # said when the file is read
        return OwnColumns(model)
    may_be = [name for name in found.names if (two and found.words[name] if name in found.words else explains)]
    words = {name: len(levels) for name, levels in found.words.items() if name != response}
    return OwnColumns(model, tuple(may_be) if len(may_be) <= MOST_COLUMNS + 1 else (), words, classes)
