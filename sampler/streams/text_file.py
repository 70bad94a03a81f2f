"""`TextRows`: complete rows of a text file as UTF-8 blocks; compressed or plain, any encoding, pipes and growing files."""

import codecs
import io
import lzma
import os
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sampler.streams.source_error import SourceError, check_file_type, check_not_binary

BLOCK = 1 << 20
"""Number of bytes per read; of a pipe, at most."""
HEAD = 1 << 16
"""Number of leading bytes from which the file type and the separator are detected."""
POLL_EVERY = 0.05
LONGEST_CELL = 1 << 20
"""Maximum size of a quoted cell in bytes."""
MOST_UNPACKED, MOST_PACKED = 1_000_000_000, 100
"""Limits of decompressed data: this many bytes, or this multiple of the compressed size if that is larger."""
PACKED = {".gz": ("gzip", rb"\x1f\x8b\x08"), ".bz2": ("bz2", rb"BZh[1-9]1AY&SY"), ".zst": ("zstd", rb"\x28\xb5\x2f\xfd"),
          ".xz": ("xz", rb"\xfd7zXZ\x00")}
"""File suffix -> compression and magic bytes."""
MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
         (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
"""Byte order marks and their encodings; marks of four bytes precede those of two that they begin with."""
LATIN = "cp1252"
"""Fallback encoding if the text is not UTF-8: Windows-1252, a superset of Latin-1 that Excel writes."""
HALF = 0.4
"""Share of zeros in every other byte above which a file without a mark is UTF-16, from its digits and separators."""
_MARK, _BREAK = ord('"'), ord("\n")
_SEPARATOR_LINE = re.compile(rb'\s*"?sep=.?"?[;,\t|]*(?=\n)', re.IGNORECASE)
"""A first line that declares the separator for Excel and is not a row."""


class PackedFile:
    """Decompressed bytes of a compressed file, with a limit against decompression bombs.

    Parameters
    ----------
    file : binary file object
        Compressed file.
    kind : {"gzip", "bz2", "zstd", "xz"}
    name : str
        File name for messages.
    size : int
        Compressed size in bytes.

    Raises
    ------
    SourceError
        On reading, if the data are damaged, or exceed both 1 GB and a hundred times the compressed size.
    """

    def __init__(self, file: Any, kind: str, name: str, size: int) -> None:
        self._file, self._kind, self.name, self._count = file, kind, name, 0
        self._most = max(MOST_UNPACKED, MOST_PACKED * size)
        if kind == "xz":  # PyArrow supports the other three
            self._inner: Any = lzma.LZMAFile(file)
        else:
            import pyarrow as pa

            self._inner = pa.CompressedInputStream(pa.PythonFile(file, "r"), kind)

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes; b"" at the end."""
        try:
            data: bytes = self._inner.read(size)
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise SourceError("source", f"{self.name!r} is compressed with {self._kind}; unpacking it broke off after "
                              f"{self._count:,} bytes ({error})", "copy it again") from None
        self._count += len(data)
        if self._count > self._most:
            raise SourceError("source", f"{self.name!r} unpacks to more than {self._most:,} bytes",
                              "unpack it and check its content")
        return data

    def close(self) -> None:
        """Close the stream and the compressed file."""
        self._inner.close()
        self._file.close()


def unpacked(file: Any, name: str) -> Any:
    """Wrap a compressed binary file in a `PackedFile`; return any other file, and a pipe, unchanged."""
    if not getattr(file, "seekable", bool)():
        return file
    start, head = file.tell(), file.read(10)
    kind = next((kind for kind, magic in PACKED.values() if re.match(magic, head)), "")
    size = file.seek(0, os.SEEK_END) if kind else 0
    file.seek(start)
    return PackedFile(file, kind, name, size) if kind else file


class Utf8:
    """Incremental conversion of text to UTF-8 without a byte order mark and with line feeds as line breaks.

    The encoding is detected from the mark, from the zero bytes of UTF-16, and from the first non-ASCII bytes: UTF-8,
    else Windows-1252.

    Parameters
    ----------
    name : str
        File name for messages.
    encoding : str, optional
        Python name of the encoding; None detects it.

    Raises
    ------
    SourceError
        If Python does not support the encoding; on decoding, if the first bytes are not text.
    """

    def __init__(self, name: str, encoding: str | None = None) -> None:
        self.name, self.detected, self._begun = name, "", False
        self._newlines: Any = io.IncrementalNewlineDecoder(None, translate=True)
        self._decoder: codecs.IncrementalDecoder | None = None
        if encoding is not None:
            self._use(checked_encoding(encoding))

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence on a detected encoding other than UTF-8; else empty."""
        if self.detected == LATIN:
            return ("read as Latin-1 (Windows-1252), since it is not UTF-8",)
        return (f"read as {self.detected.upper().removesuffix('-LE').removesuffix('-BE')}",) if self.detected else ()

    def decode(self, data: bytes, final: bool = False) -> bytes:
        """Return the next bytes as UTF-8, except an incomplete character at their end."""
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
        check_file_type(data, self.name)
        if self._decoder is None:
            encoding = next((name for mark, name in MARKS if data.startswith(mark)), _by_zeros(data))
            if encoding:
                self._use(encoding, detected=encoding != "utf-8")
            else:
                check_not_binary(data, self.name)

    def _use(self, encoding: str, detected: bool = False) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self.detected = encoding if detected else ""


def first_text(head: bytes, name: str, encoding: str | None = None) -> bytes:
    """Return the first bytes of a file, compressed or not, as UTF-8.

    Raises
    ------
    SourceError
        If the file is not text; the message names its type.
    """
    return Utf8(name, encoding).decode(unpacked(io.BytesIO(head), name).read(HEAD))


def checked_encoding(encoding: str) -> str:
    """Return ``encoding`` if Python supports it; raise a SourceError otherwise."""
    try:
        codecs.getincrementaldecoder(encoding)("replace").decode(b"")
        "".encode(encoding)
    except (LookupError, TypeError, AttributeError, AssertionError):
        raise SourceError("", "encoding must be a Python text encoding such as 'utf-8', 'latin-1', 'cp1251' or 'shift_jis', "
                          f"got {encoding!r}", "leave it out to detect it") from None
    return encoding


def _by_zeros(data: bytes) -> str:
    """Return the UTF-16 variant of text without a mark, detected by its zero bytes; empty for other encodings."""
    half = len(data) // 2
    even, odd = data[:2 * half:2].count(0), data[1:2 * half:2].count(0)
    if half and odd > HALF * half and not even:
        return "utf-16-le"
    return "utf-16-be" if half and even > HALF * half and not odd else ""


class TextRows:
    """Iterator over a text file in blocks of complete rows.

    Parameters
    ----------
    path : path or binary file object
    follow : bool
        Wait for more data at the end of the file. A last line without a line break is
        then incomplete; otherwise it is a row.
    stop : callable, optional
        Polled while waiting; True ends the stream.
    name : str, optional
        File name for messages; the path by default.
    encoding : str, optional
        Python name of the encoding; None detects it.
    quoted : callable, optional
        Returns, from the first rows, the separator after which a quoted cell may begin; a line break in such a cell does
        not end the row. None for a format without quoted cells.
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
            raise SourceError("", "follow must be False for a compressed file, which cannot grow", "follow its folder")
        self.text = Utf8(self.name, encoding)  #: with notes on the detected encoding

    def __iter__(self) -> Iterator[bytes]:
        rest, begins, read = b"", True, getattr(self._file, "read1", self._file.read)
        try:
            while True:
                piece = read(BLOCK) or b""
                if not piece and self._follow and not self._stop():
                    self._check_not_truncated()
                    time.sleep(POLL_EVERY)
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

    def _check_not_truncated(self) -> None:
        """Raise a SourceError if the file is shorter than the bytes read."""
        try:
            size, at = os.fstat(self._file.fileno()).st_size, self._file.tell()
        except (OSError, ValueError):
            return
        if size < at:
            raise SourceError("source", f"{self.name!r} became shorter ({size:,} bytes, {at:,} were read)",
                              "start again with the new file")


def _quoted_cell(separator: str) -> re.Pattern[bytes]:
    """Return a pattern for a quoted cell, up to its end or the end of the bytes; a doubled quotation mark is an escape."""
    return re.compile(rb'(?:\A|(?<=[\n' + re.escape(separator.encode()) + rb']))"[^"]*(?:"|\Z)(?:"[^"]*(?:"|\Z))*')


def end_of_rows(data: bytes, separator: str) -> tuple[int, int]:
    """Locate the end of the complete rows in bytes that begin with a row, and an unclosed quoted cell.

    Returns
    -------
    end : int
        Position after the last line break outside quoted cells; 0 if there is none.
    start : int
        Start of a quoted cell that is not closed in these bytes; -1 if there is none.
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
    """Return the positions of all quotation marks if they alternately open and close: every second one begins a cell or
    directly follows the previous one. Return None if a mark is inside an unquoted cell.
    """
    text = np.frombuffer(data, np.uint8)
    marks = np.flatnonzero(text == _MARK)
    before = text[marks[::2] - 1]
    if len(marks) and marks[0] == 0:
        before[0] = _BREAK
    return marks if np.isin(before, (*separator.encode(), _BREAK, _MARK)).all() else None
