"""`SourceError`: a source that cannot be read as requested; checks for non-text and damaged files."""

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CLASSES, CATEGORIES, MODEL, COUNTS = "classes", "categories", "model", "counts"
"""Remedies: choose the class that means 1; encode text columns; choose a model; choose one for more than two values."""
CHOOSE_TEXT = "choose a CSV, tab-separated, libsvm or Parquet file"
MOST_CONTROLS = 0.02
"""Maximum share of control characters in text."""
LONGEST = 160
"""Maximum number of characters quoted from the error message of another library."""

_KINDS = tomllib.loads(Path(__file__).with_name("file_kinds.toml").read_text(encoding="utf-8"))["kind"]
_CONTROLS = bytes(set(range(9)) | set(range(14, 32)) - {27} | {127})


class SourceError(ValueError):
    """Error for a source, or an argument about it, that cannot be used; its text is ``argument: problem; advice``.

    Parameters
    ----------
    argument : str
        Name of the argument; empty if ``problem`` names it.
    problem : str
        Cause of the error, with the value received.
    advice : str
        Next action for the caller or command-line user; empty if ``problem`` contains it.
    remedy : {"", "classes", "categories", "model", "counts"}
        Kind of remedy that a page can offer in place of ``advice``.
    """

    def __init__(self, argument: str, problem: str, advice: str = "", remedy: str = "") -> None:
        self.argument, self.problem, self.advice, self.remedy = argument, problem, advice, remedy
        super().__init__(f"{argument}: {self.words()}" if argument else self.words())

    def __reduce__(self) -> tuple[type, tuple[str, ...]]:
        return type(self), (self.argument, self.problem, self.advice, self.remedy)

    def words(self, advice: str | None = None) -> str:
        """Return the problem with its advice, or with ``advice`` in its place, without the argument's name."""
        advice = self.advice if advice is None else advice
        return f"{self.problem}; {advice}" if advice else self.problem


def check_file_type(head: bytes, name: str) -> None:
    """Reject a file whose first bytes identify a format that is not a text table.

    Parameters
    ----------
    head : bytes
        First bytes of the file; a few thousand suffice.
    name : str
        File name for the message.

    Raises
    ------
    SourceError
        If the format is recognised; the message names it and the remedy.
    """
    for kind in _KINDS:
        if head.startswith(bytes.fromhex(kind["magic"])) and kind.get("text", "").encode() in head:
            raise SourceError("source", f"{name!r} is not a text file: it is {kind['what']}", kind["advice"])
    start = head.lstrip()[:14].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        raise SourceError("source", f"{name!r} is a web page, not a table", CHOOSE_TEXT)
    if start.startswith(b"@relation"):
        raise SourceError("source", f"{name!r} is an ARFF file of Weka", "replace all lines up to @data by one line of "
                          "column names separated by commas")
    if re.match(rb"\s*(\[\s*)?\{\s*\"", head):
        raise SourceError("source", f"{name!r} holds JSON, not a table", "save it as CSV first (in Python: "
                          "pandas.read_json(name).to_csv(...))")


def check_not_binary(head: bytes, name: str) -> None:
    """Raise a SourceError for bytes that cannot be text in an encoding of one byte per character."""
    if b"\0" in head or len(head) - len(head.translate(None, _CONTROLS)) > MOST_CONTROLS * len(head):
        raise SourceError("source", f"{name!r} is not a text file: it contains binary data", CHOOSE_TEXT)


@contextmanager
def damage_as_source_error(place: str, problem: str, advice: str) -> Iterator[None]:
    """Convert the exceptions that PyArrow raises for a file to a SourceError.

    Parameters
    ----------
    place : str
        File name; empty for a stream.
    problem, advice : str
        Cause, as the predicate of a sentence, and next action.
    """
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, EOFError, MemoryError, UnicodeDecodeError, OverflowError, IndexError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the disk or permissions, not the content
            problem, advice = "cannot be opened", "check the path and its permissions"
        line = " ".join("".join(letter if letter.isprintable() else " " for letter in str(error)).split())
        line = line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
        raise SourceError("source", f"{place or 'the stream'!r} {problem} ({line})", advice) from None
