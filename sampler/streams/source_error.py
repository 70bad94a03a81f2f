"""`SourceError`: a source that cannot be read as asked; and the errors of files that are no text or are damaged."""

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CLASSES, CATEGORIES, MODEL, COUNTS = "classes", "categories", "model", "counts"
"""Remedies: choose the class that means 1; encode columns of words; choose a model; choose one for more than two values."""
CHOOSE_TEXT = "choose a CSV, tab-separated, libsvm or Parquet file"
MOST_CONTROLS = 0.02
"""Share of control characters that text may have."""
LONGEST = 160
"""Characters of a library's own message that are passed on."""

_KINDS = tomllib.loads(Path(__file__).with_name("file_kinds.toml").read_text(encoding="utf-8"))["kind"]
_CONTROLS = bytes(set(range(9)) | set(range(14, 32)) - {27} | {127})


class SourceError(ValueError):
    """A source, or an argument about it, that cannot be used; its text is ``argument: problem; advice``.

    Parameters
    ----------
    argument : str
        Name of the argument; empty where ``problem`` names it.
    problem : str
        What is wrong, with the value received.
    advice : str
        Next action of a caller or of a user of the command line; empty where ``problem`` contains it.
    remedy : {"", "classes", "categories", "model", "counts"}
        What a page can offer in place of ``advice``.
    """

    def __init__(self, argument: str, problem: str, advice: str = "", remedy: str = "") -> None:
        self.argument, self.problem, self.advice, self.remedy = argument, problem, advice, remedy
        super().__init__(f"{argument}: {self.words()}" if argument else self.words())

    def __reduce__(self) -> tuple[type, tuple[str, ...]]:
        return type(self), (self.argument, self.problem, self.advice, self.remedy)

    def words(self, advice: str | None = None) -> str:
        """Return the problem with the advice, or with another one in its place; without the argument's name."""
        advice = self.advice if advice is None else advice
        return f"{self.problem}; {advice}" if advice else self.problem


def refuse_other_kind(head: bytes, name: str) -> None:
    """Refuse a file whose first bytes show another kind than text.

    Parameters
    ----------
    head : bytes
        The first bytes; some thousand are enough.
    name : str
        Of the file, for the message.

    Raises
    ------
    SourceError
        With the kind of the file and what to do.
    """
    for kind in _KINDS:
        if head.startswith(bytes.fromhex(kind["magic"])) and kind.get("text", "").encode() in head:
            raise SourceError("source", f"{name!r} is not a text file: it is {kind['what']}", kind["advice"])
    start = head.lstrip()[:14].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        raise SourceError("source", f"{name!r} is a web page, not a table", CHOOSE_TEXT)
    if start.startswith(b"@relation"):
        raise SourceError("source", f"{name!r} is an ARFF file of Weka", "put the names of its columns, with commas between "
                          "them, in the place of all lines up to @data")
    if re.match(rb"\s*(\[\s*)?\{\s*\"", head):
        raise SourceError("source", f"{name!r} holds JSON, not a table", "save it as CSV first (in Python: "
                          "pandas.read_json(name).to_csv(...))")


def refuse_binary(head: bytes, name: str) -> None:
    """Refuse bytes that no text of one byte a character has, with a SourceError."""
    if b"\0" in head or len(head) - len(head.translate(None, _CONTROLS)) > MOST_CONTROLS * len(head):
        raise SourceError("source", f"{name!r} is not a text file: it holds bytes that no text has", CHOOSE_TEXT)


@contextmanager
def damage_as_source_error(place: str, problem: str, advice: str) -> Iterator[None]:
    """Raise a SourceError for everything that PyArrow raises over a file.

    Parameters
    ----------
    place : str
        Name of the file; empty for one without a name.
    problem, advice : str
        What is wrong with it, as the end of a sentence, and what the user can do.
    """
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, EOFError, MemoryError, UnicodeDecodeError, OverflowError, IndexError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the disk or the rights, not what the file holds
            problem, advice = "cannot be opened", "check the path and its rights"
        line = " ".join("".join(letter if letter.isprintable() else " " for letter in str(error)).split())
        line = line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
        raise SourceError("source", f"{place or 'the stream'!r} {problem} ({line})", advice) from None
