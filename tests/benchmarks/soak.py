"""Six visits to Live for 100,000 frames: whether the server's memory grows.

A group of its own: it is long, and a group's rows are written at its end.
"""

import asyncio
from collections.abc import Iterator

from tests.benchmarks.load import Crowd, load_average, staged
from tests.benchmarks.timing import Row, row

SOAK = 100_000
"""Frames, all visits together."""


async def soak(crowd: Crowd) -> list[Row]:
    """Memory over many frames; slow epochs, as each keeps its datum for good."""
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
