"""Growth of the server's memory over 100,000 frames of six visits to Live.

A separate group, since it is long and a group's rows are written at its end.
"""

import asyncio
from collections.abc import Iterator

from tests.benchmarks.load import Crowd, load_average, staged
from tests.benchmarks.timing import Row, row

SOAK = 100_000
"""Frames of all visits together."""


async def soak(crowd: Crowd) -> list[Row]:
    """Measure memory over many frames, with slow epochs, since each epoch stores its datum permanently."""
    served, marks = crowd.served, []
    for _ in range(6):
        await crowd.open("?speed=1e")
    total = sum(visit.frames for visit in crowd.visits)
    for part in range(1, 6):
        while sum(visit.frames for visit in crowd.visits) - total < part * SOAK / 5:
            await asyncio.sleep(0.5)
        marks.append(served.ask("collect")["resident"])
    note = ", ".join(f"{mark:.0f}" for mark in marks) + f" MB after each fifth; {load_average()}"
    return [row(f"server memory over {SOAK:,} frames, last fifth over first", marks[-1] / marks[0], at_most=1.1,
                note=note)]


def measure(quick: bool) -> Iterator[Row]:
    return staged([soak])
