"""Quotation marks round cells: a line break between them ends no row."""

import re
from functools import cache


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
    cells = [cell.span() for cell in _cell(separator).finditer(data)]
    for start, stop in reversed(cells):
        if stop <= end:
            break
        if start <= end:
            end = data.rfind(b"\n", 0, start)
    start, stop = cells[-1] if cells else (0, 0)
    return end + 1, start if data.count(b'"', start, stop) % 2 else -1


def refuse_open(data: bytes, start: int, name: str) -> None:
    """A ValueError about a quotation mark that is never closed."""
    cell = data[start:start + 40].decode("utf-8", "replace")
    raise ValueError(f"source: {name!r} has a quotation mark that is never closed, before {cell[1:]!r}; close or delete it")
