"""The choice of a reader for a source: a path, an upload's bytes, a query, or anything that can be iterated."""

import io
import os
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sampler.streams.arrow_reader import ARROW, ArrowReader, is_arrow_source
from sampler.streams.bad_rows import BadRows
from sampler.streams.csv_reader import CsvReader
from sampler.streams.file_kind import CHOOSE_TEXT
from sampler.streams.folder_reader import PARQUET, FolderReader
from sampler.streams.iterable_reader import IterableReader
from sampler.streams.libsvm_reader import LibsvmReader, looks_like_libsvm
from sampler.streams.packed_file import unpacked_head
from sampler.streams.parquet_reader import ParquetReader
from sampler.streams.sql_query import SqlQuery
from sampler.streams.sql_reader import SqlReader
from sampler.streams.utf8_file import as_utf8, checked_encoding

LARGEST_UPLOAD = 200_000_000
"""Bytes; more than this is read from its path, never through a browser."""


def open_source(source: Any, separator: str | None = None, header: bool | None = None, follow: bool = False,
                stop: Callable[[], bool] | None = None, encoding: str | None = None,
                parse: Callable[[Any], Any] | None = None, bad_rows: BadRows | None = None) -> Any:
    """Reader of ``source``: ``.names`` of all columns and ``.chunks(names)``.

    Parameters
    ----------
    source : path, (file name, bytes or path), binary file, SqlQuery, reader of record batches or iterable
        A CSV, libsvm, Parquet or Arrow file, a folder of them, an upload with the name its owner knows, an open CSV or
        libsvm file, a query of a database, Arrow batches as they come (`ArrowReader`), or any iterable of rows or batches.
    separator, header, encoding : optional
        Of text files; None finds them.
    follow : bool
        Wait for more at the end: a text file that grows, a folder that gets more files, a query that gets more rows.
    stop : callable, optional
        Asked while waiting; True ends the stream.
    parse, bad_rows : optional
        Of an iterable's items, as `IterableReader` takes them.
    """
    if encoding is not None:
        checked_encoding(encoding)
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[0], str):
        if isinstance(source[1], (bytes, bytearray)):
            return _upload(*source, separator, header, encoding)
        if isinstance(source[1], os.PathLike):
            return _path(Path(source[1]), source[0], separator, header, follow, stop, encoding)
    if isinstance(source, (str, os.PathLike)):
        return _path(Path(source), "", separator, header, follow, stop, encoding)
    if isinstance(source, SqlQuery):
        return SqlReader(source, follow, stop)
    if is_arrow_source(source):
        return ArrowReader(source)
    if hasattr(source, "read"):
        return _open_file(source, separator, header, stop, encoding=encoding)
    if isinstance(source, Iterable):
        return IterableReader(source, parse, bad_rows)
    raise ValueError(f"source must be a path or an iterable of rows, got {type(source).__name__}; for a database give a "
                     "SqlQuery")


def check_upload(name: str, head: bytes) -> bytes:
    """Refuse an upload by its name and its first bytes, before the rest has come; return these, unpacked.

    Parameters
    ----------
    name : str
        The file's name; its end says the kind.
    head : bytes
        The file's first bytes.

    Raises
    ------
    ValueError
        For what is neither text nor what its name says; with what it is.
    """
    kind = Path(name).suffix.lower()
    if kind in ARROW:
        raise ValueError(f"source: {name!r} is an Arrow file, which is read from its path alone; {CHOOSE_TEXT}")
    if kind in PARQUET and not head.startswith(b"PAR1"):
        raise ValueError(f"source: {name!r} is no Parquet file; {CHOOSE_TEXT}")
    if kind not in PARQUET:
        try:
            head = unpacked_head(head)
        except zlib.error as error:
            raise ValueError(f"source: {name!r} is packed, and damaged ({error}); copy it again") from None
        as_utf8(head, name)
    return head


def _path(path: Path, name: str, separator: str | None, header: bool | None, follow: bool, stop: Callable[[], bool] | None,
          encoding: str | None) -> Any:
    """Reader of what is at a path; ``name`` is the file's own, where its path is not."""
    name = name or os.fspath(path)
    if path.is_dir():
        return FolderReader(path, separator, header, follow, stop, encoding)
    if not path.exists():
        raise ValueError(f"source: no file or folder at {name!r} (from {os.getcwd()}); check the path")
    kind = path.suffix.lower()
    if kind in PARQUET:
        if follow:
            raise ValueError("follow must be False for a Parquet file, which cannot grow; follow its folder")
        return ParquetReader(path, os.path.basename(name))
    if kind in ARROW:
        if follow:
            raise ValueError("follow must be False for an Arrow file, which is read to its end; follow its folder")
        return ArrowReader(path)
    try:
        if looks_like_libsvm(path, name, encoding):
            return LibsvmReader(path, follow, stop, place=os.path.basename(name))
        return CsvReader(path, separator, header, follow, stop, name=os.path.basename(name), encoding=encoding)
    except OSError as error:
        raise ValueError(f"source: {name!r} cannot be opened ({error.strerror})") from None


def _upload(name: str, data: bytes, separator: str | None, header: bool | None, encoding: str | None) -> Any:
    if len(data) > LARGEST_UPLOAD:
        raise ValueError(f"source: {name!r} has {len(data) / 1e9:.1f} GB, an upload may have "
                         f"{LARGEST_UPLOAD / 1e9:.1f} GB; give its path instead, a file of any size is read from there")
    if not data.strip():
        raise ValueError(f"source: {name!r} is empty; choose another file")
    if Path(name).suffix.lower() in PARQUET:
        return ParquetReader(io.BytesIO(data), name)
    return _open_file(io.BytesIO(data), separator, header, None, name, encoding)


def _open_file(file: Any, separator: str | None, header: bool | None, stop: Callable[[], bool] | None, name: str = "",
               encoding: str | None = None) -> Any:
    """Reader of an open binary file; a libsvm file must be one that can be read twice."""
    if getattr(file, "seekable", bool)() and looks_like_libsvm(file, name or "the upload", encoding):
        return LibsvmReader(file.read(), place=name)
    return CsvReader(file, separator, header, stop=stop, name=name, encoding=encoding)
