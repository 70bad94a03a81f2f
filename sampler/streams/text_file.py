"""Whole rows of a text file as UTF-8, a block at a time: packed or plain, of any encoding, a pipe or a file that grows."""

import codecs
import io
import lzma
import os
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sampler.streams.source_error import SourceError, refuse_binary, refuse_other_kind

BLOCK = 1 << 20
"""Bytes read at once; of a pipe, what has come."""
HEAD = 1 << 16
"""Bytes that show what a file is, and its separator."""
LOOK_EVERY = 0.05
LONGEST_CELL = 1 << 20
"""Bytes of a quoted cell."""
MOST_UNPACKED, MOST_PACKED = 1_000_000_000, 100
"""Bytes of a packed file, or of a group of rows of Parquet, that may be more than so many times its size."""
PACKED = {".gz": ("gzip", rb"\x1f\x8b\x08"), ".bz2": ("bz2", rb"BZh[1-9]1AY&SY"), ".zst": ("zstd", rb"\x28\xb5\x2f\xfd"),
          ".xz": ("xz", rb"\xfd7zXZ\x00")}
"""End of a name, the compression, and the first bytes of such a file."""
MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
         (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
"""Byte order marks and their encodings; those of four bytes before the two they begin with."""
LATIN = "cp1252"
"""What is no UTF-8 is taken for Windows-1252, of which Latin-1 is a part: both can be any bytes, and Excel writes it."""
HALF = 0.4
"""Share of zeros in every other byte from which a file without a mark is UTF-16: digits and separators have them."""
_MARK, _BREAK = ord('"'), ord("\n")
_SEPARATOR_LINE = re.compile(rb'\s*"?sep=.?"?[;,\t|]*(?=\n)', re.IGNORECASE)
"""A first line that names the separator to Excel, and is no row."""


class PackedFile:
    """Unpacked bytes of a packed file; a few bytes that unpack to far too many are refused.

    Parameters
    ----------
    file : binary file object
        Packed.
    kind : {"gzip", "bz2", "zstd", "xz"}
    name : str
        Of the file, for messages.
    size : int
        Its size in bytes.

    Raises
    ------
    SourceError
        At a read of what is damaged, or unpacks to more than 1 GB and a hundred times its size.
    """

    def __init__(self, file: Any, kind: str, name: str, size: int) -> None:
        self._file, self._kind, self.name, self._count = file, kind, name, 0
        self._most = max(MOST_UNPACKED, MOST_PACKED * size)
        if kind == "xz":  # PyArrow has the other three
            self._inner: Any = lzma.LZMAFile(file)
        else:
            import pyarrow as pa

            self._inner = pa.CompressedInputStream(pa.PythonFile(file, "r"), kind)

    def read(self, size: int) -> bytes:
        """Up to ``size`` bytes; b"" at the end."""
        try:
            data: bytes = self._inner.read(size)
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise SourceError("source", f"{self.name!r} is compressed with {self._kind}; unpacking it broke off after "
                              f"{self._count:,} bytes ({error})", "copy it again") from None
        self._count += len(data)
        if self._count > self._most:
            raise SourceError("source", f"{self.name!r} unpacks to more than {self._most:,} bytes",
                              "unpack it and look at it")
        return data

    def close(self) -> None:
        """Close the packed file too."""
        self._inner.close()
        self._file.close()


def unpacked(file: Any, name: str) -> Any:
    """Return a binary file whose first bytes are those of a packed one as what it holds; any other, and a pipe, as it is."""
    if not getattr(file, "seekable", bool)():
        return file
    start, head = file.tell(), file.read(10)
    kind = next((kind for kind, magic in PACKED.values() if re.match(magic, head)), "")
    size = file.seek(0, os.SEEK_END) if kind else 0
    file.seek(start)
    return PackedFile(file, kind, name, size) if kind else file


class Utf8:
    """Bytes of any encoding as UTF-8 without a byte order mark, with line feeds in the place of carriage returns.

    The encoding shows in the mark, in the zeros that UTF-16 has, and in the first bytes that are no ASCII: they are UTF-8 or
    else Windows-1252.

    Parameters
    ----------
    name : str
        Of the file, for messages.
    encoding : str, optional
        As Python calls it; None detects it.

    Raises
    ------
    SourceError
        At the first bytes of what is no text; at once for an encoding that Python does not have.
    """

    def __init__(self, name: str, encoding: str | None = None) -> None:
        self.name, self.detected, self._begun = name, "", False
        self._newlines: Any = io.IncrementalNewlineDecoder(None, translate=True)
        self._decoder: codecs.IncrementalDecoder | None = None
        if encoding is not None:
            self._use(checked_encoding(encoding))

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about a detected encoding other than UTF-8."""
        if self.detected == LATIN:
            return ("read as Latin-1 (Windows-1252), since it is not UTF-8",)
        return (f"read as {self.detected.upper().removesuffix('-LE').removesuffix('-BE')}",) if self.detected else ()

    def decode(self, data: bytes, final: bool = False) -> bytes:
        """Return the next bytes as UTF-8, but for the start of a character that is cut at their end."""
        if not self._begun and data:
            self._begin(data)
        if self._decoder is None and not data.isascii():
            try:
                codecs.getincrementaldecoder("utf-8")().decode(data)  # a character may be cut at the end
                self._use("utf-8")
            except UnicodeDecodeError:
                self._use(LATIN, detected=True)
        text = data.decode("ascii") if self._decoder is None else self._decoder.decode(data, final)
        cells: str = self._newlines.decode(text, final)
        return cells.removeprefix("\ufeff").encode()  # the mark

    def _begin(self, data: bytes) -> None:
        self._begun = True
        refuse_other_kind(data, self.name)
        if self._decoder is None:
            encoding = next((name for mark, name in MARKS if data.startswith(mark)), _by_zeros(data))
            if encoding:
                self._use(encoding, detected=encoding != "utf-8")
            else:
                refuse_binary(data, self.name)

    def _use(self, encoding: str, detected: bool = False) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self.detected = encoding if detected else ""


def first_text(head: bytes, name: str, encoding: str | None = None) -> bytes:
    """Return the first bytes of a file, packed or not, as UTF-8.

    Raises
    ------
    SourceError
        For what is no text, with what it is.
    """
    return Utf8(name, encoding).decode(unpacked(io.BytesIO(head), name).read(HEAD))


def checked_encoding(encoding: str) -> str:
    """Return an encoding that Python has; SourceError for any other."""
    try:
        codecs.getincrementaldecoder(encoding)("replace").decode(b"")
        "".encode(encoding)
    except (LookupError, TypeError, AttributeError, AssertionError):
        raise SourceError("", "encoding must be one that Python knows, such as 'utf-8', 'latin-1', 'cp1251' or 'shift_jis', "
                          f"got {encoding!r}", "leave it out to have it detected") from None
    return encoding


def _by_zeros(data: bytes) -> str:
    """UTF-16 without a mark, by the zero half of its digits and separators; empty for anything else."""
    half = len(data) // 2
    even, odd = data[:2 * half:2].count(0), data[1:2 * half:2].count(0)
    if half and odd > HALF * half and not even:
        return "utf-16-le"
    return "utf-16-be" if half and even > HALF * half and not odd else ""


class TextRows:
    """Iterates over a text file in blocks that end at the end of a row.

    Parameters
    ----------
    path : path or binary file object
    follow : bool
        Wait for more when the end is reached (a file that is being written). A last line without its end is
        then left for later; otherwise it counts as whole.
    stop : callable, optional
        Asked while waiting; True ends the stream.
    name : str, optional
        Of the file, for messages; its path if not given.
    encoding : str, optional
        As Python calls it; None detects it.
    quoted : callable, optional
        Takes the first rows and returns the separator after which a quoted cell may begin: a line break in such a cell ends
        no row. None where there are no such cells.
    """

    def __init__(self, path: Any, follow: bool = False, stop: Callable[[], bool] | None = None,
                 name: str = "", encoding: str | None = None, quoted: Callable[[str], str] | None = None) -> None:
        is_open = hasattr(path, "read")
        self.name = name or (getattr(path, "name", "the upload") if is_open else os.fspath(path))
        self._follow, self._stop = follow, stop or (lambda: False)
        self._quoted, self._separator = quoted, ""
        self._file = unpacked(path if is_open else open(path, "rb"), self.name)
        self.packed = isinstance(self._file, PackedFile)
        if self.packed and follow:
            self._file.close()
            raise SourceError("", "follow must be False for a packed file, which cannot grow", "follow its folder")
        self.text = Utf8(self.name, encoding)  #: whose notes say what was detected so far

    def __iter__(self) -> Iterator[bytes]:
        rest, begins, read = b"", True, getattr(self._file, "read1", self._file.read)
        try:
            while True:
                piece = read(BLOCK) or b""
                if not piece and self._follow and not self._stop():
                    self._refuse_a_cut()
                    time.sleep(LOOK_EVERY)
                    continue
                data = rest + self.text.decode(piece, final=not piece)
                if begins and b"\n" in data:
                    data, begins = _SEPARATOR_LINE.sub(b"", data, 1) if _SEPARATOR_LINE.match(data) else data, False
                end, start = self._end_of_rows(data)
                if start >= 0 and (len(data) - start > max(BLOCK, LONGEST_CELL) or not piece and not self._follow):
                    cell = data[start:start + 40].decode("utf-8", "replace")
                    raise SourceError("source",
                                      f"{self.name!r} has a quotation mark that is never closed, before {cell[1:]!r}",
                                      "close or delete it")
                end = len(data) if not piece and not self._follow else end
                rest = data[end:]
                if end:
                    yield data[:end]
                elif len(data) > 64 * BLOCK:
                    raise SourceError("source", f"{self.name!r} has a line of more than {len(data):,} bytes",
                                      "is it a table of text?")
                if not piece:
                    return
        finally:
            self._file.close()

    def _end_of_rows(self, data: bytes) -> tuple[int, int]:
        if self._quoted is None or b'"' not in data:
            return data.rfind(b"\n") + 1, -1
        if not self._separator and b"\n" in data:
            self._separator = self._quoted(data[:HEAD].decode("utf-8", "replace"))
        return end_of_rows(data, self._separator or ",")

    def _refuse_a_cut(self) -> None:
        """Refuse a file that became shorter than what was read: rows seen are gone."""
        try:
            size, at = os.fstat(self._file.fileno()).st_size, self._file.tell()
        except (OSError, ValueError):
            return
        if size < at:
            raise SourceError("source", f"{self.name!r} became shorter ({size:,} bytes, {at:,} were read)",
                              "start again with the new file")


def _quoted_cell(separator: str) -> re.Pattern[bytes]:
    """A cell that begins with a quotation mark, to its end or to the end of the bytes; two marks in it stand for one."""
    return re.compile(rb'(?:\A|(?<=[\n' + re.escape(separator.encode()) + rb']))"[^"]*(?:"|\Z)(?:"[^"]*(?:"|\Z))*')


def end_of_rows(data: bytes, separator: str) -> tuple[int, int]:
    """Return the end of the whole rows in bytes that begin with a row, and the start of a quoted cell that is open there.

    Returns
    -------
    end : int
        After the last line break outside quoted cells; 0 where there is none.
    start : int
        Of a cell that is not closed in these bytes; -1 where there is none.
    """
    marks = _marks_in_turn(data, separator)
    if marks is not None:
        breaks = np.flatnonzero(np.frombuffer(data, np.uint8) == _BREAK)
        outside = breaks[np.searchsorted(marks, breaks) % 2 == 0]
        last = len(marks) - 1
        while last > 0 and marks[last] == marks[last - 1] + 1:  # two marks for one: the cell began before them
            last -= 2
        return int(outside[-1]) + 1 if len(outside) else 0, int(marks[last]) if len(marks) % 2 else -1
    end, open_at = data.rfind(b"\n"), -1
    cells = [cell.span() for cell in _quoted_cell(separator).finditer(data)]
    for start, stop in reversed(cells):
        if open_at < 0 and stop == len(data) and data.count(b'"', start, stop) % 2:
            open_at = start
        if stop <= end:
            break
        if start <= end:
            end = data.rfind(b"\n", 0, start)
    return end + 1, open_at


def _marks_in_turn(data: bytes, separator: str) -> np.ndarray | None:
    """Places of all quotation marks, where they open and close in turn: every second one begins a cell or follows the one
    before it at once. None where a mark stands within a cell that has none at its beginning.
    """
    text = np.frombuffer(data, np.uint8)
    marks = np.flatnonzero(text == _MARK)
    before = text[marks[::2] - 1]
    if len(marks) and marks[0] == 0:
        before[0] = _BREAK
    return marks if np.isin(before, (*separator.encode(), _BREAK, _MARK)).all() else None
