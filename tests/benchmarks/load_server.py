"""`panel serve app` in a process that answers questions about itself: ``python -m tests.benchmarks.load_server PORT ...``.

It writes a line of JSON for every line it reads ("state" or "collect"), and ends with its input. What stands after the port
is handed to `panel serve`.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import threading
import time
from pathlib import Path

from tornado.ioloop import IOLoop

BEAT = 0.01
"""Seconds between two beats of the event loop; what a beat is late by, the loop was busy."""


class Beats:
    """Longest stall of an event loop since it was last asked for, and how late 99 % of its beats came at most.

    `work` is the longest stretch between two beats in processor time of the loop's thread: what it would have stalled by
    on a machine that does nothing else.
    """

    def __init__(self, loop: IOLoop) -> None:
        self._loop, self._due, self._spent = loop, 0.0, 0.0
        self.longest, self.work, self.stalls = 0.0, 0.0, []
        loop.add_callback(self._beat)

    def _beat(self) -> None:
        now, spent = self._loop.time(), time.thread_time()
        if self._due:
            late = now - self._due
            self.longest, self.work = max(self.longest, late), max(self.work, spent - self._spent)
            self.stalls.append(late)
        self._due, self._spent = now + BEAT, spent
        self._loop.call_at(self._due, self._beat)

    def take(self) -> dict[str, float]:
        """Return what was measured, in milliseconds, and begin anew."""
        late, self.stalls = sorted(self.stalls), []
        longest, work, self.longest, self.work = self.longest, self.work, 0.0, 0.0
        return {"stall": 1e3 * longest, "work": 1e3 * work, "stall_99": 1e3 * late[int(0.99 * len(late))] if late else 0.0}


class Collections:
    """Longest garbage collection since it was last asked for, in milliseconds, and how many took more than 5."""

    def __init__(self) -> None:
        self._start = self.longest = 0.0
        gc.callbacks.append(self._note)

    def _note(self, phase: str, about: dict) -> None:
        if phase == "start":
            self._start = time.perf_counter()
        else:
            self.longest = max(self.longest, 1e3 * (time.perf_counter() - self._start))

    def take(self) -> float:
        """Return the longest, and begin anew."""
        longest, self.longest = self.longest, 0.0
        return longest


def resident() -> float:
    """Megabytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def answer(beats: Beats) -> None:
    """Answer questions until the input ends."""
    from app.live.engine import Engine
    from app.process_memory import look_through_all

    collections = Collections()
    for line in sys.stdin:
        if line.strip() in ("collect", "objects"):
            look_through_all()
        found = {**beats.take(), "collection": collections.take(), "resident": resident(), "cpu": time.process_time(),
                 "threads": threading.active_count()}
        if line.strip() == "objects":
            found["engines"] = sum(type(thing) is Engine for thing in gc.get_objects())
        print("STATE " + json.dumps(found), flush=True)
    os._exit(0)


def main(port: str, *more: str) -> None:
    """Serve until the input ends."""
    from panel.command import main as command

    beats = Beats(IOLoop.current())
    threading.Thread(target=answer, args=(beats,), daemon=True).start()
    sys.argv = ["panel", "serve", "app", "--port", port, "--address", "127.0.0.1", *more]
    command()


if __name__ == "__main__":
    main(*sys.argv[1:])
