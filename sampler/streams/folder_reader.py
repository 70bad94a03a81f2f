"""A folder of files as one stream, in the order of their names."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sampler.streams.arrow_reader import ARROW, ArrowReader
from sampler.streams.chunk import Chunk
from sampler.streams.csv_reader import CsvReader
from sampler.streams.libsvm_reader import LibsvmReader, looks_like_libsvm, survey
from sampler.streams.line_blocks import LOOK_EVERY
from sampler.streams.packed_file import SUFFIXES
from sampler.streams.parquet_reader import ParquetReader
from sampler.streams.text_layout import Layout

TEXT = (".csv", ".tsv", ".txt", ".libsvm", ".svm")
PARQUET = (".parquet", ".pq")


class FolderReader:
    """Files of a folder, one after the other; with ``follow`` also those that come later.

    A file that comes later must have a later name, and be complete when it appears (move it in).
    """

    def __init__(self, path: str | os.PathLike[str], separator: str | None = None, header: bool | None = None,
                 follow: bool = False, stop: Callable[[], bool] | None = None, encoding: str | None = None) -> None:
        self.path, self.follow, self._stop = Path(path), follow, stop or (lambda: False)
        self._options: dict[str, Any] = {"separator": separator, "header": header, "encoding": encoding}
        self._read: list[str] = []
        files = self._new_files()
        if not files:
            raise ValueError(f"source: the folder {os.fspath(path)!r} has no {', '.join(TEXT + PARQUET + ARROW)} file; "
                             "check the path")
        self._layout: Layout | None = None
        self._columns = self._columns_of(files)
        self._current = self._open(files[0])
        self.names, self.decimal = self._current.names, getattr(self._current, "decimal", ".")
        self.said: tuple[str, ...] = getattr(self._current, "said", ())

    def _new_files(self) -> list[str]:
        found = sorted(p.name for p in self.path.iterdir() if not p.name.startswith((".", "_"))
                       and (p.suffix.lower() in PARQUET + ARROW or _is_text(p.name)))
        late = [name for name in found if self._read and name not in self._read and name < self._read[-1]]
        if late:
            raise ValueError(f"source: {late[0]!r} came into the folder after {self._read[-1]!r} was read; give new "
                             "files later names")
        return [name for name in found if name not in self._read]

    def _columns_of(self, files: list[str]) -> int:
        """Columns that a folder of libsvm files has; 0 where the first file is none."""
        texts = [self.path / name for name in files if _is_text(name)]
        if not texts or not looks_like_libsvm(texts[0], texts[0].name):
            return 0
        return max(survey(path).columns for path in texts if looks_like_libsvm(path, path.name))

    def _open(self, name: str) -> Any:
        path = self.path / name
        if path.suffix.lower() in PARQUET:
            return ParquetReader(path)
        if path.suffix.lower() in ARROW:
            return ArrowReader(path)
        if self._columns and looks_like_libsvm(path, name):
            return LibsvmReader(path, columns=self._columns)
        reader = CsvReader(path, **self._options, layout=self._layout)
        self._layout = reader.layout
        return reader

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """The named columns of every file."""
        while True:
            files = self._new_files()
            if not files:
                if not self.follow or self._stop():
                    return
                time.sleep(LOOK_EVERY)
                continue
            reader = self._current if self._current is not None else self._open(files[0])
            self._current = None
            missing = [name for name in names if name not in reader.names]
            if missing:
                raise ValueError(f"source: {files[0]!r} has no column {missing[0]!r}; its columns are "
                                 f"{', '.join(reader.names)}")
            yield from reader.chunks(names)
            self._read.append(files[0])


def _is_text(name: str) -> bool:
    """Whether a name is that of a text file, packed or not."""
    name = name.lower()
    return name.removesuffix(next((end for end in SUFFIXES if name.endswith(end)), "")).endswith(TEXT)
