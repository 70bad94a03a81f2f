"""`Utf8File`: a text file of any encoding, read as UTF-8."""

from __future__ import annotations

import codecs
import io
from typing import Any

from sampler.streams.file_kind import refuse_no_text, refuse_other_kind

MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
         (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
"""Byte order marks and what they say; four bytes are looked for before the two they begin with."""
LATIN = "cp1252"
"""What is no UTF-8 is taken for Windows-1252, of which Latin-1 is a part: both can be any bytes, and Excel writes it."""
HALF = 0.4
"""Share of zeros in every other byte from which a file without a mark is UTF-16: digits and separators have them."""


class Utf8File:
    """Bytes of a file as UTF-8, without a byte order mark, with line feeds where it has carriage returns alone.

    Its encoding is told by its mark, by the zeros that UTF-16 has, and by the first bytes that are no ASCII: they are UTF-8
    or else Windows-1252.

    Parameters
    ----------
    file : binary file object
    name : str
        Of the file, for the words.
    encoding : str, optional
        As Python calls it; None finds it.

    Raises
    ------
    ValueError
        At the first read of what is no text; at once for an encoding that Python does not know.
    """

    def __init__(self, file: Any, name: str = "the upload", encoding: str | None = None) -> None:
        self._file, self.name = file, name
        self._read = getattr(file, "read1", file.read)  # of a pipe: what has come, not a whole block
        self.encoding = None if encoding is None else checked_encoding(encoding)
        self.found = ""  #: encoding that was found, not given; empty while it may be any
        self._decoder: codecs.IncrementalDecoder | None = None
        self._begun, self._old_mac = False, False
        if self.encoding is not None:
            self._use(self.encoding)

    def __enter__(self) -> Utf8File:
        return self

    def __exit__(self, *error: Any) -> None:
        self._file.close()

    def fileno(self) -> int:
        """Number of the file."""
        return self._file.fileno()

    def tell(self) -> int:
        """Place in the file, in its own bytes."""
        return self._file.tell()

    @property
    def said(self) -> tuple[str, ...]:
        """What was found, where it is not UTF-8: a sentence."""
        if self.found == LATIN:
            return ("read as Latin-1 (Windows-1252), since it is not UTF-8",)
        return (f"read as {self.found.upper().removesuffix('-LE').removesuffix('-BE')}",) if self.found else ()

    def read(self, size: int = -1) -> bytes:
        """Some bytes, about ``size``; b"" at the end (of what there is yet)."""
        while True:
            data = self._read(size)
            if not data:
                return b""
            if not self._begun:
                data = self._begin(data)
            text = self._utf8(data)
            if text:
                return text.replace(b"\r", b"\n") if self._old_mac else text

    read1 = read

    def _begin(self, data: bytes) -> bytes:
        self._begun = True
        refuse_other_kind(data, self.name)
        if self.encoding is None:
            mark, encoding = next(((mark, name) for mark, name in MARKS if data.startswith(mark)), (b"", _by_zeros(data)))
            if encoding:
                data = data[len(mark):]
                self._use(encoding)
                self.found = "" if encoding == "utf-8" else encoding
        if self._decoder is None:
            refuse_no_text(data, self.name)
        self._old_mac = b"\r" in data and b"\n" not in data and self.encoding in (None, "utf-8", LATIN)
        return data

    def _use(self, encoding: str) -> None:
        self.encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def _utf8(self, data: bytes) -> bytes:
        if self._decoder is None:
            if data.isascii():
                return data
            try:
                codecs.getincrementaldecoder("utf-8")().decode(data)  # a letter may be cut at the end
                self._use("utf-8")
            except UnicodeDecodeError:
                self._use(LATIN)
                self.found = LATIN
        assert self._decoder is not None  # one was chosen above
        return self._decoder.decode(data).removeprefix("\ufeff").encode()


def as_utf8(head: bytes, name: str, encoding: str | None = None) -> bytes:
    """Return the first bytes of a file as UTF-8."""
    return Utf8File(io.BytesIO(head), name, encoding).read()


def checked_encoding(encoding: str) -> str:
    """Return an encoding that Python knows; ValueError for any other."""
    try:
        codecs.getincrementaldecoder(encoding)("replace").decode(b"")
        "".encode(encoding)
    except (LookupError, TypeError, AttributeError, AssertionError):
        raise ValueError(f"encoding must be one that Python knows, such as 'utf-8', 'latin-1', 'cp1251' or 'shift_jis', got "
                         f"{encoding!r}; leave it out to have it found") from None
    return encoding


def _by_zeros(data: bytes) -> str:
    """UTF-16 without a mark, by the zero half of its digits and separators; empty for anything else."""
    half = len(data) // 2
    even, odd = data[:2 * half:2].count(0), data[1:2 * half:2].count(0)
    if half and odd > HALF * half and not even:
        return "utf-16-le"
    return "utf-16-be" if half and even > HALF * half and not odd else ""
