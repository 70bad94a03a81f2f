"""Preview of a source: its first rows as text, before any column is chosen."""

import itertools
from dataclasses import dataclass

from sampler.streams.sources import open_source


@dataclass(frozen=True)
class Peek:
    """``names`` of all columns, and the first ``rows`` with their cells as text; "" where there is none."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def peek(source, rows: int = 6, separator: str | None = None, header: bool | None = None,
         encoding: str | None = None) -> Peek:
    """Look at the first rows of a path or an upload, arguments as for ``DataStream``."""
    reader = open_source(source, separator, header, encoding=encoding)
    found: list[tuple[str, ...]] = []
    for chunk in reader.chunks(reader.names):
        columns = [itertools.islice(chunk.columns[name], rows - len(found)) for name in reader.names]
        found += [tuple(map(_text, row)) for row in zip(*columns, strict=True)]
        if len(found) >= rows:
            break
    return Peek(reader.names, tuple(found))


def _text(cell) -> str:
    cell = cell.as_py() if hasattr(cell, "as_py") else cell
    return "" if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell)
