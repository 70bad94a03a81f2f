"""End labels of one or more lines, kept from overlapping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LINE = 14.5
"""Height of a line of a label, pixels."""


class EndLabel(NamedTuple):
    """A name at the right end of a line; `text` may hold line breaks."""

    value: float  #: where on the y axis
    text: str
    token: str  #: colour
    bold: bool = False
    shift: float = 0.0  #: pixels upwards from the value

    @property
    def height(self) -> float:
        """Pixels it takes."""
        return LINE * (1 + self.text.count("\n"))


def place(wanted: Sequence[float], heights: Sequence[float], low: float, high: float) -> list[float]:
    """Return middles near `wanted`, in the same order, for boxes of these heights inside [low, high].

    Boxes that collide move together, each group centred on what it wanted (pool adjacent violators). When the
    room is too small for all, they share it in proportion.
    """
    count = len(wanted)
    if count == 0:
        return []
    rank = sorted(range(count), key=lambda i: wanted[i])
    tall = [heights[i] for i in rank]
    squeeze = min(1.0, (high - low) / sum(tall))
    tall = [h * squeeze for h in tall]
    below = [sum(tall[:k]) + tall[k] / 2 for k in range(count)]  # middle of box k when all stand on the floor
    groups: list[list[float]] = []  # [sum of (wanted - below), members]
    for k, i in enumerate(rank):
        groups.append([wanted[i] - below[k], 1.0])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, members = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += members
    bases = [total / members for total, members in groups for _ in range(int(members))]
    placed = [0.0] * count
    for k, i in enumerate(rank):
        placed[i] = min(max(bases[k], low), high - sum(tall)) + below[k]
    return placed
