"""Whole lines of a text file as UTF-8, a block at a time; of a file that grows, too."""

import os
import re
import time
from collections.abc import Callable, Iterator

from sampler.streams.packed_file import PackedFile, unpacked
from sampler.streams.quoted_cells import end_of_rows, refuse_open
from sampler.streams.text_layout import separator_of
from sampler.streams.utf8_file import Utf8File

BLOCK = 1 << 20
LOOK_EVERY = 0.05
LONGEST_CELL = 1 << 20
"""Bytes of a quoted cell."""
LOOKED_AT = 1 << 16
"""Bytes that show the separator."""
_SAID_BY_EXCEL = re.compile(rb'\s*"?sep=.?"?[;,\t|]*(?=\r?\n)', re.IGNORECASE)
"""A first line that tells Excel the separator, and is no row."""


class LineBlocks:
    """Reads a file in blocks that end at the end of a line.

    Parameters
    ----------
    path : path or binary file object
    follow : bool
        Wait for more when the end is reached (a file that is being written). A last line without its end is
        then left for later; otherwise it counts as whole.
    stop : callable, optional
        Asked while waiting; True ends the stream.
    block : int
        Bytes read at once.
    name : str, optional
        Of the file, for the words; its path if not given.
    encoding : str, optional
        As Python calls it; None finds it.
    quoted : bool
        Whether a line break in a quoted cell ends no row.
    separator : str, optional
        After which such a cell may begin; None finds it in the first rows.
    """

    def __init__(self, path: str | os.PathLike[str], follow: bool = False, stop: Callable[[], bool] | None = None,
                 block: int = BLOCK, name: str = "", encoding: str | None = None, quoted: bool = False,
                 separator: str | None = None) -> None:
        known = getattr(path, "name", "the upload") if hasattr(path, "read") else os.fspath(path)
        self.name = name or known
        self.follow, self._stop, self._block = follow, stop or (lambda: False), block
        self._quoted, self._separator = quoted, separator
        file = unpacked(path if hasattr(path, "read") else open(path, "rb"), self.name)
        self.packed = isinstance(file, PackedFile)
        if self.packed and follow:
            file.close()
            raise ValueError("follow must be False for a packed file, which cannot grow; follow its folder")
        self._file = Utf8File(file, self.name, encoding)
        self._rest = b""

    @property
    def said(self) -> tuple[str, ...]:
        """What was found about the encoding, as far as it was read."""
        return self._file.said

    def __iter__(self) -> Iterator[bytes]:
        begins = True
        with self._file:
            while True:
                data = self._file.read(self._block)
                if not data and self.follow and not self._stop():
                    self._look_for_a_cut()
                    time.sleep(LOOK_EVERY)
                    continue
                if not data:
                    if self._rest and not self.follow:
                        if self._quoted and (start := self._end_of_rows(self._rest)[1]) >= 0:
                            refuse_open(self._rest, start, self.name)
                        yield self._rest
                    return
                data = self._rest + data
                if begins and b"\n" in data:
                    data, begins = _SAID_BY_EXCEL.sub(b"", data, 1) if _SAID_BY_EXCEL.match(data) else data, False
                end, start = self._end_of_rows(data) if self._quoted else (data.rfind(b"\n") + 1, -1)
                if start >= 0 and len(data) - start > max(self._block, LONGEST_CELL):
                    refuse_open(data, start, self.name)
                self._rest = data[end:]
                if end:
                    yield data[:end]
                elif len(data) > 64 * self._block:
                    raise ValueError(f"source: {self.name!r} has a line of more than {len(data):,} bytes; "
                                     "is it a table of text?")

    def _end_of_rows(self, data: bytes) -> tuple[int, int]:
        if self._separator is None and b'"' in data and b"\n" in data:
            self._separator = separator_of(data[:LOOKED_AT].decode("utf-8", "replace"))
        return end_of_rows(data, self._separator or ",")

    def _look_for_a_cut(self) -> None:
        """Refuse a file that became shorter than what was read: rows seen are gone."""
        try:
            size, at = os.fstat(self._file.fileno()).st_size, self._file.tell()
        except (OSError, ValueError):
            return
        if size < at:
            raise ValueError(f"source: {self.name!r} became shorter ({size:,} bytes, {at:,} were read); "
                             "start again with the new file")
