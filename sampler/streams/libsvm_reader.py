"""A libsvm file as chunks of named columns, ``x1 ... xd`` and ``label``; memory of a block only."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sampler.streams.chunk import Chunk
from sampler.streams.libsvm_rows import SparseRows, is_libsvm, sparse_rows
from sampler.streams.line_blocks import LineBlocks
from sampler.streams.packed_file import unpacked
from sampler.streams.utf8_file import as_utf8

LABEL = "label"
LOOKED_AT = 50  # lines that tell the format,
HEAD = 1 << 16  # and bytes
PACKED_HEAD = 1 << 22  # of an open file that may be packed
DENSE_BYTES = 4_000_000  # of a chunk's columns
MOST_COLUMNS = 20_000
LABELS_KEPT = 3  # different ones: enough to tell two classes from more


class Survey(NamedTuple):
    """What a first pass over a file finds."""

    columns: int  #: largest index
    rows: int  #: lines that are neither empty nor a comment
    labels: tuple[float, ...]  #: the smallest up to three of the different labels


def looks_like_libsvm(path: Any, name: str = "the upload", encoding: str | None = None) -> bool:
    """Whether a path's or a seekable binary file's first lines are libsvm; the file is left where it was.

    Raises
    ------
    ValueError
        For a file that is no text, with what it is.
    """
    if hasattr(path, "read"):
        start = path.tell()
        block = unpacked(io.BytesIO(path.read(PACKED_HEAD)), name).read(HEAD)
        path.seek(start)
    else:
        with open(path, "rb") as file:
            block = unpacked(file, name).read(HEAD)
    whole = block[:block.rfind(b"\n") + 1] if len(block) == HEAD else block
    head = whole or block.rpartition(b" ")[0]  # of a line longer than that, the cells that are whole
    return is_libsvm(as_utf8(head, name, encoding).decode().splitlines()[:LOOKED_AT])


def survey(path: str | os.PathLike[str], name: str = "") -> Survey:
    """Look at a file once: rows are taken to have rising indices, so that the last one of each is enough."""
    columns, rows, labels = 0, 0, set()
    for block in LineBlocks(path, name=name):
        for line in block.splitlines():
            fields = (line.partition(b"#")[0] if b"#" in line else line).split()
            if not fields:
                continue
            rows += 1
            place = fields[-1].partition(b":")[0]
            if len(fields) > 1 and place.isdigit():
                columns = max(columns, int(place))
            labels.add(fields[0])
            if len(labels) > 4 * LABELS_KEPT:  # one label can be spelt in several ways
                labels = set(sorted(labels)[:4 * LABELS_KEPT])
    return Survey(columns, rows, tuple(sorted({value for value in map(_label, labels) if value is not None})[:LABELS_KEPT]))


def _label(cell: bytes) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


class LibsvmReader:
    """Chunks of a libsvm file, dense in the columns that are asked for; rows that are broken are skipped with a reason.

    A first pass finds the number of columns, so a pipe cannot be read.

    Parameters
    ----------
    path : path, or bytes of an upload
    follow, stop : as in ``open_source``
        Of a file that grows: rows with an index beyond those of the first pass are left out.
    columns : int, optional
        Columns there are at least: of a folder's files together.
    place : str, optional
        Name of the file in words.
    """

    def __init__(self, path: str | os.PathLike[str], follow: bool = False, stop: Callable[[], bool] | None = None,
                 columns: int = 0, place: str | None = None) -> None:
        self._upload = path if isinstance(path, bytes | bytearray) else None
        self.place = place if place is not None else "" if self._upload is not None else os.path.basename(os.fspath(path))
        name = self.place or "the upload"
        found = survey(self._file(path), name)
        self.columns = max(found.columns, columns)
        if not self.columns:
            raise ValueError(f"source: {name!r} holds no libsvm line with features; check the file")
        self._name_columns()
        self.rows = None if follow else found.rows
        self.label_values = () if follow else found.labels
        self._open: Callable[[], LineBlocks] = lambda: LineBlocks(self._file(path), follow, stop, name=name)
        self._blocks: LineBlocks | None = None  # opened when it is read: who never reads has nothing to close

    @property
    def said(self) -> tuple[str, ...]:
        """How the text was read, where that is worth a sentence."""
        return self._blocks.said if self._blocks else ()

    def _name_columns(self) -> None:
        if self.columns > MOST_COLUMNS:
            raise ValueError(f"source: {self.place or 'the upload'!r} has {self.columns:,} columns; at most "
                             f"{MOST_COLUMNS:,} can be used, since chains are dense; write a file of fewer")
        self.names = (*(f"x{j + 1}" for j in range(self.columns)), LABEL)

    def widen(self, names: Any) -> None:
        """Have the columns named: another part of the same data may have them, and here they are zero."""
        asked = [int(name[1:]) for name in names if re.fullmatch(r"x\d{1,6}", str(name))]
        self.columns = max([self.columns, *asked])
        self._name_columns()

    def _file(self, path: str | os.PathLike[str]) -> Any:
        return path if self._upload is None else io.BytesIO(self._upload)

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """The named columns, some rows at a time."""
        wanted = [int(name[1:]) - 1 for name in names if name != LABEL]
        first, most = 1, max(1, DENSE_BYTES // (8 * max(1, len(wanted))))
        self._blocks = self._open()
        for block in self._blocks:
            lines = block.splitlines(keepends=True)
            for at in range(0, len(lines), most):
                rows = sparse_rows(b"".join(lines[at:at + most]), self.columns)
                chunk = self._chunk(rows, names, wanted, first)
                first += chunk.n + len(chunk.skipped)
                if chunk.n or chunk.skipped:
                    yield chunk

    def _chunk(self, rows: SparseRows, names: tuple[str, ...], wanted: list[int], first: int) -> Chunk:
        dense = iter(rows.dense(wanted, self.columns))
        columns = {name: rows.labels if name == LABEL else next(dense) for name in names}
        return Chunk(columns, len(rows.labels), first, self.place, tuple((row, why) for row, _, why in rows.broken))
