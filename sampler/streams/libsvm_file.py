"""`LibsvmReader`: libsvm text, ``label index:value index:value ...``, as chunks of columns ``x1 ... xd`` and ``label``.

Indices count from 1 and increase; a column without an index in a row is zero there; ``# ...`` is a comment.

Rows are dense, here and in the sampler: a step reads dense rows four times as fast as sparse ones with 14 nonzeros in 124
columns (``python -m tests.benchmarks sparse_rows``), and from about 64 chains caches take more memory than rows.
"""

import io
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sampler.streams.chunk import Chunk
from sampler.streams.source_error import SourceError
from sampler.streams.text_file import HEAD, TextRows, first_text

LABEL = "label"
FORMAT_LINES = 50  # leading lines from which the format is detected
PACKED_HEAD = 1 << 22  # bytes read from a possibly compressed file for that
DENSE_BYTES = 4_000_000  # maximum size of a chunk's columns
MOST_COLUMNS = 20_000
LABELS_KEPT = 3  # distinct labels, enough to distinguish two classes from more
PAIR = r"(?:qid|\d+):\S*"
"""An index and its value, well formed or not; ``qid``, of ranking data, is refused."""


def is_libsvm(lines: list[str]) -> bool:
    """Return whether most of the first lines with several fields are a number followed only by ``index:value`` pairs."""
    rows = [fields for line in lines if len(fields := line.partition("#")[0].split()) > 1]
    like = [bool(re.fullmatch(r"[-+.\deE]+", fields[0])) and all(re.fullmatch(PAIR, field) for field in fields[1:])
            for fields in rows]
    return 2 * sum(like) > len(rows)


def parse_rows(lines: list[bytes], columns: int) -> tuple[list[Any], tuple[tuple[int, str, str], ...]]:
    """Parse lines to rows of (label, columns from 0, values); return malformed rows as in ``Chunk.skipped``.

    A row with an index above ``columns`` is malformed.
    """
    rows, broken = [], []
    texts = (line.decode("utf-8", "replace").partition("#")[0].split() for line in lines)
    for number, fields in enumerate(filter(None, texts), 1):
        try:
            rows.append(_row(fields, columns))
        except ValueError as error:
            broken.append((number, str(error), ""))
    return rows, tuple(broken)


def _row(fields: list[str], columns: int) -> tuple[float, list[int], list[float]]:
    """Return label, columns from 0 and values of a row; raise a ValueError with the reason if it is malformed."""
    label = _number(fields[0])
    if label is None:
        raise ValueError(f"the label must be a finite number, got {fields[0]!r}")
    places, values, last = [], [], 0
    for field in fields[1:]:
        index, _, cell = field.partition(":")
        value = _number(cell)
        if not index.isascii() or not index.isdigit() or value is None:
            raise ValueError(f"expected index:value, got {field!r}")
        if int(index) <= last:
            raise ValueError(f"indices must increase from 1, got {index} after {last}")
        last = int(index)
        places.append(last - 1)
        values.append(value)
    if last > columns:
        raise ValueError(f"index {last} is beyond the {columns:,} columns that the file had when it was opened")
    return label, places, values


def _number(field: str | bytes) -> float | None:
    try:
        value = float(field)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def looks_like_libsvm(path: Any, name: str = "the upload", encoding: str | None = None) -> bool:
    """Return whether the first lines of a path or a seekable binary file are libsvm; the file position is restored.

    Raises
    ------
    SourceError
        If the file is not text; the message names its type.
    """
    if hasattr(path, "read"):
        start = path.tell()
        block = path.read(PACKED_HEAD)
        path.seek(start)
    else:
        with open(path, "rb") as file:
            block = file.read(PACKED_HEAD)
    text = first_text(block, name, encoding)
    whole = text[:text.rfind(b"\n") + 1] if len(text) >= HEAD else text
    head = whole or text.rpartition(b" ")[0]  # of a longer line, the complete cells
    return is_libsvm(head.decode("utf-8", "replace").splitlines()[:FORMAT_LINES])


def survey(path: Any, name: str = "") -> tuple[int, int, tuple[float, ...]]:
    """Return the largest index, the number of data rows, and the (up to three) smallest distinct labels.

    Indices are assumed to increase, so that only the last one of each row is read.
    """
    columns, rows, labels = 0, 0, set()
    for block in TextRows(path, name=name):
        for line in block.splitlines():
            fields = (line.partition(b"#")[0] if b"#" in line else line).split()
            if not fields:
                continue
            rows += 1
            place = fields[-1].partition(b":")[0]
            if len(fields) > 1 and place.isdigit():
                columns = max(columns, int(place))
            labels.add(fields[0])
            if len(labels) > 4 * LABELS_KEPT:  # a label may have several spellings
                labels = set(sorted(labels)[:4 * LABELS_KEPT])
    return columns, rows, tuple(sorted({value for value in map(_number, labels) if value is not None})[:LABELS_KEPT])


def _opened(path: Any) -> Any:
    return io.BytesIO(path) if isinstance(path, bytes | bytearray) else path


class LibsvmReader:
    """Reader of a libsvm file as dense requested columns; malformed rows are skipped with a reason.

    A first pass counts the columns, so a pipe cannot be read.

    Parameters
    ----------
    path : path, or bytes of an upload
    follow, stop : as in ``open_source``
        In a growing file, rows with an index above those of the first pass are left out.
    place : str, optional
        File name for messages.
    """

    def __init__(self, path: str | os.PathLike[str] | bytes, follow: bool = False, stop: Callable[[], bool] | None = None,
                 place: str = "") -> None:
        self.place = place if isinstance(path, bytes | bytearray) else place or os.path.basename(os.fspath(path))
        name = self.place or "the upload"
        self.columns, rows, labels = survey(_opened(path), name)
        if not self.columns:
            raise SourceError("source", f"{name!r} holds no libsvm line with features", "check the file")
        self._name_columns()
        self.rows = None if follow else rows
        self.label_values = () if follow else labels
        self._open: Callable[[], TextRows] = lambda: TextRows(_opened(path), follow, stop, name=name)
        self._blocks: TextRows | None = None  # opened by `chunks`; an unread reader has nothing to close

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on the detected encoding."""
        return self._blocks.text.notes if self._blocks else ()

    def _name_columns(self) -> None:
        if self.columns > MOST_COLUMNS:
            raise SourceError("source", f"{self.place or 'the upload'!r} has {self.columns:,} columns; at most "
                              f"{MOST_COLUMNS:,} can be used, since chains are dense", "write a file with fewer columns")
        self.names = (*(f"x{j + 1}" for j in range(self.columns)), LABEL)

    def widen(self, names: Any) -> None:
        """Add the named columns, zero in this file: another file of the same data may have them."""
        numbers = [int(name[1:]) for name in names if re.fullmatch(r"x\d{1,6}", str(name))]
        self.columns = max([self.columns, *numbers])
        self._name_columns()

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """Yield the named columns in chunks of at most ``DENSE_BYTES``."""
        wanted = np.full(self.columns, -1)
        features = [name for name in names if name != LABEL]
        wanted[[int(name[1:]) - 1 for name in features]] = np.arange(len(features))
        first, most = 1, max(1, DENSE_BYTES // (8 * max(1, len(features))))
        self._blocks = self._open()
        for block in self._blocks:
            lines = block.splitlines(keepends=True)
            for at in range(0, len(lines), most):
                rows, broken = parse_rows(lines[at:at + most], self.columns)
                dense = np.zeros((len(features) + 1, len(rows)))  # the last one receives columns not requested
                for row, (_, places, values) in enumerate(rows):
                    dense[wanted[places], row] = values
                columns = dict(zip(features, dense, strict=False))
                columns[LABEL] = np.array([label for label, _, _ in rows], float)
                chunk = Chunk({name: columns[name] for name in names}, len(rows), first, self.place, broken)
                first += chunk.read
                if chunk.read:
                    yield chunk
