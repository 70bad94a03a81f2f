"""Report on a stream so far, in numbers and in words."""

from dataclasses import dataclass, field
from typing import Any

from sampler.streams.category_columns import category_words


@dataclass(frozen=True)
class StreamReport:
    """A stream's account.

    Attributes
    ----------
    rows_read, rows : int
        Rows seen, and rows that became data.
    response : str or None
    features : tuple of str
        Columns in use.
    because : str
        Why this is the response, where nobody chose it.
    said : tuple of str
        How text was read, where that is worth a sentence.
    categories : dict of str to tuple of str
        Levels of the columns that became columns of 0 and 1, the reference first.
    classes : tuple or None
        The two values of the response that became 0 and 1.
    left_out : dict of str to str
        Columns not in use, and why.
    dropped : tuple of str
        One sentence for each reason rows were left out for.
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
    said: tuple[str, ...] = ()
    categories: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def words(self, whole: bool = True) -> list[str]:
        """Everything worth telling, one sentence each; ``whole`` is whether all rows there are were read."""
        usable = "all" if self.rows == self.rows_read else f"{self.rows:,}"
        lines = [f"{self.rows:,} of {self.rows_read:,} rows used" if whole else
                 f"first {self.rows_read:,} rows looked at, {usable} of them usable"]
        lines += list(self.said)
        if self.response is not None:
            lines.append(f"response {self.response!r}" + (
                f": {self.classes[0]!r} is 0, {self.classes[1]!r} is 1" if self.classes else ""))
        if self.because:
            lines.append(self.because)
        lines += category_words(self.categories)
        lines += list(self.dropped)
        lines += [f"column {name!r} left out: {why}" for name, why in self.left_out.items() if why != "not chosen"]
        lines += [f"feature {name!r} never varies: with an intercept it says nothing, leave it out"
                  for name in self.constant]
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"rows_read": self.rows_read, "rows": self.rows, "model": self.model, "response": self.response,
                "features": list(self.features), "classes": list(self.classes) if self.classes else None,
                "left_out": self.left_out, "dropped": list(self.dropped), "constant": list(self.constant),
                "fingerprint": self.fingerprint, "said": list(self.said),
                "categories": {name: list(levels) for name, levels in self.categories.items()}}
