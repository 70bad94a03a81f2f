"""`FilePlan`: model, columns and scaling of a file; `preview`: its first rows and sentences on their processing."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from app.own_data.file_columns import FileColumns, left_out_words, page_words
from app.state.tune import TuneConfig, TuneState
from app.tune.kept_files import plain_name, upload_path
from sampler import DataStream
from sampler.streams import UNEQUAL, SourceError, StreamReport, chunk, peek, spread_ratio

FEWEST_ROWS, MOST_ROWS = TuneState.param.rows.bounds
"""Smallest and largest number of rows read from a file; settings are tuned on its first rows."""
LOOKED_AT = 1000
"""Number of rows that determine scaling and constant features."""
FAR = 100.0
"""Features with larger absolute values are standardised by default."""


Source = tuple[str, Path]
"""Original name and stored path of a file."""


def source_of(config: TuneConfig) -> Source:
    """Return the file of a configuration; raise a ValueError if it is no longer stored."""
    kept = config.data.removeprefix("file-")
    path = upload_path(kept)
    if path is None:
        raise ValueError(f"{plain_name(kept)} is no longer stored here: choose the file again")
    return plain_name(kept), path


@dataclass(frozen=True)
class FilePlan:
    """A file's model, columns and scaling."""

    source: Source
    config: TuneConfig  #: with a kind, and with the features in use if some are left out
    scale: bool
    scale_reason: str  #: reason for automatic scaling, else empty
    constant: tuple[str, ...]  #: constant features, left out
    report: StreamReport  #: report on the rows read
    columns: tuple[str, ...]  #: columns in use
    whole: bool  #: whether all rows of the file were read

    @property
    def reading(self) -> dict:
        """Keyword arguments of `DataStream` except the model and the encoded text columns."""
        return _reading(self.config, self.scale)

    @property
    def keywords(self) -> dict:
        """Keyword arguments of `DataStream`."""
        return {"model": self.config.kind, **_reading(self.config, self.scale, self.report.categories)}


def _reading(config: TuneConfig, scale: bool, categories: Iterable[str] = ()) -> dict:
    """Return keyword arguments of `DataStream` except the model; `categories` are text columns that may be encoded."""
    encoded = [name for name in config.features or () if name in categories]
    columns = {"response": config.response, "features": None if config.features is None else list(config.features),
               "positive": config.positive, "categories": encoded or None}
    return {**{name: value for name, value in columns.items() if value is not None},
            "intercept": config.intercept, "scale": scale}


def plan_of(config: TuneConfig, words: Mapping[str, tuple[str, ...]] | None = None) -> FilePlan:
    """Determine model, features and scaling from the first rows of a configuration's file.

    Parameters
    ----------
    config
        Options that are None, or an empty kind, are determined from the data.
    words
        Text columns and their levels; None: determined from the file.

    Raises
    ------
    ValueError
        If the file cannot be read.
    """
    source = source_of(config)
    if words is None:
        words = peek(source).words if config.features else {}
    bare = _reading(config.replace(intercept=False), False, words)
    if not config.kind:
        config = config.replace(kind=_kind_of(source, bare))
    stream = DataStream(source, model=config.kind, **bare)
    batches = iter(stream)
    features, _ = rows_of(stream, LOOKED_AT, batches)
    report = stream.report()
    whole = next(batches, None) is None
    size = np.abs(features).max(axis=0, initial=0.0)
    still = (np.ptp(features, axis=0) if len(features) else size) <= 1e-12 * size
    names, constant = report.features, ()
    numbers = np.array([name not in report.categories for name in stream.columns], bool)
    twins = still & (size > 0) & numbers  # a second intercept; a column of zeros may vary in later rows
    if config.features is None and config.intercept and len(features) > 1 and twins.any() and not twins.all():
        constant = tuple(name for name, twin in zip(stream.columns, twins, strict=True) if twin)
        names = tuple(name for name in names if name not in constant)
        config = config.replace(features=names)
    scale, scale_reason = bool(config.scale), ""
    if config.scale is None and not still.all():
        scale, scale_reason = _scale_of(features)
    return FilePlan(source, config, scale, scale_reason, constant, report, names, whole)


def _scale_of(features: np.ndarray) -> tuple[bool, str]:
    """Return whether to standardise features (n, d), and the reason."""
    ratio, reach = spread_ratio(features), float(np.abs(features).max())
    if ratio > UNEQUAL:
        return True, f"one column has {ratio:,.0f} times the spread of another"
    return (True, f"a column has values up to {reach:,.0f}") if reach > FAR else (False, "")


def _kind_of(source: Source, keywords: dict) -> str:
    """Return "logistic" for two values of the response, "poisson" for counts, else "linear"."""
    try:
        return DataStream(source, **keywords).model
    except SourceError as wrong:
        if wrong.remedy != "counts":
            raise
    _, labels = rows_of(DataStream(source, model="linear", **keywords), LOOKED_AT)
    return "poisson" if len(labels) and (labels >= 0).all() and (labels == np.floor(labels)).all() else "linear"


def rows_of(stream: DataStream, most: int, batches: Iterator | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return up to ``most`` rows (n, d) and labels (n,) of a stream, or of its remaining ``batches``."""
    block = chunk.Rebatch(batches or stream).take(most)
    return (np.empty((0, len(stream.names))), np.empty(0)) if block is None else block


CLASSES = ("label", "target", "class")
"""Response names that suggest classes if the values are integers."""
PREVIEW_ROWS = 5


@dataclass(frozen=True)
class FilePreview:
    """Content of the dialog."""

    name: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    config: TuneConfig = field(default_factory=TuneConfig)  #: with options determined from the data
    words: list[str] = field(default_factory=list)  #: sentences on the processing of the rows
    error: str = ""
    levels: dict[str, tuple[str, ...]] = field(default_factory=dict)  #: text column -> levels; empty: too many
    classes: tuple[str, ...] = ()  #: values of the response if one can be chosen as class 1


def preview(config: TuneConfig) -> FilePreview:
    """Return the preview of a configuration's file; errors are returned as text."""
    name = plain_name(config.data.removeprefix("file-"))
    try:
        first = FileColumns(source_of(config), config.response, PREVIEW_ROWS)
    except ValueError as wrong:
        return FilePreview(name, config=config, error=page_words(wrong))
    if first.error:
        return FilePreview(name, config=config, error=first.error)
    columns, rows, words, response = first.names, first.rows, first.levels, first.response
    classes = first.classes if config.kind == "logistic" or (not config.kind and response in words) else ()
    features = config.features or tuple(column for column in columns if column != response and column not in words)
    chosen = config.replace(response=response, scale=bool(config.scale), features=features)
    try:
        plan = plan_of(config, words)
    except ValueError as wrong:
        return FilePreview(name, columns, rows, chosen, error=page_words(wrong, classes), levels=words, classes=classes)
    settled = chosen.replace(kind=plan.config.kind, response=plan.report.response or response, features=plan.columns,
                             scale=plan.scale)
    enough = plan.report.rows >= FEWEST_ROWS
    error = "" if enough else (f"{plan.report.rows} usable rows; {FEWEST_ROWS} or more are needed to tune."
                               + "".join(f" {why}." for why in plan.report.dropped[:1]))
    sentences = [line for line in _sentences(plan, words, guessed=not config.kind) if line not in error]
    return FilePreview(name, columns, rows, settled, sentences, error, words, classes)


def _sentences(plan: FilePlan, words: dict[str, tuple[str, ...]], guessed: bool) -> list[str]:
    """Return sentences on the processing of the rows."""
    sentences = plan.report.words(plan.whole, columns=False)
    sentences += [left_out_words(name, len(words.get(name, ())), "press it above") for name in plan.report.text_columns]
    still = tuple(name for name in plan.report.constant if name not in plan.constant)
    if plan.constant:
        sentences.append(f"left out, constant like the intercept: {_some(plan.constant)}")
    if still:
        sentences.append(f"all zero in the rows read: {_some(still)}")
    if plan.scale_reason:
        sentences.append(f"standardised as the rows arrive, because {plan.scale_reason}")
    if guessed:
        doubt = (f": {plan.report.response!r} is treated as counts; if its values are classes, choose logistic above"
                 if plan.config.kind == "poisson" and str(plan.report.response).lower() in CLASSES else "")
        sentences.append(f"{plan.config.kind.replace('poisson', 'Poisson')} regression, inferred from the response{doubt}")
    return sentences


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"
