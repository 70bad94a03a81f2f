"""`FilePlan`: how a file will be read, with what the user left to the data filled in from its first rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.tune.file_options import FileOptions
from sampler import DataStream
from sampler.streams import UNEQUAL, StreamReport, peek, spread_ratio

LOOKED_AT = 1000
"""Rows that settle whether to scale and which features never vary."""
FAR = 100.0
"""Features with larger values than this are standardised unless the user says no."""


Source = tuple[str, Path]
"""A file: the name its owner knows, and where it is kept."""


@dataclass(frozen=True)
class FilePlan:
    """A file's model, columns and scaling."""

    options: FileOptions  #: with a kind, and with the features in use where some are left out
    scale: bool
    because: str  #: why it is scaled, if the user did not ask for it
    constant: tuple[str, ...]  #: features that never vary, left out
    report: StreamReport  #: of the rows looked at
    columns: tuple[str, ...]  #: columns in use
    whole: bool  #: whether the rows looked at are all there are

    @property
    def keywords(self) -> dict:
        """Keyword arguments of `DataStream`."""
        return {"model": self.options.kind, **self.options.stream_keywords(self.scale, self.report.categories)}


def plan_of(source: Source, options: FileOptions, words: Mapping[str, tuple[str, ...]] | None = None) -> FilePlan:
    """Look at the first rows and settle model, features and scale.

    Parameters
    ----------
    source, options
    words
        Columns that hold words, if that is known.

    Raises
    ------
    ValueError
        In words, when they cannot be read.
    """
    if words is None:
        words = peek(source).words if options.features else {}
    bare = options.replace(intercept=False).stream_keywords(False, words)
    stream = DataStream(source, model=options.kind or ("linear" if options.positive is None else "logistic"), **bare)
    if not options.kind:
        options = options.replace(kind=_kind_of(source, bare))
        stream = DataStream(source, model=options.kind, **bare)
    batches = iter(stream)
    features, _ = rows_of(stream, LOOKED_AT, batches)
    report = stream.report()
    whole = next(batches, None) is None
    size = np.abs(features).max(axis=0, initial=0.0)
    still = (np.ptp(features, axis=0) if len(features) else size) <= 1e-12 * size
    names, constant = report.features, ()
    numbers = np.array([name not in report.categories for name in stream.columns], bool)
    twins = still & (size > 0) & numbers  # another intercept; a column of zeros may yet come to life
    if options.features is None and options.intercept and len(features) > 1 and twins.any() and not twins.all():
        constant = tuple(name for name, twin in zip(stream.columns, twins, strict=True) if twin)
        names = tuple(name for name in names if name not in constant)
        options = options.replace(features=names)
    scale, because = bool(options.scale), ""
    if options.scale is None and not still.all():
        scale, because = _scale_of(features)
    return FilePlan(options, scale, because, constant, report, names, whole)


def _scale_of(features: np.ndarray) -> tuple[bool, str]:
    """Whether to standardise features (n, d), and why."""
    ratio, reach = spread_ratio(features), float(np.abs(features).max())
    if ratio > UNEQUAL:
        return True, f"one column spreads {ratio:,.0f} times as far as another"
    return (True, f"a column reaches {reach:,.0f}") if reach > FAR else (False, "")


def _kind_of(source: Source, keywords: dict) -> str:
    """Logistic for two values, Poisson for counts, else linear."""
    try:
        return DataStream(source, **keywords).model
    except ValueError as wrong:
        if "more than two values" not in str(wrong):
            raise
    _, labels = rows_of(DataStream(source, model="linear", **keywords), LOOKED_AT)
    return "poisson" if len(labels) and (labels >= 0).all() and (labels == np.floor(labels)).all() else "linear"


def rows_of(stream: DataStream, most: int, batches: Iterator | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return up to so many rows (n, d) and labels (n,) of a stream, or of what it still has to give."""
    parts, found = [], 0
    for features, labels in batches or stream:
        parts.append((features[: most - found], labels[: most - found]))
        found += len(parts[-1][0])
        if found >= most:
            break
    if not parts:
        return np.empty((0, len(stream.names))), np.empty(0)
    return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])
