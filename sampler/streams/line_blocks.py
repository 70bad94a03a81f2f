"""Whole lines of a text file, a block at a time; of a file that grows, too."""

import os
import time
from collections.abc import Callable, Iterator

BLOCK = 1 << 20
LOOK_EVERY = 0.05


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
    """

    def __init__(self, path, follow: bool = False, stop: Callable[[], bool] | None = None,
                 block: int = BLOCK) -> None:
        self.name = os.fspath(path) if not hasattr(path, "read") else getattr(path, "name", "the upload")
        self.follow, self._stop, self._block = follow, stop or (lambda: False), block
        self._file = path if hasattr(path, "read") else open(path, "rb")
        self._rest = b""

    def __iter__(self) -> Iterator[bytes]:
        read = getattr(self._file, "read1", self._file.read)  # of a pipe: what has come, not a whole block
        with self._file:
            while True:
                data = read(self._block)
                if not data and self.follow and not self._stop():
                    self._look_for_a_cut()
                    time.sleep(LOOK_EVERY)
                    continue
                if not data:
                    if self._rest and not self.follow:
                        yield self._rest
                    return
                data = self._rest + data
                end = data.rfind(b"\n") + 1
                self._rest = data[end:]
                if end:
                    yield data[:end]
                elif len(data) > 64 * self._block:
                    raise ValueError(f"source: {self.name!r} has a line of more than {len(data):,} bytes; "
                                     "is it a table of text?")

    def _look_for_a_cut(self) -> None:
        """Refuse a file that became shorter than what was read: rows seen are gone."""
        try:
            size, at = os.fstat(self._file.fileno()).st_size, self._file.tell()
        except (OSError, ValueError):
            return
        if size < at:
            raise ValueError(f"source: {self.name!r} became shorter ({size:,} bytes, {at:,} were read); "
                             "start again with the new file")
