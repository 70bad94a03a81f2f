"""Models and optimizers of the page: data that are generated or a file of the user's, and a configuration's optimizer."""

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
    """Where the data of one model come from."""

    generate: Callable[[int, int, int], coreset.GaussianLocation]  #: (n, dim, seed) -> model
    reads: str  #: model of the stream reader: "gaussian_mean", "linear", "logistic" or "poisson"
    wants: str  #: what a file must hold, in words
    cost: float  #: seconds of a thousand iterations at M = S = 1000, roughly
    has_response: bool = True


SOURCES: dict[str, ModelSource] = {
    "gaussian": ModelSource(
        coreset.GaussianLocation.synthetic, "gaussian_mean",
        "one row a datum, every column a number; columns are standardised, the model has unit variance", 0.03, False),
    "sparse": ModelSource(
        coreset.SparseRegression.synthetic, "linear",
        "features and a response that are numbers; both are centred, the model has no intercept", 0.04),
    "linear": ModelSource(coreset.LinearLogVariance.synthetic, "linear",
                          "features and a response that are numbers", 0.07),
    "logistic": ModelSource(lambda n, dim, seed: coreset.CauchyLogistic.synthetic(n, dim, seed, min(57.0, 0.25 * n)),
                            "logistic",
                            "features that are numbers and a response of two values, or of one set against the others",
                            0.2),
    "poisson": ModelSource(coreset.SoftplusPoisson.synthetic, "poisson",
                           "features that are numbers and a response of counts 0, 1, 2, …", 0.27),
    "bradley_terry": ModelSource(
        lambda n, dim, seed: coreset.BradleyTerry.synthetic(n, max(2, dim), seed), "linear",
        "three columns: number of the home team, number of the visitor, 1 where the home team won", 0.16),
}
"""Key -> where its data come from."""


MAKERS: dict[str, Callable[[float | None], object]] = {
    "hot_dog": coreset.HotDoG, "dog": coreset.DoG, "dowg": coreset.DoWG, "d_adaptation": coreset.DAdaptation,
    "prodigy": coreset.Prodigy, "adam_sqrt": coreset.Adam, "adam_const": lambda rate: coreset.Adam(rate, "constant"),
    "untrained": lambda rate: coreset.Untrained(),
}
"""Key -> maker of the library's optimizer, from its rate."""
RATE_SYMBOLS = {"reach": "r", "adam_rate": "rate", "adam_constant": "rate", "guess": "d₀"}


def rate_of(optimizer: str, config: CoresetConfig) -> float | None:
    """Return the rate an optimizer runs at; None for one without."""
    return getattr(config, RATES[optimizer]) if optimizer in RATES else None


def with_rate(optimizer: str, config: CoresetConfig) -> str:
    """Return an optimizer's name with the rate it runs at."""
    name, rate = optimizer_look(optimizer).name, rate_of(optimizer, config)
    return name if rate is None else f"{name}, {RATE_SYMBOLS[RATES[optimizer]]} = {rate:g}"


def plotted(key: RunKey, both: bool) -> str:
    """Return what figures call a run: its optimizer's key, with ", cold" after it where both kinds are run."""
    return key.optimizer if key.hot or not both else f"{key.optimizer}, cold"


@lru_cache(maxsize=8)
def generated(key: str, n: int, dim: int, seed: int) -> coreset.GaussianLocation:
    """Return a model with made-up data; a process keeps the latest."""
    return SOURCES[key].generate(n, dim, seed)


def model_of(config: CoresetConfig, own: coreset.GaussianLocation | None, say: Callable[[str, float | None], None],
             stopped: Callable[[], bool]) -> coreset.GaussianLocation | None:
    """Return the model of a configuration, its truth known; None when `stopped()`.

    ``say(words, fraction)`` is called while it works.
    """
    if config.data == "file" and own is not None:
        model = own
    else:
        say(f"Drawing {config.n:,} data", None)
        model = generated(config.model, config.n, config.dim, config.seed)
    if isinstance(model, coreset.GaussianLocation) or "truth" in vars(model):
        return model
    words = f"Finding the posterior of all {model.n:,} data, to score draws against"
    try:
        truth = model.find_truth(stop=stopped, progress=lambda part: say(words, part))
    except (ValueError, np.linalg.LinAlgError) as error:
        raise ValueError(f"the posterior of all {model.n:,} data could not be found ({error}); bring features and"
                         " response to a scale of about 1, and leave out columns that repeat others") from None
    if truth is None:
        return None
    model.truth = truth
    return model


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
    first = FileColumns(source, response)
    may_be = [name for name in first.names if (two and first.levels[name] if name in first.levels else explains)]
    words = first.words if explains else {name: len(levels) for name, levels in first.levels.items()}
    return OwnColumns(model, tuple(may_be) if len(may_be) <= MOST_COLUMNS + 1 else (), words,
                      first.classes if two else ())


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
        True ends the reading: nobody wants the rest of it.
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
    block = chunk.Rebatch(takewhile(lambda batch: not stopped(), stream)).take(MOST_ROWS + 1)
    if block is None or len(block[0]) < 2:
        raise ValueError("fewer than two of its rows hold a number in every column"
                         + "".join(f"; {words}" for words in stream.report().dropped[:1]))
    if len(block[0]) > MOST_ROWS:
        raise ValueError(f"it has more than {MOST_ROWS:,} rows; take a part of them")
    return block


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
