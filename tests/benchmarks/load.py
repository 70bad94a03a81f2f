"""Many visits to Live at once, without browsers: frames and epochs a second, stalls, openings, memory.

``python -m tests.benchmarks load``; the client takes part of the same two cores, as one browser's machine would not.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from app.process_memory import DELAY
from app.tune.kept_files import FOLDER
from tests.benchmarks.timing import Row, row
from tests.benchmarks.visit import Visit

ROOT = Path(__file__).parents[2]
VISITS, NEW = 20, 5
SECONDS = 20.0
OPENED, FIRST, AT_ONCE = 200, 40, 10
"""Visits opened and closed for the memory they leave; so many before, that fill what is filled once; so many together."""
COMPUTING = ("?page=tune&tgo=1&tseed={seed}&tchains=256", "?page=compare&cseed={seed}&back=1",
             "?page=coreset&kseed={seed}&kT=200000&kN=100000&kM=5000")
"""A sweep, a race and a coreset, of a seed that nobody has had: nothing of them is kept."""
SOAK = 100_000
"""Frames of the soak, all visits together."""


def load_average() -> str:
    """What the machine was doing meanwhile."""
    return "load average " + " ".join(f"{value:.1f}" for value in os.getloadavg())


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Served:
    """`panel serve app` in a process of its own, whose sessions end soon after their tab is closed."""

    def __init__(self, *more: str) -> None:
        port = free_port()
        command = [sys.executable, "-u", "-m", "tests.benchmarks.load_server", str(port),
                   "--unused-session-lifetime", "2000", "--check-unused-sessions", "1000", *more]
        self._kept = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # of sweeps, not the user's own
        self._process = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, env={**os.environ, FOLDER: self._kept.name})
        self.url = f"http://127.0.0.1:{port}/app"
        self._await(port)

    @staticmethod
    def _await(port: int) -> None:
        """Return once somebody listens."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)
        raise TimeoutError("the server did not start")

    def ask(self, what: str = "state") -> dict:
        """Return what the server says of itself: milliseconds, megabytes, seconds."""
        self._process.stdin.write(what + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("STATE "):
                return json.loads(line[6:])
        raise RuntimeError("the server has ended")

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def close(self) -> None:
        """End it."""
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()
        self._kept.cleanup()


class Crowd:
    """Visits that are open."""

    def __init__(self, served: Served) -> None:
        self.served, self.visits, self._reading = served, [], {}

    async def open(self, query: str = "") -> tuple[Visit, float]:
        """Open one more; returns it, and the seconds to its first frame, or until its page computes."""
        start = time.perf_counter()
        visit = Visit(self.served.url + query)
        await visit.open()
        self.visits.append(visit)
        self._reading[visit] = asyncio.create_task(visit.follow())
        await asyncio.wait_for((visit.begun if query.startswith("?page") else visit.shown).wait(), 300)
        return visit, time.perf_counter() - start

    def close(self, visit: Visit) -> None:
        """Close its tab."""
        self.visits.remove(visit)
        self._reading.pop(visit).cancel()
        visit.close()

    def stopped(self) -> list[BaseException]:
        """Return why visits have ended by themselves."""
        return [task.exception() for task in self._reading.values() if task.done()]


async def played(crowd: Crowd, seconds: float, beside: str = "") -> list[Row]:
    """Frames and epochs a second of each visit, and what the loop was held up; limits hold where nobody computes."""
    least, most = (None, None) if beside else (5, 100)
    served, visits = crowd.served, list(crowd.visits)
    before, start = served.ask(), time.perf_counter()
    counts = [(visit.frames, visit.epoch, visit.bytes) for visit in visits]
    for visit in visits:
        visit.rest_gaps()
    await asyncio.sleep(seconds)
    spent, after = time.perf_counter() - start, served.ask()
    frames, epochs, kilobytes = (
        [(now - then) / spent / unit for now, then in zip(found, known, strict=True)]
        for found, known, unit in zip(zip(*((v.frames, v.epoch, v.bytes) for v in visits), strict=True),
                                      zip(*counts, strict=True), (1, 1, 1e3), strict=True))
    cores, many = (after["cpu"] - before["cpu"]) / spent, f"{len(visits)} visits{beside}"
    gaps = [visit.longest_gap for visit in visits]
    note = f"server {cores:.2f} cores, {after['resident']:.0f} MB, {sum(kilobytes):,.0f} kB/s; {load_average()}"
    ended = crowd.stopped()
    if ended:
        note += f"; {len(ended)} visits ended: {ended[0]!r}"
    return [
        row(f"{many}: frames a second of each", frames, unit="fps", note=note),
        row(f"{many}: frames a second, worst visit", min(frames), at_least=least, unit="fps"),
        row(f"{many}: epochs a second of each, of 8 asked", epochs, unit="/s"),
        row(f"{many}: longest wait of a visit for a frame", gaps, unit="s", note="each visit's own"),
        row(f"{many}: event loop's longest stall", after["stall"], at_most=most, unit="ms",
            note=f"at most {after['work']:.0f} ms of its own work at a time; 99 % of beats below {after['stall_99']:.0f} ms;"
                 f" longest collection {after['collection']:.0f} ms"),
    ]


async def beside_work(crowd: Crowd, seconds: float) -> list[Row]:
    """What those who play have while others compute; some leave for them, so that there are as many as before."""
    for visit in crowd.visits[-len(COMPUTING):]:
        crowd.close(visit)
    seed = random.randrange(1_000, 999_999)
    working = [(await crowd.open(query.format(seed=seed)))[0] for query in COMPUTING]
    await asyncio.sleep(DELAY + 3)  # what the visits that left had held has been looked for
    playing = Crowd(crowd.served)
    playing.visits = [visit for visit in crowd.visits if visit not in working]
    playing._reading = crowd._reading
    found = await played(playing, seconds, f" beside {len(COMPUTING)} that compute")
    left = sum(visit.working for visit in working)
    for visit in working:
        crowd.close(visit)
    return [*found, row("sweep, race and coreset still at work at the end", left, at_least=len(COMPUTING))]


async def memory(crowd: Crowd, first: int, opened: int) -> list[Row]:
    """Memory after many visits opened and closed."""
    served = crowd.served

    async def turn(times: int) -> float:
        for _ in range(times // AT_ONCE):
            found = await asyncio.gather(*(crowd.open() for _ in range(AT_ONCE)))
            for visit, _ in found:
                crowd.close(visit)
        deadline = time.monotonic() + 90
        while served.ask("objects")["engines"] and time.monotonic() < deadline:
            await asyncio.sleep(1)
        await asyncio.sleep(DELAY + 3)  # the server gives free memory back so long after the end of a visit
        return served.ask("collect")["resident"]

    before = await turn(first)
    after = await turn(opened)
    left = served.ask("objects")["engines"]
    return [row(f"server memory after {opened} visits opened and closed, over before", after / before, at_most=1.1,
                note=f"{before:.0f} MB after the first {first}, then {after:.0f} MB; {left} runs left; {load_average()}")]


async def soak(crowd: Crowd, frames: int) -> list[Row]:
    """Memory over many frames; slow epochs, as each keeps its datum for good."""
    served, marks = crowd.served, []
    for _ in range(6):
        await crowd.open("?speed=1e")
    total = sum(visit.frames for visit in crowd.visits)
    for part in range(1, 6):
        while sum(visit.frames for visit in crowd.visits) - total < part * frames / 5:
            await asyncio.sleep(0.5)
        marks.append(served.ask("collect")["resident"])
    note = ", ".join(f"{mark:.0f}" for mark in marks) + f" MB after each fifth; {load_average()}"
    return [row(f"server memory over {frames:,} frames, last fifth over first", marks[-1] / marks[0], at_most=1.1,
                note=note)]


async def _measure(quick: bool) -> AsyncIterator[Row]:
    served = Served()
    try:
        crowd = Crowd(served)
        visit, seconds = await crowd.open()
        while visit.epoch < 20:
            await asyncio.sleep(0.1)
        yield row("one visit: first frame, new server", seconds, unit="s", note=load_average())
        for found in await played(crowd, SECONDS / 4):
            yield found
        served.ask()
        opened = [(await crowd.open())[1] for _ in range(VISITS - 1)]
        yield row(f"opening visits 2 to {VISITS}", opened, unit="s",
                  note=f"longest {max(opened):.1f} s, stall {served.ask()['stall']:.0f} ms; {load_average()}")
        for found in await played(crowd, SECONDS):
            yield found
        opened = []
        for _ in range(NEW):
            visit, seconds = await crowd.open()
            opened.append(seconds)
            crowd.close(visit)
            await asyncio.sleep(1)
        held = served.ask()
        yield row(f"a new visit while {VISITS} play", opened, unit="s", note=load_average())
        yield row(f"a new visit while {VISITS} play, longest", max(opened), at_most=3, unit="s")
        yield row("event loop's longest stall meanwhile", held["stall"], at_most=100, unit="ms",
                  note=f"at most {held['work']:.0f} ms of its own work at a time; longest collection"
                       f" {held['collection']:.0f} ms; {load_average()}")
        for found in await beside_work(crowd, SECONDS):
            yield found
        for visit in list(crowd.visits):
            crowd.close(visit)
        if not quick:
            for found in [*await memory(crowd, FIRST, OPENED), *await soak(crowd, SOAK)]:
                yield found
    finally:
        served.close()


def measure(quick: bool) -> Iterator[Row]:
    """Start a server, send visits to it and tell what they saw."""
    rows = _measure(quick)
    with asyncio.Runner() as runner:
        while (found := runner.run(_next(rows))) is not None:
            yield found


async def _next(rows: AsyncIterator[Row]) -> Row | None:
    return await anext(rows, None)


if __name__ == "__main__":
    for found in measure("--quick" in sys.argv):
        print(found.line(), flush=True)
