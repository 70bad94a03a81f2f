"""Keep a column of labels from overlapping."""

from __future__ import annotations

from collections.abc import Sequence


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions near `wanted`, in the same order of height, at least `gap` apart inside [low, high].

    Labels that collide move together, each group centred on what it wanted (pool adjacent violators, which
    minimises the sum of squared moves). When the room is too small for all, they share it evenly.
    """
    count = len(wanted)
    if count == 0:
        return []
    step = min(gap, (high - low) / max(1, count - 1))
    order = sorted(range(count), key=lambda i: wanted[i])
    groups: list[list[float]] = []  # [sum of (wanted - rank * step), members]
    for rank, i in enumerate(order):
        groups.append([wanted[i] - rank * step, 1.0])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, members = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += members
    bases = [total / members for total, members in groups for _ in range(int(members))]
    top = high - (count - 1) * step
    placed = [0.0] * count
    for rank, i in enumerate(order):
        placed[i] = min(max(bases[rank], low), top) + rank * step
    return placed
