"""A file of the user's made a model: read by the library's readers, answered in words where it cannot be."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np

from app.coreset.models import SOURCES
from app.own_data.columns import FileColumns, left_out_words, page_words
from app.state.coreset import MODELS
from sampler import DataStream, coreset
from sampler.streams import LARGEST_UPLOAD

MOST_ROWS = 200_000
MOST_COLUMNS = 60
"""Columns that a model may be made of."""


@dataclass(frozen=True, eq=False)
class OwnColumns:
    """What may be chosen of a file for one model, even where it cannot be read as it is."""

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
        first = FileColumns(source, response)
        classes = first.classes if two else ()
    except ValueError:  # said when the file is read
        return OwnColumns(model)
    may_be = [name for name in first.names if (two and first.levels[name] if name in first.levels else explains)]
    words = first.words if explains else {name: len(levels) for name, levels in first.levels.items()}
    return OwnColumns(model, tuple(may_be) if len(may_be) <= MOST_COLUMNS + 1 else (), words, classes)


@dataclass(frozen=True, eq=False)
class OwnData:
    """A file that was read."""

    name: str  #: of the file
    model_key: str  #: what it was read for
    model: coreset.GaussianLocation  #: or another of the six
    words: tuple[str, ...]  #: what became of its rows and columns
    key: str = field(default_factory=lambda: uuid4().hex)  #: of the reading; copies in other processes have the same


def first_copy(own: OwnData | None, kept: dict[str, Any]) -> OwnData | None:
    """Return the copy of a file that a page's jobs have kept: the posterior of its data is computed once."""
    last = kept.get("own")
    if own is not None and (last is None or last.key != own.key):
        kept["own"] = last = own
    return None if own is None else last


def read(name: str, data: bytes, model: str, response: str | None = None, standardise: bool = True,
         stopped: Callable[[], bool] = lambda: False, *, categories: Collection[str] = (), positive: str | None = None,
         columns: OwnColumns | None = None) -> OwnData:
    """Return a file as a model.

    Parameters
    ----------
    name, data
        Of the file.
    model
        Key of the model to read it for.
    response
        Column to explain; None takes one called y, label, ..., or the last.
    standardise
        Bring every feature to mean 0 and variance 1 (the Gaussian model always does).
    stopped
        True ends the reading.
    categories
        Columns of words to have as columns of 0 and 1.
    positive
        Value of a logistic model's response that means 1, where all others mean 0; None: it has two.
    columns
        What is known of the columns; None: they are looked at.

    Raises
    ------
    ValueError
        In words: what is wrong with the file, and what to do.
    """
    if len(data) > LARGEST_UPLOAD:
        raise ValueError(f"{name} has {len(data) / 1e6:,.0f} MB, more than {LARGEST_UPLOAD / 1e6:,.0f}; cut it down")
    source = SOURCES[model]
    columns = columns or columns_of((name, data), model, response)
    try:
        stream = DataStream((name, data), response=response if source.has_response else None, model=source.reads,
                            intercept=False, categories=[column for column in categories if column in columns.words] or None,
                            positive=positive if source.reads == "logistic" else None)
        features, labels = _rows(stream, stopped)
        made = _model(model, features, labels, standardise)
    except ValueError as wrong:
        why = page_words(wrong, columns.classes)
        raise ValueError(f"{name} cannot be read for {MODELS[model].label}: {why}. It wants {source.wants}.") from None
    report = stream.report()
    words = report.words(columns=False)
    words += [f"feature {column!r} never varies: it was left out" for column in report.constant]
    words += [left_out_words(column, columns.words.get(column, 0), "switch it on") for column in report.text_columns]
    return OwnData(name, model, made, tuple(words))


def _rows(stream: DataStream, stopped: Callable[[], bool]) -> tuple[np.ndarray, np.ndarray | None]:
    if len(stream.columns) > MOST_COLUMNS:
        raise ValueError(f"it has {len(stream.columns)} columns of numbers, this page takes {MOST_COLUMNS}")
    features, labels = [], []
    for rows, response in stream:
        features.append(rows)
        labels.append(response)
        if stopped():
            raise ValueError("the reading was stopped")
        if sum(map(len, features)) > MOST_ROWS:
            raise ValueError(f"it has more than {MOST_ROWS:,} rows; take a part of them")
    if not features or sum(map(len, features)) < 2:
        raise ValueError("fewer than two of its rows hold a number in every column"
                         + "".join(f"; {words}" for words in stream.report().dropped[:1]))
    return np.concatenate(features), None if labels[0] is None else np.concatenate(labels)


def _model(key: str, features: np.ndarray, labels: np.ndarray | None, standardise: bool) -> coreset.GaussianLocation:
    if key == "bradley_terry":
        if features.shape[1] != 2:
            raise ValueError(f"it has {features.shape[1] + 1} columns of numbers, not three")
        teams, numbers = np.unique(features, return_inverse=True)
        if teams.size > MOST_COLUMNS:
            raise ValueError(f"it names {teams.size} teams, this page takes {MOST_COLUMNS}")
        numbers = numbers.reshape(features.shape)
        return coreset.BradleyTerry(numbers[:, 0], numbers[:, 1], labels)
    with np.errstate(over="ignore", invalid="ignore"):
        centred, spread = features - features.mean(axis=0), features.std(axis=0)
    if not np.isfinite(spread).all():
        raise ValueError("a column’s numbers are too large to be squared; rescale it")
    varies = spread > 0
    if not varies.any():
        raise ValueError("no feature varies")
    features, centred = features[:, varies], centred[:, varies]
    scaled = centred / spread[varies]
    if key == "gaussian":
        return coreset.GaussianLocation(scaled)
    if key == "sparse":
        return coreset.SparseRegression(scaled if standardise else centred, labels - labels.mean())
    build = {"linear": coreset.LinearLogVariance, "logistic": coreset.CauchyLogistic,
             "poisson": coreset.SoftplusPoisson}[key]
    return build(scaled if standardise else features, labels)
