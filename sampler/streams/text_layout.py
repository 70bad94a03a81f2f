"""Layout of a text file: its separator, its header and its column names."""

import csv
from dataclasses import dataclass

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}


@dataclass(frozen=True)
class Layout:
    """Layout of a text file.

    Attributes
    ----------
    separator : str
    header : bool
        Is the first line made of names?
    names : tuple of str
        Column names; ``c1, c2, ...`` without a header.
    """

    separator: str
    header: bool
    names: tuple[str, ...]


def layout_of(lines: list[str], where: str, separator: str | None = None, header: bool | None = None) -> Layout:
    """Layout of a file from its first lines.

    Parameters
    ----------
    lines : list of str
        The first lines, whole ones, not empty.
    where : str
        Name of the file, for words.
    separator, header : optional
        As given by the caller; None looks for itself.
    """
    if not lines:
        raise ValueError(f"source: {where!r} holds no rows; wait for data, or check the path")
    if separator is None:
        separator = max(SEPARATORS, key=lambda s: (_columns(lines, s), -list(SEPARATORS).index(s)))
    elif len(separator) != 1:
        raise ValueError(f"separator must be one character, got {separator!r}; None finds it")
    if _columns(lines, separator) < 2:
        better = max(SEPARATORS, key=lambda s: _columns(lines, s))
        hint = (f"it looks separated by {SEPARATORS[better]}s, pass separator={better!r}"
                if _columns(lines, better) > 1 else "a response and one feature at least are needed")
        raise ValueError(f"source: {where!r} has one column when split at {separator!r}; {hint}")
    first = _cells(lines[0], separator)
    if header is None:
        header = not all(_is_number(cell) for cell in first)
    names = tuple(name.strip() for name in first) if header else tuple(f"c{i + 1}" for i in range(len(first)))
    if header and any(_is_number(name) or not name for name in names) and all(
            _is_number(cell) or not cell.strip() for cell in first):
        raise ValueError(f"source: {where!r} has a first line of numbers, so it has no header; pass header=False")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"source: {where!r} has two columns named {twice[0]!r}; rename one")
    return Layout(separator, header, names)


def _cells(line: str, separator: str) -> list[str]:
    line = line.strip("\r\n")
    return next(csv.reader([line.strip() if separator == " " else line], delimiter=separator), [])


def _columns(lines: list[str], separator: str) -> int:
    """Columns most lines have, if more than half have that many; else 1."""
    counts = [len(_cells(line, separator)) for line in lines]
    most = max(set(counts), key=counts.count)
    return most if counts.count(most) > 0.5 * len(counts) else 1


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().replace(",", "."))
    except ValueError:
        return cell.strip() in ("", "NA", "NaN", "nan", "null", "?")
    return True
