"""Rows of a file whose response is not known: two classes and a few rows "unknown" are two classes without those rows."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from sampler.streams import likely_response

LARGEST = 10_000_000
"""Bytes of a file that is looked through as it arrives."""
UNKNOWN = {"unknown", "unk", "not known", "missing", "n/a", "?", "-", "uncertain", "undecided", "not sure"}
"""Words, in small letters, that mean that nobody knows the class."""


class UnknownRows(NamedTuple):
    """What may be left out of a file."""

    column: str  #: the response
    value: str  #: such as "unknown"
    count: int  #: rows that have it
    rest: Path  #: the file without them


def without_unknown(path: Path) -> UnknownRows | None:
    """Write a copy of a file without the rows whose response is unknown; None where there are none to leave out.

    It is done for text with a header, of `LARGEST` bytes at most, whose response (a column called so, or the last one)
    has two values beside one of `UNKNOWN`.

    Parameters
    ----------
    path
        The file; the copy has its name, in a folder beside it.
    """
    if path.suffix.lower() not in (".csv", ".tsv", ".txt", ".data") or path.stat().st_size > LARGEST:
        return None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        return None
    first = text.partition("\n")[0]
    separator = max(",;\t|", key=first.count)
    rows = [row for row in csv.reader(text.splitlines(keepends=True), delimiter=separator) if row]
    names = tuple(rows[0]) if rows else ()
    column = likely_response(names) or (names[-1] if names else "")
    if column not in names or len(names) < 2 or any(len(row) != len(names) for row in rows):
        return None
    at = names.index(column)
    counts = Counter(row[at].strip() for row in rows[1:])
    counts.pop("", None)  # an empty cell is left out by whoever reads the file
    unknown = [value for value in counts if value.lower() in UNKNOWN]
    if len(unknown) != 1 or len(counts) != 3:
        return None
    rest = path.parent / "without" / path.name
    rest.parent.mkdir(exist_ok=True)
    with rest.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=separator).writerows(row for row in rows if row[at].strip() != unknown[0])
    return UnknownRows(column, unknown[0], counts[unknown[0]], rest)
