"""Models of the page, from generated data or the user's file, and the optimizers of a configuration."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from app.own_data.file_columns import FileColumns, left_out_words, page_words
from app.plots.looks import optimizer_look
from app.state.coreset import MODELS, RATES, CoresetConfig, RunKey
from sampler import DataStream, coreset
from sampler.streams import chunk


class ModelSource(NamedTuple):
    """Source of the data of one model."""

    generate: Callable[[int, int, int], coreset.GaussianLocation]  #: (n, dim, seed) -> model
    reads: str  #: model of the stream reader: "gaussian_mean", "linear", "logistic" or "poisson"
    requires: str  #: description of the required file contents
    cost: float  #: approximate seconds per thousand iterations at M = S = 1000
    has_response: bool = True


SOURCES: dict[str, ModelSource] = {
    "gaussian": ModelSource(
        coreset.GaussianLocation.synthetic, "gaussian_mean",
        "one row per datum with numeric columns; columns are standardised, the model has unit variance", 0.03, False),
    "sparse": ModelSource(
        coreset.SparseRegression.synthetic, "linear",
        "numeric features and a numeric response; both are centred, the model has no intercept", 0.04),
    "linear": ModelSource(coreset.LinearLogVariance.synthetic, "linear",
                          "numeric features and a numeric response", 0.07),
    "logistic": ModelSource(lambda n, dim, seed: coreset.CauchyLogistic.synthetic(n, dim, seed, min(57.0, 0.25 * n)),
                            "logistic",
                            "numeric features and a response of two classes, or of one class against the others",
                            0.2),
    "poisson": ModelSource(coreset.SoftplusPoisson.synthetic, "poisson",
                           "numeric features and a response of counts 0, 1, 2, …", 0.27),
    "bradley_terry": ModelSource(
        lambda n, dim, seed: coreset.BradleyTerry.synthetic(n, max(2, dim), seed), "linear",
        "three columns: number of the home team, number of the visitor, 1 if the home team won", 0.16),
}
"""Key of a model -> source of its data."""


MAKERS: dict[str, Callable[[float | None], object]] = {
    "hot_dog": coreset.HotDoG, "dog": coreset.DoG, "dowg": coreset.DoWG, "d_adaptation": coreset.DAdaptation,
    "prodigy": coreset.Prodigy, "adam_sqrt": coreset.Adam, "adam_const": lambda rate: coreset.Adam(rate, "constant"),
    "untrained": lambda rate: coreset.Untrained(),
}
"""Key of an optimizer -> function from its rate to the library's optimizer."""
RATE_SYMBOLS = {"reach": "r", "adam_rate": "rate", "adam_constant": "rate", "guess": "d₀"}


def rate_of(optimizer: str, config: CoresetConfig) -> float | None:
    """Return an optimizer's rate; None if it has none."""
    return getattr(config, RATES[optimizer]) if optimizer in RATES else None


def with_rate(optimizer: str, config: CoresetConfig) -> str:
    """Return an optimizer's name with its rate."""
    name, rate = optimizer_look(optimizer).name, rate_of(optimizer, config)
    return name if rate is None else f"{name}, {RATE_SYMBOLS[RATES[optimizer]]} = {rate:g}"


def plotted(key: RunKey, both: bool) -> str:
    """Return a run's key in figures: its optimizer's key, with the suffix ", cold" if runs of both kinds exist."""
    return key.optimizer if key.hot or not both else f"{key.optimizer}, cold"


@lru_cache(maxsize=8)
def generated(key: str, n: int, dim: int, seed: int) -> coreset.GaussianLocation:
    """Return a model with generated data; the most recent ones are cached."""
    return SOURCES[key].generate(n, dim, seed)


def model_of(config: CoresetConfig, own: coreset.GaussianLocation | None, report: Callable[[str, float | None], None],
             stopped: Callable[[], bool]) -> coreset.GaussianLocation | None:
    """Return the model of a configuration with its truth computed; None if `stopped()`.

    ``report(text, fraction)`` is called to publish progress.
    """
    if config.data == "file" and own is not None:
        model = own
    else:
        report(f"Generating {config.n:,} data", None)
        model = generated(config.model, config.n, config.dim, config.seed)
    if isinstance(model, coreset.GaussianLocation) or "truth" in vars(model):
        return model
    words = f"Computing the posterior of all {model.n:,} data, the reference of the scores"
    try:
        truth = model.find_truth(stop=stopped, progress=lambda part: report(words, part))
    except (ValueError, np.linalg.LinAlgError) as error:
        raise ValueError(f"the posterior of all {model.n:,} data could not be computed ({error}); rescale features and"
                         " response to about 1, and remove duplicate columns") from None
    if truth is None:
        return None
    model.truth = truth
    return model


MOST_ROWS = 200_000
MOST_COLUMNS = 60
"""Maximum number of columns of a model."""


@dataclass(frozen=True, eq=False)
class OwnColumns:
    """Choices of columns and classes of a file for one model, available even if the file is not yet valid."""

    model_key: str = ""  #: key of the model
    responses: tuple[str, ...] = ()  #: possible response columns
    words: dict[str, int] = field(default_factory=dict)  #: text columns -> number of distinct values; 0: too many
    classes: tuple[str, ...] = ()  #: values of the response that can be the positive class


def columns_of(source: Any, model: str, response: str | None = None) -> OwnColumns:
    """Return the choices of columns from the beginning of a file; there are none if it cannot be read.

    Parameters
    ----------
    source
        As for `DataStream`.
    model
        Key of the model.
    response
        Response column; None: the column called y, label, ..., or the last.
    """
    if model == "bradley_terry":  # its three columns have fixed roles
        return OwnColumns(model)
    explains, two = SOURCES[model].has_response, SOURCES[model].reads == "logistic"
    first = FileColumns(source, response)
    may_be = [name for name in first.names if (two and first.levels[name] if name in first.levels else explains)]
    words = first.words if explains else {name: len(levels) for name, levels in first.levels.items()}
    return OwnColumns(model, tuple(may_be) if len(may_be) <= MOST_COLUMNS + 1 else (), words,
                      first.classes if two else ())


@dataclass(frozen=True, eq=False)
class OwnData:
    """A file that has been read."""

    name: str  #: name of the file
    model_key: str  #: key of the model
    model: coreset.GaussianLocation  #: the model, one of the six classes
    words: tuple[str, ...]  #: notes on the treatment of rows and columns
    key: str = field(default_factory=lambda: uuid4().hex)  #: identity of the reading, the same in copies of other processes


def first_copy(own: OwnData | None, kept: dict[str, Any]) -> OwnData | None:
    """Return the copy of a file in the storage of a page's jobs, so that its posterior is computed once."""
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
        Name and content of the file.
    model
        Key of the model.
    response
        Response column; None: the column called y, label, ..., or the last.
    standardise
        Scale every feature to mean 0 and variance 1 (the Gaussian model always does).
    stopped
        Return True to end the reading.
    categories
        Text columns to encode as columns of 0 and 1.
    positive
        Value of a logistic model's response encoded as 1, all others as 0; None for a response of two values.
    columns
        Choices of columns; None: computed by `columns_of`.

    Raises
    ------
    ValueError
        If the file is invalid for the model; the message describes the remedy.
    """
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
        raise ValueError(f"{name} cannot be read for {MODELS[model].label}: {why}. It requires {source.requires}.") from None
    report = stream.report()
    words = report.words(columns=False)
    words += [f"feature {column!r} is constant: it was left out" for column in report.constant]
    words += [left_out_words(column, columns.words.get(column, 0), "switch it on") for column in report.text_columns]
    return OwnData(name, model, made, tuple(words))


def _rows(stream: DataStream, stopped: Callable[[], bool]) -> tuple[np.ndarray, np.ndarray | None]:
    if len(stream.columns) > MOST_COLUMNS:
        raise ValueError(f"it has {len(stream.columns)} numeric columns, the maximum is {MOST_COLUMNS}")
    block = chunk.Rebatch(takewhile(lambda batch: not stopped(), stream)).take(MOST_ROWS + 1)
    if block is None or len(block[0]) < 2:
        raise ValueError("fewer than two of its rows have a number in every column"
                         + "".join(f"; {words}" for words in stream.report().dropped[:1]))
    if len(block[0]) > MOST_ROWS:
        raise ValueError(f"it has more than {MOST_ROWS:,} rows; use a part of them")
    return block


def _model(key: str, features: np.ndarray, labels: np.ndarray | None, standardise: bool) -> coreset.GaussianLocation:
    if key == "bradley_terry":
        if features.shape[1] != 2:
            raise ValueError(f"it has {features.shape[1] + 1} numeric columns, not three")
        teams, numbers = np.unique(features, return_inverse=True)
        if teams.size > MOST_COLUMNS:
            raise ValueError(f"it has {teams.size} teams, the maximum is {MOST_COLUMNS}")
        numbers = numbers.reshape(features.shape)
        return coreset.BradleyTerry(numbers[:, 0], numbers[:, 1], labels)
    with np.errstate(over="ignore", invalid="ignore"):
        centred, spread = features - features.mean(axis=0), features.std(axis=0)
    if not np.isfinite(spread).all():
        raise ValueError("a column’s numbers overflow when squared; rescale it")
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
