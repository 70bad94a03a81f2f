"""`CsvReader`: delimited text files as chunks of named text columns; detection of separator, decimal mark and header."""

import csv
import io
import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from sampler.arguments import shown
from sampler.streams.chunk import Chunk
from sampler.streams.libsvm_file import is_libsvm
from sampler.streams.number_columns import MISSING_WORDS
from sampler.streams.source_error import SourceError
from sampler.streams.text_file import TextRows

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
LAYOUT_ROWS = 50  # leading rows from which the separator and the header are detected
DECIMAL_ROWS = 1000  # leading rows from which the decimal mark is detected
_COMMA, _POINT = (re.compile(rf"[-+]?\d*{mark}\d+(?:[eE][-+]?\d+)?") for mark in (",", r"\."))
_BREAK = re.compile(r"\s*[\r\n]\s*")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+")


def separator_of(text: str) -> str:
    """Return the separator that splits the first rows of a text into the most columns.

    A comma may be a decimal mark instead: another separator is preferred if it yields a larger share of numbers.
    """
    columns = {separator: _columns(text, separator) for separator in SEPARATORS}
    widest = max(SEPARATORS, key=lambda s: (columns[s], -list(SEPARATORS).index(s)))
    others = [s for s in SEPARATORS if columns[s] > 1]
    if widest != "," or len(others) < 2:
        return widest
    return max(others, key=lambda s: (_share_of_numbers(text, s), columns[s], -others.index(s)))


def _share_of_numbers(text: str, separator: str) -> float:
    """Return the share of cells in the first rows that are numbers, with either decimal mark."""
    cells = [cell for _, row in islice(records(text, separator), LAYOUT_ROWS) for cell in row]
    return sum(map(_is_number, cells)) / len(cells)


def _trailing(rows: list[list[str]]) -> int:
    """Return the number of empty trailing columns; at least two columns remain."""
    width = len(rows[0])
    used = max(max((j + 1 for j in range(len(row) - 1, -1, -1) if row[j].strip()), default=0)
               for row in rows if len(row) <= width)
    return width - max(used, min(2, width))


def records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-empty rows of a text: the number of the first line of the row, from 1, and the cells.

    Raises
    ------
    SourceError
        If the text cannot be split into cells.
    """
    lines = io.StringIO(text, newline="")  # a carriage return stays in its cell
    reader = csv.reader((line.strip() for line in lines) if separator == " " else lines, delimiter=separator)
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise SourceError("source", f"line {line:,} cannot be split into cells ({error})",
                          "open the file in an editor") from None


def after_header(text: str, separator: str) -> int:
    """Return the number of UTF-8 bytes up to the end of the first non-empty row."""
    reader = iter(records(text, separator))
    next(reader)
    line = next(reader, (None,))[0]
    if line is None:
        return len(text.encode())
    lines = io.StringIO(text, newline="")
    return sum(len(next(lines).encode()) for _ in range(line - 1))


def _columns(text: str, separator: str) -> int:
    """Return the most frequent number of columns if at least half of the rows have it (for spaces, over half); else 1."""
    try:
        counts = [len(row) for _, row in islice(records(text, separator), LAYOUT_ROWS)]
    except SourceError:
        return 1
    most = max(set(counts), key=lambda n: (counts.count(n), n), default=1)
    return most if 2 * counts.count(most) + (separator != " ") > len(counts) else 1


def _decimal(rows: list[list[str]]) -> str:
    """Return a comma if numbers contain commas and none a point; else a point. If all could be thousands (1,234), return a
    point: the cells are then reported as text rather than read as a thousandth of their value.
    """
    commas = [cell for row in rows for cell in map(str.strip, row) if _COMMA.fullmatch(cell)]
    if not commas or any(_POINT.fullmatch(cell.strip()) for row in rows for cell in row):
        return "."
    return "." if all(_THOUSANDS.fullmatch(cell) for cell in commas) else ","


def _is_data(first: list[str], below: list[list[str]]) -> bool:
    """Return whether a first row that contains words is data: its words are above words and a number is above numbers, and
    that number has a sign or decimal mark (a year may be a name), or all its words recur below.
    """
    columns = [[row[j].strip() for row in below if j < len(row)] for j in range(len(first))]
    first = [cell.strip() for cell in first]
    words = [j for j, cell in enumerate(first) if not _is_number(cell)]
    numbers = [j for j, cell in enumerate(first) if any(digit in cell for digit in "0123456789") and _is_number(cell)
               and columns[j] and all(map(_is_number, columns[j]))]
    if not numbers or any(all(map(_is_number, columns[j])) for j in words):
        return False
    return any(not first[j].isdigit() for j in numbers) or all(first[j] in columns[j] for j in words)


def _about_names(first: list[str], below: list[list[str]], names: tuple[str, ...], header: bool) -> str:
    """Return a sentence on the source of the column names; empty if words alone are above a column of numbers."""
    if not header:
        return f"no header was detected: the columns are named {', '.join(names[:3])}{', …' * (len(names) > 3)}"
    sure = not any(map(_is_number, first)) and any(
        all(_is_number(row[j]) for row in below if j < len(row)) for j in range(len(first)))
    return "" if sure and below else f"the first row was read as header: {', '.join(names[:3])}{', …' * (len(names) > 3)}"


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().replace(",", "."))
    except ValueError:
        return cell.strip() in ("", "NA", "NaN", "nan", "null", "?")
    return True


class CsvReader:
    """Reader of a CSV file; holds one block in memory.

    Options as in ``open_source``; ``name`` is the file name in messages if it differs from that of the path.

    Attributes
    ----------
    names : tuple of str
        Column names; ``c1, c2, ...`` without a header.
    decimal : {".", ","}
    """

    def __init__(self, path: str | os.PathLike[str], separator: str | None = None, header: bool | None = None,
                 follow: bool = False, stop: Callable[[], bool] | None = None, name: str = "",
                 encoding: str | None = None) -> None:
        self.place = name or (os.path.basename(os.fspath(path)) if not hasattr(path, "read") else "")
        where = self.place or "the upload"
        self._lines = TextRows(path, follow, stop, where, encoding,
                               separator_of if separator is None else lambda text: separator)
        self._blocks = iter(self._lines)
        self._first = next(filter(bytes.strip, self._blocks), b"")
        text = self._first.decode()
        if is_libsvm([line for line in text.splitlines()[:2 * LAYOUT_ROWS] if line.strip()][:LAYOUT_ROWS]):
            raise SourceError("source", f"{self.place or 'the pipe'!r} holds libsvm rows: the number of columns requires a "
                              "first pass over all rows", "pass the path of a file that already has rows")
        begin = after_header(text, self._separator) if self._lay_out(text, where, separator, header) else 0
        self.rows: int | None = None
        if not (follow or hasattr(path, "read") or self._lines.packed):  # from the mean length of the first rows, plus 3 %
            self.rows = int(1.03 * os.path.getsize(path) * (self._first.count(b"\n") + 1) / len(self._first)) + 64
        self._first = self._first[begin:]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on the detected encoding, decimal mark and header."""
        commas = "read with decimal commas" if self.decimal == "," else ""
        return (*self._lines.text.notes, *filter(None, (commas, self._notes)))

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """Yield the named columns, one block per chunk."""
        first, begin, self._first = 1, self._first, b""
        for block in filter(bytes.strip, itertools.chain([begin], self._blocks)):
            chunk = self._parse(block, names, first)
            first += chunk.read
            yield chunk

    def _lay_out(self, text: str, where: str, separator: str | None, header: bool | None) -> bool:
        """Determine the layout from ``text``, the first complete rows; return whether the first is a header."""
        if not text.strip():
            raise SourceError("source", f"{where!r} holds no rows; wait for data, or check the path")
        if separator is None:
            separator = separator_of(text)
        elif len(separator) != 1:
            raise SourceError("", f"separator must be one character, got {separator!r}", "None detects it")
        if _columns(text, separator) < 2:
            better = max(SEPARATORS, key=lambda s: _columns(text, s))
            hint = (f"it looks separated by {SEPARATORS[better]}s, pass separator={better!r}"
                    if _columns(text, better) > 1 else "at least a response and one feature are needed")
            raise SourceError("source", f"{where!r} has one column when split at {separator!r}; {hint}")
        rows = [row for _, row in islice(records(text, separator), DECIMAL_ROWS)]
        if len(rows[0]) < (usual := _columns(text, separator)):
            raise SourceError("source", f"{where!r} begins with the row {shown(separator.join(rows[0]))}, which has "
                             f"{len(rows[0])} of the {usual} cells of most rows",
                              "delete the lines above the header")
        trailing = _trailing(rows)
        rows = [row[:len(rows[0]) - trailing] for row in rows] if trailing else rows
        first = rows[0]
        guessed = header is None
        if header is None:
            header = not all(_is_number(cell) for cell in first) and not _is_data(first, rows[1:])
        names = tuple(_BREAK.sub(" ", name.strip()) if header else f"c{i + 1}" for i, name in enumerate(first))
        if header and any(_is_number(name) or not name for name in names) and all(
                _is_number(cell) or not cell.strip() for cell in first):
            raise SourceError("source", f"{where!r} has a first line of numbers, so it has no header; pass header=False")
        twice = sorted(name for name, times in Counter(names).items() if times > 1)
        if twice == [""]:
            raise SourceError("source", f"{where!r} has {names.count('')} columns without a name in its first row, "
                             f"{', '.join(map(repr, names[:4]))}; delete the lines above the header, or name each column")
        if twice:
            raise SourceError("source", f"{where!r} has two columns named {twice[0]!r}; rename one")
        notes = _about_names(first, rows[1:], names, header) if guessed else ""
        self.names, self.decimal, self._notes = names, _decimal(rows[header:]), notes
        self._separator, self._beyond = separator, [f"\0{i}" for i in range(trailing)]  # empty columns
        return header

    def _parse(self, block: bytes, names: tuple[str, ...], first: int) -> Chunk:
        import pyarrow as pa
        from pyarrow import csv

        skipped = []

        def on_bad_row(row: Any) -> str:
            skipped.append((row.number, f"{row.actual_columns} cells where {row.expected_columns} are expected", ""))
            return "skip"

        try:
            table = csv.read_csv(
                io.BytesIO(block),
                read_options=csv.ReadOptions(use_threads=False, column_names=[*self.names, *self._beyond],
                                             block_size=max(len(block), 1)),
                parse_options=csv.ParseOptions(delimiter=self._separator, invalid_row_handler=on_bad_row,
                                               newlines_in_values=b'"' in block),
                convert_options=csv.ConvertOptions(
                    column_types={name: pa.string() for name in self.names}, include_columns=list(names),
                    null_values=list(MISSING_WORDS), strings_can_be_null=True, check_utf8=False))
        except pa.ArrowInvalid as error:
            raise SourceError("source", f"{self.place or 'the upload'!r} cannot be parsed from row {first:,} on ({error})",
                              "open it in an editor") from None
        columns = {name: table[name].combine_chunks() for name in names}
        return Chunk(columns, table.num_rows, first, self.place, tuple(skipped))
