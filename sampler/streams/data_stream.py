"""`DataStream`: batches of clean numeric rows from any source, as a sampler observes them."""

import copy
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sampler.streams.category_columns import LEVELS_IN, Categories, checked_levels, chosen_levels, feature_names, levels_of
from sampler.streams.chunk import RowNumbers
from sampler.streams.column_choice import MODELS, check_not_text, choose, response_classes, without_text
from sampler.streams.libsvm_file import LABEL, LibsvmReader
from sampler.streams.number_columns import distinct, in_order
from sampler.streams.row_cleaning import BadRows, RowCleaner
from sampler.streams.row_encoding import SETTLED, RowReading, RunningScale
from sampler.streams.source_error import SourceError
from sampler.streams.sources import open_source
from sampler.streams.sql_query import SqlQuery
from sampler.streams.stream_report import Fingerprint, StreamReport

RESPONSE_ROWS = 1000  # maximum number of rows read to observe two values of the response


class DataStream:
    """Iterable of batches ``(features, labels)`` from a source, in order, in the format of ``observe``.

    Rows with a missing, infinite or text cell in a column in use are left out, counted and reported by name.
    Memory: one batch of the source. It can be iterated once::

        for features, labels in DataStream("clicks.csv", response="clicked"):
            saga.observe(features, labels)               # (n, dim), (n,)

    Parameters
    ----------
    source : path, (name, bytes), SqlQuery, reader of Arrow batches or iterable
        See ``open_source``: a CSV, libsvm, Parquet or Arrow file, a folder, a growing file, a database query, record
        batches, or any iterable of rows.
    response : str or int, optional
        Response column, by name or number (from 1); None uses one named y, label, target, class, outcome or response,
        else the last column, and the report states the choice.
    features : list of str or int, optional
        Feature columns; None uses all other numeric columns.
    model : {"logistic", "linear", "poisson", "gaussian_mean"}, optional
        None selects logistic if the response has two values in its first rows, and raises an error otherwise.
    intercept : bool
        Add a last feature that is always 1 (not for ``gaussian_mean``).
    scale : bool
        Standardise the features as they arrive (see ``RunningScale``), except the intercept.
    settle : int or None
        Row from which the scale is fixed.
    classes : pair, optional
        The two response values that mean 0 and 1; None uses the first two, sorted.
    separator, header, decimal, encoding : optional
        Format of text files; None detects it.
    categories : list of columns, or dict of column to levels, optional
        Text (or discrete numeric) columns to encode as 0/1 columns, one per level except the first, the reference. Levels
        default to those of the first 1,000 rows, the most frequent first, at most 20. A row with another level is left
        out and counted.
    positive : str or number, optional
        Response value that means 1; every other value means 0.
    follow, stop : optional
        Whether to wait for more rows at the end, and a callable polled while waiting; True ends the stream.
    on_bad_row : {"stop", "skip"} or path
        Policy for an item or response that cannot be used: raise an error, leave it out, or also append it and every
        other row left out to a JSON Lines file with the reason.
    parse : callable, optional
        Converts each item of an iterable, such as a message, to a row; an exception makes it a bad row.
    offset_column, partition_column : str, optional
        Column of consecutive row numbers, as of a queue, and column of the partition if each is numbered separately.
        Repeated rows are then left out and missing ones reported in ``warnings``.

    Attributes
    ----------
    names : tuple of str
        Names of the coordinates, ``column=level`` for a level of a category, the intercept last.
    columns : tuple of str
        Source column of each feature.
    categories : dict of str to tuple of str
        Levels of each category, the reference first.
    decimal : {".", ","}
        Decimal mark of text, chosen or detected.
    offset : dict or None
        Position after the last row yielded, the argument of `go_on_after`: ``{"key": name, "at": value}`` for a query,
        ``{"key": None, "at": rows}`` for a path, ``{"key": offset_column, "at": number, or numbers by partition}`` for a
        queue; None if the source has no such position.
    warnings : list of str
        Sentences on missing and late rows so far.
    may_wait : bool
        Whether reading may block for long while the source has no rows.
    """

    def __init__(self, source: Any, response: str | int | None = None,
                 features: str | int | Sequence[str | int] | None = None, model: str | None = None,
                 intercept: bool = True, scale: bool = False, settle: int | None = SETTLED, classes: Any = None,
                 separator: str | None = None, header: bool | None = None, decimal: str | None = None, follow: bool = False,
                 stop: Callable[[], bool] | None = None, encoding: str | None = None, categories: Any = None,
                 positive: str | float | None = None, on_bad_row: str | os.PathLike[str] = "stop",
                 parse: Callable[[Any], Any] | None = None, offset_column: str | None = None,
                 partition_column: str | None = None) -> None:
        if model is not None and model not in MODELS:
            raise ValueError(f"model must be one of {', '.join(MODELS)}, got {model!r}")
        if decimal not in (".", ",", None):
            raise ValueError(f"decimal must be '.' or ',', got {decimal!r}; leave it out to detect it")
        if positive is not None and (model not in (None, "logistic") or classes is not None):
            raise ValueError(f"positive must be left out for a non-logistic model or with classes, got {positive!r}")
        levels, is_path = chosen_levels(categories), isinstance(source, str | os.PathLike)
        self._again: Any = (lambda: open_source(source, separator, header, encoding=encoding)) if is_path else None
        named = (response, offset_column, partition_column, *(features if isinstance(features, list | tuple) else ()))
        columns = tuple(name for name in named if isinstance(name, str) and not name.lstrip("-").isdigit())
        self.bad_rows = BadRows(on_bad_row, columns)
        self._reader = open_source(source, separator, header, follow, stop, encoding, parse, self.bad_rows)
        self.may_wait = not isinstance(source, SqlQuery) and (follow or not (is_path or hasattr(source, "__len__")))
        self.source = source if self.may_wait else None
        self.warnings: list[str] = getattr(self._reader, "warnings", [])
        self._numbers = self._numbered_by(offset_column, partition_column)
        self._key, self._read, self._left_out = getattr(self._reader, "key", None), 0, 0
        self.offset: dict[str, Any] | None = None
        if isinstance(self._reader, LibsvmReader) and features is not None:
            self._reader.widen(features)
        self.rows_expected: int | None = getattr(self._reader, "rows", None)
        self.decimal: str = decimal if decimal is not None else getattr(self._reader, "decimal", ".")
        extra = self._numbers.columns if self._numbers else ()
        names = tuple(name for name in self._reader.names if name not in extra)
        choice = choose(names, response, features, model != "gaussian_mean", levels)
        self._columns = (*choice.columns, *extra)
        self._chunks = self._reader.chunks(self._columns)
        self._first: Any = []
        while not self._first_rows and self._read_one_more():
            pass
        if not sum(chunk.read for chunk in self._first):
            raise SourceError("", "source has a header but no rows", "wait for data, or check the path")
        if features is None:
            choice = without_text(choice, self._first[-1], self.decimal, levels)
        else:
            check_not_text(choice, self._first[-1], self.decimal, levels)
        self.choice, self.positive = choice, positive
        self.categories = self._settle_levels(levels)
        self.model: Any = model
        self.classes: tuple[Any, ...] | None = None
        if positive is not None:
            self.model, self.classes = "logistic", (f"not {positive}", str(positive))
        elif choice.response is not None:
            values = self._values_of_response() if classes is None and model in (None, "logistic") else []
            self.model, self.classes = response_classes(choice.response, model, classes, values, self._first_rows)
        self._features, self.columns = feature_names(choice.features, self.categories)
        self.intercept = bool(intercept) and self.model != "gaussian_mean"
        self.scale = RunningScale(len(self._features), settle) if scale else None
        self.names = self.reading.names
        self.dim = len(self.names)
        self._cleaner = RowCleaner(choice, self.model, self.classes, self.decimal, self.categories, positive,
                                   self.bad_rows)
        self.rows, self._positives, self._fingerprint = 0, 0, Fingerprint()
        self._low = np.full(len(self._features), np.inf)
        self._high = -self._low

    def _numbered_by(self, column: str | None, partition: str | None) -> RowNumbers | None:
        if column is None:
            if partition is not None:
                raise ValueError(f"partition_column must be left out without offset_column, got {partition!r}")
            return None
        if getattr(self._reader, "key", None) is not None:
            raise ValueError(f"offset_column must be left out for a query, whose key orders its rows, got {column!r}")
        for name in (column, partition):
            if name is not None and name not in self._reader.names:
                raise ValueError("offset_column and partition_column must be columns of the source, "
                                 f"{', '.join(self._reader.names)}; got {name!r}")
        return RowNumbers(column, partition, self.warnings)

    def _settle_levels(self, chosen: dict[str, tuple[str, ...] | None]) -> Categories:
        """Return the levels of each category; infer those that were not supplied from the first rows."""
        while None in chosen.values() and self._first_rows < LEVELS_IN and self._read_one_more():
            pass
        return {name: levels or checked_levels(name, levels_of([chunk.columns[name] for chunk in self._first]))
                for name, levels in chosen.items()}

    @property
    def _first_rows(self) -> int:
        return sum(chunk.n for chunk in self._first)

    def _read_one_more(self) -> bool:
        """Append one chunk to the first ones; return False at the end of the source."""
        chunk = next(self._chunks, None)
        self._first += [] if chunk is None else [chunk]
        return chunk is not None

    def _values_of_response(self) -> list[Any]:
        """Return up to three distinct values of the response from the first rows, read until two are observed."""
        name = str(self.choice.response)
        surveyed = set(getattr(self._reader, "label_values", ()) if name == LABEL else ())
        while True:
            values = surveyed | set(distinct([chunk.columns[name] for chunk in self._first], self.decimal))
            enough = 1 if self.model == "logistic" and values <= {-1.0, 0.0, 1.0} else 2
            if len(values) >= enough or self._first_rows >= RESPONSE_ROWS or not self._read_one_more():
                return in_order(values)[:3]

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        return (batch for batch in self.batches() if batch is not None)

    def batches(self) -> Iterator[tuple[np.ndarray, np.ndarray | None] | None]:
        """Yield batches as by iteration, and None while the source has no rows or none that can be used.

        Raises
        ------
        ValueError
            If the stream was already read.
        """
        if self._first is None:
            raise ValueError("stream was already read; open the source again")
        first, self._first = self._first, None
        for chunk in itertools.chain(first, self._chunks):
            begun, self._read = self._read, self._read + chunk.read
            if self._read <= self._left_out:
                continue
            if begun < self._left_out:
                chunk = chunk.after(self._left_out - begun)
            if not chunk.read:
                yield None
                continue
            if self._numbers is not None:
                chunk = self._numbers.new_rows(chunk)
            features, labels = self._used(self._cleaner.numbers(chunk))
            if self._key is not None:
                self.offset = {"key": self._key, "at": self._reader.at}
            elif self._numbers is not None:
                self.offset = {"key": self._numbers.column, "at": at} if (at := self._numbers.at) is not None else None
            elif self._again is not None:
                self.offset = {"key": None, "at": self._read}
            yield (features, labels) if len(features) else None

    @property
    def reading(self) -> RowReading:
        """Conversion of new rows to features with the current scale, as used by `Predictive`."""
        return RowReading(self.choice.features, self.categories, self.decimal, self.intercept, copy.copy(self.scale),
                          self.classes)

    @property
    def rows_taken(self) -> int:
        """Number of rows read, including those left out."""
        return self._cleaner.rows_read

    @property
    def has_places(self) -> bool:
        """Whether the source has positions, so that ``offset`` is available."""
        return self._key is not None or self._again is not None or self._numbers is not None

    @property
    def recent(self) -> dict[str, Any] | None:
        """State of the query keys that are queried again for late rows; None for other sources."""
        return getattr(self._reader, "recent", None)

    def go_on_after(self, offset: dict[str, Any], recent: dict[str, Any] | None = None) -> None:
        """Resume after the ``offset`` of an earlier stream on this source; call before the first row is taken.

        The rows up to there are skipped and do not enter the scale or the counts.

        Parameters
        ----------
        offset : dict
        recent : dict, optional
            ``recent`` of the earlier stream, for a query: detects rows with smaller keys that were inserted since.

        Raises
        ------
        ValueError
            If the source no longer has that position.
        """
        if self._first is None:
            raise ValueError("stream was already read; open the source again, then call go_on_after")
        mine = self._key if self._numbers is None else self._numbers.column
        if offset["key"] != mine or (mine is None and self._again is None):
            kinds = [f"the key {key!r}" if key else "a number of rows" for key in (offset["key"], mine)]
            raise SourceError("offset", f"the earlier stream ended at {kinds[0]}, this source "
                             + (f"is read by {kinds[1]}" if mine or self._again else "has no positions")
                             + "; pass the same source, or start again with a new checkpoint")
        if self._numbers is not None:
            self._numbers.go_on_after(offset["at"])
        elif self._key is not None:
            self._reader.go_on_after(offset["at"], recent)
            self._first, self._chunks = [], self._reader.chunks(self._columns)
        else:
            read, again = 0, self._again()
            for chunk in again.chunks(again.names[-1:]):
                read += chunk.read
                if read >= offset["at"]:
                    break
            else:
                raise SourceError("source", f"it has {read:,} rows, the earlier stream had read {offset['at']:,}; pass the "
                                 "same data, or start again with a new checkpoint")
            self._left_out = offset["at"]
        self.offset = dict(offset)

    def _used(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return features and labels of clean rows; update the counts, the ranges and the fingerprint."""
        self._fingerprint.add(numbers)
        self.rows += len(numbers)
        width = len(self._features)
        features = numbers[:, :width]
        self._positives += 0 if self.positive is None else int(numbers[:, width].sum())
        if len(features):
            self._low, self._high = (np.minimum(self._low, features.min(axis=0)),
                                     np.maximum(self._high, features.max(axis=0)))
        if self.scale is not None:
            features = self.scale.add(features)
        if self.intercept:
            features = np.column_stack([features, np.ones(len(features))])
        return np.ascontiguousarray(features), None if self.choice.response is None else numbers[:, width].copy()

    @property
    def fingerprint(self) -> str:
        """Checksum of the rows used so far; depends on values, row order and columns."""
        return str(self._fingerprint)

    def report(self) -> StreamReport:
        """Return the report on the rows read so far."""
        constant = tuple(name for name, low, high in zip(self._features, self._low, self._high, strict=True)
                         if self.rows > 1 and low == high)
        read, dropped = self._cleaner.rows_read, tuple(self._cleaner.dropped())
        notes = (*getattr(self._reader, "notes", ()), *self.warnings)
        if self._numbers is not None and self._numbers.again:
            notes += (f"repeated rows left out, by {self._numbers.column}: {self._numbers.again:,}",)
        if self.positive is not None and self.rows and not self._positives:
            notes += (f"no row has the positive value {str(self.positive)!r} in column {self.choice.response!r}: all are 0",)
        return StreamReport(read, self.rows, self.model, self.choice.response, self.choice.features,
                            self.classes, self.choice.left_out, dropped, constant, self.fingerprint, self.choice.because,
                            notes, self.categories)
