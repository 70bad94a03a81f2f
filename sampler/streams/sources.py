"""The choice of a reader for a source: a path, an upload's bytes, a query, or anything that can be iterated."""

import io
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from sampler.streams.arrow_reader import ARROW, ArrowReader, is_arrow_source
from sampler.streams.csv_reader import CsvReader
from sampler.streams.folder_reader import PARQUET, FolderReader
from sampler.streams.iterable_reader import IterableReader
from sampler.streams.libsvm_reader import LibsvmReader, looks_like_libsvm
from sampler.streams.parquet_reader import ParquetReader
from sampler.streams.sql_query import SqlQuery
from sampler.streams.sql_reader import SqlReader

LARGEST_UPLOAD = 200_000_000
"""Bytes; more than this is read from its path, never through a browser."""


def open_source(source, separator: str | None = None, header: bool | None = None, follow: bool = False,
                stop: Callable[[], bool] | None = None):
    """Reader of ``source``: ``.names`` of all columns and ``.chunks(names)``.

    Parameters
    ----------
    source : path, (file name, bytes), binary file, SqlQuery, reader of record batches or iterable
        A CSV, libsvm, Parquet or Arrow file, a folder of them, an upload, an open CSV or libsvm file, a query of a
        database, Arrow batches as they come (`ArrowReader`), or any iterable of rows or batches.
    separator, header : optional
        Of text files; None finds them.
    follow : bool
        Wait for more at the end: a text file that grows, a folder that gets more files, a query that gets more rows.
    stop : callable, optional
        Asked while waiting; True ends the stream.
    """
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[1], (bytes, bytearray)):
        return _upload(*source, separator, header)
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        if path.is_dir():
            return FolderReader(path, separator, header, follow, stop)
        if not path.exists():
            raise ValueError(f"source: no file or folder at {os.fspath(source)!r} (from {os.getcwd()}); check the path")
        if path.suffix.lower() in PARQUET:
            if follow:
                raise ValueError("follow must be False for a Parquet file, which cannot grow; follow its folder")
            return ParquetReader(path)
        if path.suffix.lower() in ARROW:
            if follow:
                raise ValueError("follow must be False for an Arrow file, which is read to its end; follow its folder")
            return ArrowReader(path)
        try:
            if looks_like_libsvm(path):
                return LibsvmReader(path, follow, stop)
            return CsvReader(path, separator, header, follow, stop)
        except OSError as error:
            raise ValueError(f"source: {os.fspath(source)!r} cannot be opened ({error.strerror})") from None
    if isinstance(source, SqlQuery):
        return SqlReader(source, follow, stop)
    if is_arrow_source(source):
        return ArrowReader(source)
    if hasattr(source, "read"):
        return _open_file(source, separator, header, stop)
    if isinstance(source, Iterable):
        return IterableReader(source)
    raise ValueError(f"source must be a path or an iterable of rows, got {type(source).__name__}; for a database give a "
                     "SqlQuery")


def _upload(name: str, data: bytes, separator, header):
    if len(data) > LARGEST_UPLOAD:
        raise ValueError(f"source: {name!r} has {len(data) / 1e9:.1f} GB, an upload may have "
                         f"{LARGEST_UPLOAD / 1e9:.1f} GB; give its path instead, a file of any size is read from there")
    if not data.strip():
        raise ValueError(f"source: {name!r} is empty; choose another file")
    if Path(name).suffix.lower() in PARQUET:
        return ParquetReader(io.BytesIO(data))
    return _open_file(io.BytesIO(data), separator, header, None, name)


def _open_file(file, separator, header, stop, name: str = ""):
    """Reader of an open binary file; a libsvm file must be one that can be read twice."""
    if getattr(file, "seekable", bool)() and looks_like_libsvm(file):
        return LibsvmReader(file.read(), place=name)
    return CsvReader(file, separator, header, stop=stop)
