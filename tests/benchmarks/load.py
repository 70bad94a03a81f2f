"""Many visits to Live at once, without browsers: frames and epochs per second, stalls, openings, memory.

``python -m tests.benchmarks load``; unlike browsers on other machines, the client shares the server's two cores.
"""

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator

import numpy as np

from tests.benchmarks.server import Served
from tests.benchmarks.timing import Row, row
from tests.benchmarks.visit import Visit

DELAY = 12.0
"""Seconds after the end of visits until Panel has collected their objects."""
VISITS, NEW = 20, 5
SECONDS = 20.0
OPENED, FIRST, AT_ONCE = 200, 40, 10
"""Visits opened and closed to measure memory; warm-up visits; visits at once."""
COMPUTING = ("?page=tune&tgo=1&tseed={seed}&tchains=256", "?page=compare&cseed={seed}&back=1",
             "?page=coreset&kseed={seed}&kT=200000&kN=100000&kM=5000")
"""A sweep, a race and a coreset with a new seed, so that no stored result exists."""


def load_average() -> str:
    return "load average " + " ".join(f"{value:.1f}" for value in os.getloadavg())


class Crowd:
    def __init__(self, served: Served) -> None:
        self.served = served
        self.visits: dict[Visit, asyncio.Task] = {}  #: visit -> task that answers its frames

    async def open(self, query: str = "") -> tuple[Visit, float]:
        """Open a visit; return it and the seconds to its first frame, or until its page computes."""
        start = time.perf_counter()
        visit = Visit(self.served.url + query)
        await visit.open()
        self.visits[visit] = asyncio.create_task(visit.follow())
        await asyncio.wait_for((visit.begun if query.startswith("?page") else visit.shown).wait(), 300)
        return visit, time.perf_counter() - start

    def close(self, visit: Visit) -> None:
        self.visits.pop(visit).cancel()
        visit.close()

    def leave(self) -> None:
        for visit in list(self.visits):
            self.close(visit)


async def played(crowd: Crowd, seconds: float, working: Collection[Visit] = ()) -> list[Row]:
    """Measure frames and epochs per second of visits not in ``working``, and stalls; targets apply if it is empty."""
    least, most, beside = (None, None, f" beside {len(working)} that compute") if working else (5, 100, "")
    served, visits = crowd.served, [visit for visit in crowd.visits if visit not in working]
    before, start = served.ask(), time.perf_counter()
    counts = np.array([(visit.frames, visit.epoch) for visit in visits])
    await asyncio.sleep(seconds)
    spent, after = time.perf_counter() - start, served.ask()
    frames, epochs = ((np.array([(visit.frames, visit.epoch) for visit in visits]) - counts) / spent).T
    cores, many = (after["cpu"] - before["cpu"]) / spent, f"{len(visits)} visits{beside}"
    note = f"server {cores:.2f} cores, {after['resident']:.0f} MB; {load_average()}"
    if ended := [task.exception() for task in crowd.visits.values() if task.done()]:
        note += f"; {len(ended)} visits ended: {ended[0]!r}"
    return [
        row(f"{many}: frames a second of each", frames, unit="fps", note=note),
        row(f"{many}: frames a second, worst visit", min(frames), at_least=least, unit="fps"),
        row(f"{many}: epochs a second of each, of 8 asked", epochs, unit="/s"),
        stall(f"{many}: event loop's longest stall", after, most),
    ]


def stall(name: str, held: dict, at_most: float | None, more: str = "") -> Row:
    """Return the row of a stall reported by the server."""
    return row(name, held["stall"], at_most=at_most, unit="ms",
               note=f"at most {held['work']:.0f} ms of its own work at a time{more}")


async def one_visit(crowd: Crowd) -> list[Row]:
    visit, _ = await crowd.open()
    while visit.epoch < 20:
        await asyncio.sleep(0.1)
    return await played(crowd, SECONDS / 4)


async def full_house(crowd: Crowd) -> list[Row]:
    while len(crowd.visits) < VISITS:
        await crowd.open()
    return await played(crowd, SECONDS)


async def new_visits(crowd: Crowd) -> list[Row]:
    """Measure the time to open visits while all others play, and the stalls it causes."""
    opened, (held,) = await arrivals([crowd], NEW)
    return [
        row(f"a new visit while {VISITS} play", opened, unit="s", note=load_average()),
        row(f"a new visit while {VISITS} play, longest", max(opened), at_most=3, unit="s"),
        stall("event loop's longest stall meanwhile", held, 100, f"; {load_average()}")]


async def arrivals(crowds: list[Crowd], count: int) -> tuple[list[float], list[dict]]:
    """Open and close visits one after the other; return their seconds, and the state of each server afterwards."""
    opened = []
    for crowd in crowds:
        crowd.served.ask()
    for k in range(count):
        visit, seconds = await crowds[k % len(crowds)].open()
        opened.append(seconds)
        crowds[k % len(crowds)].close(visit)
        await asyncio.sleep(1)
    return opened, [crowd.served.ask() for crowd in crowds]


async def beside_work(crowd: Crowd) -> list[Row]:
    """Measure playing visits while others compute; as many are closed first, so that the total stays the same."""
    for visit in list(crowd.visits)[-len(COMPUTING):]:
        crowd.close(visit)
    seed = random.randrange(1_000, 999_999)
    working = [(await crowd.open(query.format(seed=seed)))[0] for query in COMPUTING]
    await asyncio.sleep(DELAY + 3)  # objects of closed visits have been collected
    result = await played(crowd, SECONDS, working)
    left = sum(visit.working for visit in working)
    crowd.leave()
    return [*result, row("sweep, race and coreset still at work at the end", left, at_least=len(COMPUTING))]


async def two_processes(crowd: Crowd) -> list[Row]:
    """Measure the same visits in two processes, as with ``--num-procs 2``: frames, openings and stalls."""
    with Served() as first, Served() as second:
        crowds = [Crowd(first), Crowd(second)]
        for each in crowds:
            while len(each.visits) < VISITS // 2:
                await each.open()
        parts = await asyncio.gather(*(played(each, SECONDS) for each in crowds))
        frames = [value for one, *_ in parts for value in (one.low, one.measured, one.high)]
        opened, held = await arrivals(crowds, NEW - 1)
        for each in crowds:
            each.leave()
    return [row(f"{VISITS} visits in two processes: frames a second", frames, at_least=3.1, unit="fps", note=load_average()),
            row(f"a new visit while {VISITS} play in two processes", opened, at_most=3, unit="s"),
            row("event loop's longest stall meanwhile, in either process", [one["stall"] for one in held], at_most=400,
                unit="ms", note=f"at most {max(one['work'] for one in held):.0f} ms of its own work at a time")]


async def memory(crowd: Crowd) -> list[Row]:
    served = crowd.served

    async def turn(times: int) -> float:
        for _ in range(times // AT_ONCE):
            result = await asyncio.gather(*(crowd.open() for _ in range(AT_ONCE)))
            for visit, _ in result:
                crowd.close(visit)
        deadline = time.monotonic() + 90
        while served.ask("objects")["engines"] and time.monotonic() < deadline:
            await asyncio.sleep(1)
        await asyncio.sleep(DELAY + 3)  # Panel's delay before it collects a visit
        return served.ask("collect")["resident"]

    before = await turn(FIRST)
    after = await turn(OPENED)
    left = served.ask("objects")["engines"]
    return [row(f"server memory after {OPENED} visits opened and closed, over before", after / before, at_most=1.1,
                note=f"{before:.0f} MB after the first {FIRST}, then {after:.0f} MB; {left} runs left; {load_average()}")]


def staged(stages: Iterable[Callable[[Crowd], Awaitable[list[Row]]]]) -> Iterator[Row]:
    """Start a server, run stages with visits to it, and yield their rows."""
    with Served() as served, asyncio.Runner() as runner:
        crowd = Crowd(served)
        for stage in stages:
            yield from runner.run(stage(crowd))


def measure(quick: bool) -> Iterator[Row]:
    return staged([one_visit, full_house, new_visits, beside_work, two_processes] + ([] if quick else [memory]))
