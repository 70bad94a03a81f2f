"""Rows left out of a stream: counted by reason, the first rows of each reason named."""

from dataclasses import dataclass, field
from typing import Any

NAMED = 5


@dataclass
class Dropped:
    """Rows left out, by reason. Nothing is ever filled in."""

    counts: dict[str, int] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, row: str) -> None:
        """One more row, e.g. ``add("infinite, column 'x2'", "row 17")``."""
        self.add_many(reason, [row], 1)

    def add_many(self, reason: str, rows: list[str], n: int) -> None:
        """``n`` more rows for one reason; at least the first few named."""
        self.counts[reason] = self.counts.get(reason, 0) + n
        known = self.named.setdefault(reason, [])
        known.extend(rows[:max(0, NAMED - len(known))])

    @property
    def total(self) -> int:
        """Rows left out so far."""
        return sum(self.counts.values())

    def sentences(self) -> list[str]:
        """One line a reason, the most frequent first."""
        lines = []
        for reason, n in sorted(self.counts.items(), key=lambda item: -item[1]):
            more = ", …" if n > len(self.named[reason]) else ""
            rows = "1 row" if n == 1 else f"{n:,} rows"
            lines.append(f"{rows} left out, {reason}: {', '.join(_once(self.named[reason]))}{more}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a state file."""
        return {"counts": dict(self.counts), "named": {k: list(v) for k, v in self.named.items()}}


def _once(rows: list[str]) -> list[str]:
    """The same names, the file's only after the last of its rows that follow one another."""
    said = []
    for row, following in zip(rows, [*rows[1:], ""], strict=True):
        short, _, place = row.partition(" of ")
        said.append(short if place and following.partition(" of ")[2] == place else row)
    return said
