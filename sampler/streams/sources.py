"""`open_source`: the reader for a path, folder, upload, query or iterable; `peek` and `levels`: previews of a source."""

import io
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sampler.arguments import whole_number
from sampler.streams.category_columns import LEVELS_IN, MOST_LEVELS, levels_of
from sampler.streams.chunk import Chunk, python_cells
from sampler.streams.columnar_files import ARROW, PARQUET, ArrowReader, ParquetReader, is_arrow_source
from sampler.streams.csv_reader import CsvReader
from sampler.streams.iterable_reader import IterableReader
from sampler.streams.libsvm_file import LibsvmReader, looks_like_libsvm, survey
from sampler.streams.number_columns import text_share
from sampler.streams.row_cleaning import BadRows
from sampler.streams.source_error import CHOOSE_TEXT, SourceError
from sampler.streams.sql_query import SqlQuery, SqlReader
from sampler.streams.text_file import PACKED, POLL_EVERY, checked_encoding, first_text

LARGEST_UPLOAD = 200_000_000
"""Maximum size of a browser upload in bytes; larger files are read from their path."""
TEXT = (".csv", ".tsv", ".txt", ".libsvm", ".svm")


def open_source(source: Any, separator: str | None = None, header: bool | None = None, follow: bool = False,
                stop: Callable[[], bool] | None = None, encoding: str | None = None,
                parse: Callable[[Any], Any] | None = None, bad_rows: BadRows | None = None) -> Any:
    """Return a reader of ``source`` with the attribute ``names`` and the method ``chunks(names)``.

    Parameters
    ----------
    source : path, (file name, bytes or path), binary file, SqlQuery, reader of record batches or iterable
        A CSV, libsvm, Parquet or Arrow file, a folder of them, an upload with its original file name, an open CSV or
        libsvm file, a database query, a stream of Arrow batches (`ArrowReader`), or any iterable of rows or batches.
    separator, header, encoding : optional
        Format of text files; None detects it.
    follow : bool
        Wait for more data at the end: rows of a growing text file or a query, or new files in a folder.
    stop : callable, optional
        Polled while waiting; True ends the stream.
    parse, bad_rows : optional
        Arguments of `IterableReader`.
    """
    if encoding is not None:
        checked_encoding(encoding)
    text = {"separator": separator, "header": header, "encoding": encoding}
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[0], str):
        if isinstance(source[1], (bytes, bytearray)):
            return _open_upload(*source, text)
        if isinstance(source[1], os.PathLike):
            return _open_path(Path(source[1]), source[0], text, follow, stop)
    if isinstance(source, (str, os.PathLike)):
        return _open_path(Path(source), os.fspath(source), text, follow, stop)
    if isinstance(source, SqlQuery):
        return SqlReader(source, follow, stop)
    if is_arrow_source(source):
        return ArrowReader(source)
    if hasattr(source, "read"):
        return _open_file(source, "", text, stop)
    if isinstance(source, Iterable):
        return IterableReader(source, parse, bad_rows)
    raise SourceError("", f"source must be a path or an iterable of rows, got {type(source).__name__}; for a database "
                      "pass a SqlQuery")


def check_upload(name: str, head: bytes) -> bytes:
    """Check the name and first bytes of an upload before the rest has arrived; return the bytes uncompressed.

    Parameters
    ----------
    name : str
        File name; its suffix determines the expected format.
    head : bytes
        First bytes of the file.

    Raises
    ------
    SourceError
        If the file is not text, or not in the format of its suffix; the message names its actual type.
    """
    kind = Path(name).suffix.lower()
    if kind in ARROW:
        raise SourceError("source", f"{name!r} is an Arrow file, which can only be read from its path", CHOOSE_TEXT)
    if kind in PARQUET:
        if not head.startswith(b"PAR1"):
            raise SourceError("source", f"{name!r} is not a Parquet file", CHOOSE_TEXT)
        return head
    return first_text(head, name)


def _open_path(path: Path, name: str, text: dict[str, Any], follow: bool, stop: Callable[[], bool] | None) -> Any:
    """Return the reader of a file or folder; ``name`` is its name in messages."""
    if path.is_dir():
        return FolderReader(path, text, follow, stop)
    if not path.exists():
        raise SourceError("source", f"no file or folder at {name!r} (from {os.getcwd()})", "check the path")
    kind, place = path.suffix.lower(), os.path.basename(name)
    if kind in PARQUET + ARROW:
        if follow:
            why = "a Parquet file, which cannot grow" if kind in PARQUET else "an Arrow file, which is read to its end"
            raise SourceError("", f"follow must be False for {why}", "follow its folder")
        return ParquetReader(path, place) if kind in PARQUET else ArrowReader(path)
    try:
        if looks_like_libsvm(path, name, text["encoding"]):
            return LibsvmReader(path, follow, stop, place=place)
        return CsvReader(path, follow=follow, stop=stop, name=place, **text)
    except OSError as error:
        raise SourceError("source", f"{name!r} cannot be opened ({error.strerror})") from None


def _open_upload(name: str, data: bytes, text: dict[str, Any]) -> Any:
    if len(data) > LARGEST_UPLOAD:
        raise SourceError("source",
                          f"{name!r} has {len(data) / 1e9:.1f} GB, the limit of an upload is {LARGEST_UPLOAD / 1e9:.1f} GB",
                          "pass its path, which has no size limit")
    if not data.strip():
        raise SourceError("source", f"{name!r} is empty", "choose another file")
    if Path(name).suffix.lower() in PARQUET:
        return ParquetReader(io.BytesIO(data), name)
    return _open_file(io.BytesIO(data), name, text, None)


def _open_file(file: Any, name: str, text: dict[str, Any], stop: Callable[[], bool] | None) -> Any:
    """Return the reader of an open binary file; libsvm requires a seekable one."""
    if getattr(file, "seekable", bool)() and looks_like_libsvm(file, name or "the upload", text["encoding"]):
        return LibsvmReader(file.read(), place=name)
    return CsvReader(file, stop=stop, name=name, **text)


class FolderReader:
    """Reader of the files of a folder as one stream, sorted by name; with ``follow`` also of files added later.

    A file added later must have a later name and be complete when it appears (move it into the folder).

    Parameters
    ----------
    path : Path
    text : dict
        ``separator``, ``header`` and ``encoding`` of text files.
    follow, stop : as in ``open_source``
    """

    def __init__(self, path: Path, text: dict[str, Any], follow: bool = False,
                 stop: Callable[[], bool] | None = None) -> None:
        self.path, self._text, self._follow, self._stop = path, text, follow, stop or (lambda: False)
        self._read: list[str] = []
        files = self._new_files()
        if not files:
            raise SourceError("source", f"the folder {os.fspath(path)!r} has no {', '.join(TEXT + PARQUET + ARROW)} file",
                              "check the path")
        self._csv_names: tuple[str, ...] = ()
        self._columns = self._libsvm_columns(files)
        self._current = self._open(files[0])
        self.names, self.decimal = self._current.names, getattr(self._current, "decimal", ".")
        self.notes: tuple[str, ...] = getattr(self._current, "notes", ())

    def _new_files(self) -> list[str]:
        files = sorted(p.name for p in self.path.iterdir() if not p.name.startswith((".", "_"))
                       and (p.suffix.lower() in PARQUET + ARROW or _is_text(p.name)))
        late = [name for name in files if self._read and name not in self._read and name < self._read[-1]]
        if late:
            raise SourceError("source", f"{late[0]!r} was added to the folder after {self._read[-1]!r} was read",
                              "give new files later names")
        return [name for name in files if name not in self._read]

    def _libsvm_columns(self, files: list[str]) -> int:
        """Return the number of columns of a folder of libsvm files; 0 if the first text file is not libsvm."""
        texts = [self.path / name for name in files if _is_text(name)]
        if not texts or not looks_like_libsvm(texts[0], texts[0].name):
            return 0
        return max(survey(path)[0] for path in texts if looks_like_libsvm(path, path.name))

    def _open(self, name: str) -> Any:
        reader = _open_path(self.path / name, name, self._text, False, None)
        if isinstance(reader, LibsvmReader):
            reader.widen([f"x{self._columns}"])
        elif isinstance(reader, CsvReader):
            if reader.names != (before := self._csv_names or reader.names):
                raise SourceError("source", f"{name!r} has the columns {', '.join(reader.names)}, the files before it "
                                  f"{', '.join(before)}", "give all files the same columns")
            self._csv_names = reader.names
        return reader

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """Yield the named columns of every file."""
        while True:
            files = self._new_files()
            if not files:
                if not self._follow or self._stop():
                    return
                time.sleep(POLL_EVERY)
                continue
            reader = self._current if self._current is not None else self._open(files[0])
            self._current = None
            missing = [name for name in names if name not in reader.names]
            if missing:
                raise SourceError("source", f"{files[0]!r} has no column {missing[0]!r}", "its columns are "
                                  f"{', '.join(reader.names)}")
            yield from reader.chunks(names)
            self._read.append(files[0])


def _is_text(name: str) -> bool:
    """Return whether a name is that of a text file, compressed or not."""
    name = name.lower()
    return name.removesuffix(next((end for end in PACKED if name.endswith(end)), "")).endswith(TEXT)


LONGEST = 1_000
"""Maximum number of characters of a cell in a preview."""
CLASSES_IN = 20_000
"""Number of leading rows searched for the values of a column by `levels`."""


@dataclass(frozen=True)
class Peek:
    """Preview of a source."""

    names: tuple[str, ...]  #: names of all columns
    rows: tuple[tuple[str, ...], ...]  #: first rows with cells as text; "" for a missing cell
    words: dict[str, tuple[str, ...]]  #: levels of each text column; empty if these are too few or too many for a category


def peek(source: Any, rows: int = 6) -> Peek:
    """Return the first rows of a path or an upload.

    Parameters
    ----------
    source
        As for `DataStream`.
    rows : int >= 1
        Number of rows.
    """
    rows = whole_number("rows", rows, 1)
    reader = open_source(source)
    decimal = getattr(reader, "decimal", ".")
    first: list[tuple[str, ...]] = []
    words: dict[str, tuple[str, ...]] = {}
    for chunk in reader.chunks(reader.names):
        columns = [python_cells(chunk.columns[name][:rows - len(first)]) for name in reader.names]
        first += [tuple(map(_text, row)) for row in zip(*columns, strict=True)]
        words = words or {name: _levels(column) for name, column in chunk.columns.items()
                          if text_share(column, decimal) > 0.5}
        if len(first) >= rows:
            break
    return Peek(reader.names, tuple(first), words)


def levels(source: Any, column: str) -> tuple[str, ...]:
    """Return the values of a column in its first rows as text, the most frequent first; empty if it is not a category.

    Up to 20,000 rows are read, since a file may be sorted by class.

    Parameters
    ----------
    source
        As for `DataStream`.
    column : str
        Name of a column of the source.

    Raises
    ------
    SourceError
        If the source has no such column.
    """
    reader = open_source(source)
    if column not in reader.names:
        raise SourceError("", f"column must be one of {', '.join(map(str, reader.names[:20]))}, got {column!r}",
                          "choose one of them")
    first = next(iter(reader.chunks((column,))), None)
    return () if first is None else _levels(first.columns[column], CLASSES_IN)


def _levels(column: Any, rows: int = LEVELS_IN) -> tuple[str, ...]:
    values = levels_of([column], rows)
    return values if 2 <= len(values) <= MOST_LEVELS else ()


def _text(cell: Any) -> str:
    return "" if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell)[:LONGEST]
