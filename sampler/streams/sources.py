"""The choice of a reader for a source: a path, an upload's bytes, or anything that can be iterated."""

import io
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from sampler.streams.csv_reader import CsvReader
from sampler.streams.folder_reader import PARQUET, FolderReader
from sampler.streams.iterable_reader import IterableReader
from sampler.streams.parquet_reader import ParquetReader

LARGEST_UPLOAD = 200_000_000
"""Bytes; more than this is read from its path, never through a browser."""


def open_source(source, separator: str | None = None, header: bool | None = None, follow: bool = False,
                stop: Callable[[], bool] | None = None):
    """Reader of ``source``: ``.names`` of all columns and ``.chunks(names)``.

    Parameters
    ----------
    source : path, (file name, bytes), binary file or iterable
        A CSV or Parquet file, a folder of them, an upload, an open CSV file, or any iterable of rows or batches.
        A LIBSVM file is understood, and held whole.
    separator, header : optional
        Of text files; None finds them.
    follow : bool
        Wait for more at the end: a text file that grows, a folder that gets more files.
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
        if _is_libsvm(path):
            return _libsvm(path)
        try:
            return CsvReader(path, separator, header, follow, stop)
        except OSError as error:
            raise ValueError(f"source: {os.fspath(source)!r} cannot be opened ({error.strerror})") from None
    if hasattr(source, "read"):
        return CsvReader(source, separator, header, stop=stop)
    if isinstance(source, Iterable):
        return IterableReader(source)
    raise ValueError(f"source must be a path or an iterable of rows, got {type(source).__name__}")


def _is_libsvm(path: Path) -> bool:
    with open(path, "rb") as file:
        cells = file.readline(4096).split()
    return len(cells) > 1 and all(b":" in cell and b"," not in cell for cell in cells[1:])


def _libsvm(path: Path) -> IterableReader:
    """The one format here that is read whole: a row names only what is not zero."""
    from sampler.streams.tabular_file import read_libsvm

    table = read_libsvm(path)
    return IterableReader([{**dict(zip(table.names, table.features.T, strict=True)), "label": table.labels}])


def _upload(name: str, data: bytes, separator, header):
    if len(data) > LARGEST_UPLOAD:
        raise ValueError(f"source: {name!r} has {len(data) / 1e9:.1f} GB, an upload may have "
                         f"{LARGEST_UPLOAD / 1e9:.1f} GB; give its path instead, a file of any size is read from there")
    if not data.strip():
        raise ValueError(f"source: {name!r} is empty; choose another file")
    if Path(name).suffix.lower() in PARQUET:
        return ParquetReader(io.BytesIO(data))
    return CsvReader(io.BytesIO(data), separator, header)
