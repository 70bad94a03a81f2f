"""Quotation marks round cells: a line break between them ends no row."""

import re
from functools import cache

import numpy as np

_MARK, _BREAK = ord('"'), ord("\n")


@cache
def _cell(separator: str) -> re.Pattern[bytes]:
    """A cell that begins with a quotation mark, to its end or to the end of the bytes; two marks in it stand for one."""
    return re.compile(rb'(?:\A|(?<=[\n' + re.escape(separator.encode()) + rb']))"[^"]*(?:"|\Z)(?:"[^"]*(?:"|\Z))*')


def end_of_rows(data: bytes, separator: str) -> tuple[int, int]:
    """Where the whole rows in these bytes end, which begin with a row; and where a quoted cell begins that is open there.

    Returns
    -------
    end : int
        After the last line break outside quoted cells; 0 where there is none.
    start : int
        Of a cell that is not closed in these bytes; -1 where there is none.
    """
    end = data.rfind(b"\n")
    if b'"' not in data:
        return end + 1, -1
    marks = _pairs(data, separator)
    if marks is not None:
        return _end_by_pairs(data, marks)
    cells = [cell.span() for cell in _cell(separator).finditer(data)]
    for start, stop in reversed(cells):
        if stop <= end:
            break
        if start <= end:
            end = data.rfind(b"\n", 0, start)
    start, stop = cells[-1] if cells else (0, 0)
    return end + 1, start if data.count(b'"', start, stop) % 2 else -1


def _pairs(data: bytes, separator: str) -> np.ndarray | None:
    """Places of all quotation marks, where every second one begins a cell or follows the one before it at once: then they
    open and close in turn. None where some mark stands within a cell that has none at its beginning.
    """
    text = np.frombuffer(data, np.uint8)
    marks = np.flatnonzero(text == _MARK)
    before = text[marks[::2] - 1]
    if marks[0] == 0:
        before[0] = _BREAK
    return marks if np.isin(before, (*separator.encode(), _BREAK, _MARK)).all() else None


def _end_by_pairs(data: bytes, marks: np.ndarray) -> tuple[int, int]:
    """What `end_of_rows` returns, of marks that open and close in turn."""
    count, upper, start = len(marks), len(data), -1
    if count % 2:
        first = count = count - 1
        upper = int(marks[count])
        while first and marks[first] == marks[first - 1] + 1:
            first -= 2
        start = int(marks[first])
    while True:
        end = data.rfind(b"\n", int(marks[count - 1]) + 1 if count else 0, upper)
        if end >= 0 or not count:
            return end + 1, start
        count -= 2
        upper = int(marks[count])


def refuse_open(data: bytes, start: int, name: str) -> None:
    """A ValueError about a quotation mark that is never closed."""
    cell = data[start:start + 40].decode("utf-8", "replace")
    raise ValueError(f"source: {name!r} has a quotation mark that is never closed, before {cell[1:]!r}; close or delete it")
