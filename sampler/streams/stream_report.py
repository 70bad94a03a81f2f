"""`StreamReport`: counts and sentences on the rows of a stream so far; `Fingerprint`: a checksum of its rows."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from sampler.streams.category_columns import category_sentences
from sampler.streams.column_choice import WORDS

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class StreamReport:
    """Report on the rows read from a stream.

    Attributes
    ----------
    rows_read, rows : int
        Number of rows read, and of rows used.
    response : str or None
    features : tuple of str
        Columns in use.
    because : str
        Sentence on how the response was inferred; empty if it was chosen.
    notes : tuple of str
        Sentences on the detected text format and on warnings.
    categories : dict of str to tuple of str
        Levels of the columns encoded as 0/1 columns, the reference first.
    classes : tuple or None
        Response values encoded as 0 and 1.
    left_out : dict of str to str
        Reason for each column that is not in use.
    dropped : tuple of str
        One sentence per reason for leaving out rows.
    constant : tuple of str
        Features that have not varied.
    fingerprint : str
    """

    rows_read: int
    rows: int
    model: str
    response: str | None
    features: tuple[str, ...]
    classes: tuple[Any, ...] | None
    left_out: dict[str, str]
    dropped: tuple[str, ...]
    constant: tuple[str, ...]
    fingerprint: str
    because: str = ""
    notes: tuple[str, ...] = ()
    categories: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Columns left out because they hold text."""
        return tuple(name for name, why in self.left_out.items() if why == WORDS)

    def words(self, whole: bool = True, columns: bool = True) -> list[str]:
        """Return the report as a list of sentences.

        Parameters
        ----------
        whole : bool
            Whether all rows of the source were read.
        columns : bool
            Whether to include text columns left out and constant columns.
        """
        usable = "all" if self.rows == self.rows_read else f"{self.rows:,}"
        lines = [f"{self.rows:,} of {self.rows_read:,} rows used" if whole else
                 f"first {self.rows_read:,} rows read, {usable} of them usable"]
        lines += list(self.notes)
        if self.response is not None:
            lines.append(f"response {self.response!r}" + (
                f": {self.classes[0]!r} is 0, {self.classes[1]!r} is 1" if self.classes else ""))
        if self.because:
            lines.append(self.because)
        lines += category_sentences(self.categories)
        lines += list(self.dropped)
        lines += [f"column {name!r} left out: {why}" for name, why in self.left_out.items()
                  if why != "not chosen" and (columns or why != WORDS)]
        lines += [f"feature {name!r} never varies: with an intercept it is redundant, leave it out"
                  for name in self.constant if columns]
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


class Fingerprint:
    """Order-dependent 64-bit checksum of rows, 0 for none; detects mistakes, not tampering.

    Attributes
    ----------
    rows : int
        Number of rows added.
    value : int
    """

    def __init__(self, rows: int = 0, value: int = 0) -> None:
        self.rows, self.value = int(rows), int(value)

    def add(self, values: np.ndarray, labels: np.ndarray | None = None) -> None:
        """Add rows (n, m) of float64, with labels (n,) as a last column; -0.0 and 0.0 are equal."""
        values = np.ascontiguousarray(values if labels is None else np.column_stack([values, labels]), float) + 0.0
        n, m = values.shape
        if n == 0:
            return
        bits = values.view(np.uint64)
        columns = _mix(np.arange(1, m + 1, dtype=np.uint64) * _GOLDEN) | np.uint64(1)
        numbers = (np.arange(self.rows + 1, self.rows + n + 1, dtype=np.uint64)) * _GOLDEN
        with np.errstate(over="ignore"):
            each = _mix(_mix(bits ^ (bits >> np.uint64(32))) * columns).sum(axis=1, dtype=np.uint64)
            total = _mix(_mix(each) + numbers).sum(dtype=np.uint64)
        self.rows += n
        self.value = (self.value + int(total)) % 2**64

    def __str__(self) -> str:
        return f"{self.value:016x}"


def _mix(z: np.ndarray) -> np.ndarray:
    """Scramble 64 bits (the finaliser of SplitMix64, Steele, Lea, Flood 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
