"""A Parquet or Arrow file that is damaged, in words, whatever PyArrow makes of it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

LONGEST = 160
"""Letters of PyArrow's own words that are passed on."""


@contextmanager
def damage_in_words(place: str, what: str, action: str) -> Iterator[None]:
    """A ValueError for everything that PyArrow raises over a file.

    Parameters
    ----------
    place : str
        Name of the file; empty for one without a name.
    what : str
        What is wrong with it, as the end of a sentence.
    action : str
        What the user can do.
    """
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, EOFError, MemoryError, UnicodeDecodeError, OverflowError, IndexError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the disk or the rights, not what the file holds
            what, action = "cannot be opened", "check the path and its rights"
        raise ValueError(f"source: {place or 'the stream'!r} {what} ({_line(error)}); {action}") from None


def whole_batches(batches: Iterator[Any], place: str) -> Iterator[Any]:
    """Record batches that hold what they say: every offset, index and letter is looked at before anybody uses it.

    PyArrow takes what a file says of its columns as it stands, and would read beyond the end of memory.

    Raises
    ------
    ValueError
        At the first batch that is damaged, with the number of the last row before it.
    """
    read = 0
    while True:
        with damage_in_words(place, f"breaks off after row {read:,}", "copy it again, or wait until it is written"):
            batch = next(batches, None)
            if batch is not None:
                batch.validate(full=True)
        if batch is None:
            return
        read += batch.num_rows
        yield batch


def refuse_twice(names: Sequence[str]) -> None:
    """A ValueError for two columns of one name, which could not be told apart."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"source: two columns are named {twice[0]!r}; rename one")


def _line(error: BaseException) -> str:
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in str(error)).split())
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"
