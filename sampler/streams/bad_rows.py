"""`BadRows`: what becomes of a row that cannot be used."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sampler.arguments import shown
from sampler.atomic_file import why_not_written
from sampler.streams.rebatch import refuse_no_pair

AT_ONCE = 8_192
"""Rows checked at once: the check makes a copy of them."""

LONGEST = 2_000
"""Characters of a row's content in the file of rejected rows."""


class BadRows:
    """Ends the stream at a row that cannot be used, or has it left out, or also written to a file with the reason.

    Parameters
    ----------
    choice : {"stop", "skip"} or path
        A path is that of a file of JSON lines, each with ``row``, ``reason`` and ``content``, which grows. A row that is
        read again after a restart is in it again.

    Attributes
    ----------
    stops : bool
    columns : tuple of str
        That every row must have, as far as they are named: a first row without them is not what the others are like.
    """

    def __init__(self, choice: str | os.PathLike[str] = "stop", columns: tuple[str, ...] = ()) -> None:
        self.columns = columns
        self.choose(choice)

    def choose(self, choice: str | os.PathLike[str]) -> None:
        """Do from now on what ``choice`` says."""
        if not isinstance(choice, str | os.PathLike) or not os.fspath(choice):
            raise ValueError(f"on_bad_row must be 'stop', 'skip' or a path, got {shown(choice)}; a file there takes "
                             "rejected rows with reasons")
        self.stops, self.path = choice == "stop", None if choice in ("stop", "skip") else Path(choice)
        if self.path is not None:
            self._append("")  # a path that cannot be written is refused before the first row

    def usable(self, batch: Any, encode: Callable[..., Any]) -> Any:
        """Return the rows of a batch that a problem's ``encode`` takes; None for no row.

        Raises
        ------
        ValueError
            At the first that it does not take, where such a row is to stop the stream.
        """
        try:
            refuse_no_pair(batch)
            for first in range(0, len(batch[0]), AT_ONCE):
                encode(*(part[first:first + AT_ONCE] for part in batch if part is not None))
            return batch
        except (ValueError, TypeError) as error:
            if self.stops:
                raise
            if not isinstance(batch, tuple | list) or len(batch) != 2 or np.ndim(batch[0]) == 0:
                return self.write("a batch", str(error), batch)
        good = [row for row in range(len(batch[0])) if self._takes(batch, row, encode)]
        return tuple(None if part is None else np.array([part[row] for row in good]) for part in batch) if good else None

    def _takes(self, batch: Any, row: int, encode: Callable[..., Any]) -> bool:
        datum = [part[row:row + 1] for part in batch if part is not None]
        try:
            encode(*datum)
        except (ValueError, TypeError) as error:
            self.write(f"row {row + 1:,} of a batch", str(error), datum)
            return False
        return True

    def write(self, row: str, reason: str, content: Any) -> None:
        """Write down a rejected row, where that is wanted."""
        if self.path is not None:
            content = content if isinstance(content, str) else repr(content)
            self._append(json.dumps({"row": row, "reason": reason, "content": content[:LONGEST]}) + "\n")

    def _append(self, line: str) -> None:
        assert self.path is not None  # asked before
        try:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            raise ValueError(f"on_bad_row: {os.fspath(self.path)!r} cannot be written ({why_not_written(error)}); give "
                             "another path, 'skip' or 'stop'") from None

    def sync(self) -> None:
        """Have the disk keep what was written."""
        if self.path is not None:
            with open(self.path, "ab") as file:
                os.fsync(file.fileno())
