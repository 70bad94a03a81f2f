"""`panel serve app` in a separate process that reports its state, and the parent's handle of it.

The child is ``python -m tests.benchmarks.server PORT [--watch] ...``: it writes a line of JSON for every line it reads
("state", "collect" or "objects") and ends with its input. Arguments after the port are passed to `panel serve`.
"""

import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tornado.ioloop import IOLoop

from app.tune.kept_files import FOLDER
from tests.ports import free_port, listens
from tests.waiting import wait_for

ROOT = Path(__file__).parents[2]
BEAT = 0.01
"""Seconds between two beats of the event loop; the delay of a beat is the time that the loop was blocked."""
WATCH = "--watch"
"""Option: the child counts the frames of the last Live page, and those with a new escape radius."""


class Served:
    """Context manager of the child process; sessions end soon after their tab is closed."""

    def __init__(self, *options: str) -> None:
        port = free_port()
        command = [sys.executable, "-u", "-m", "tests.benchmarks.server", str(port), *options,
                   "--unused-session-lifetime", "2000", "--check-unused-sessions", "1000"]
        self._cache = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # of sweeps, in place of the user's
        self._process = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, env={**os.environ, FOLDER: self._cache.name})
        self.url = f"http://127.0.0.1:{port}/app"
        wait_for(lambda: listens(port), "the server did not start", 120, every=0.05)

    def __enter__(self) -> "Served":
        return self

    def ask(self, what: str = "state") -> dict:
        """Return the server's state, in milliseconds, megabytes and seconds."""
        self._process.stdin.write(what + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("STATE "):
                return json.loads(line[6:])
        raise RuntimeError("the server has ended")

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()
        self._cache.cleanup()


class Beats:
    """Longest stall of an event loop since the last `take`.

    `work` is the longest interval between two beats in processor time of the loop's thread: the stall on an otherwise
    idle machine.
    """

    def __init__(self, loop: IOLoop) -> None:
        self._loop, self._due, self._spent = loop, 0.0, 0.0
        self.longest = self.work = 0.0
        loop.add_callback(self._beat)

    def _beat(self) -> None:
        now, spent = self._loop.time(), time.thread_time()
        if self._due:
            self.longest, self.work = max(self.longest, now - self._due), max(self.work, spent - self._spent)
        self._due, self._spent = now + BEAT, spent
        self._loop.call_at(self._due, self._beat)

    def take(self) -> dict[str, float]:
        """Return the measurements in milliseconds and reset them."""
        longest, work, self.longest, self.work = self.longest, self.work, 0.0, 0.0
        return {"stall": 1e3 * longest, "work": 1e3 * work}


class Watched:
    """Counter of the last Live page: frames sent, and the first frame with each new escape radius."""

    def __init__(self) -> None:
        from app.pages.live import LivePage

        self._frames, self._carried, self._radius, build = 0, [], None, LivePage.from_query
        LivePage.from_query = lambda *query, **more: self._remember(build(*query, **more))

    def _remember(self, page):
        self._frames, self._carried, self._radius, page.watcher = 0, [], None, self._look
        return page

    def _look(self, snapshot) -> None:
        self._frames += 1
        if snapshot.config.escape_radius != self._radius:
            self._radius = snapshot.config.escape_radius
            self._carried.append(snapshot.frame)

    def state(self) -> dict:
        return {"frames": self._frames, "carried": self._carried}


def resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def answer(beats: Beats, watched: Watched | None) -> None:
    loop = time.pthread_getcpuclockid(threading.main_thread().ident)
    for line in sys.stdin:
        what = line.strip()
        if what in ("collect", "objects"):
            gc.collect()
        state = {**beats.take(), "resident": resident(), "cpu": time.process_time(),
                 "thread_seconds": time.clock_gettime(loop), **(watched.state() if watched else {})}
        if what == "objects":
            from app.live.engine import Engine  # not while the server's thread imports it

            state["engines"] = sum(type(thing) is Engine for thing in gc.get_objects())
        print("STATE " + json.dumps(state), flush=True)
    os._exit(0)


def main(port: str, *more: str) -> None:
    from panel.command import main as command

    watched = Watched() if WATCH in more else None
    threading.Thread(target=answer, args=(Beats(IOLoop.current()), watched), daemon=True).start()
    sys.argv = ["panel", "serve", "app", "--port", port, "--address", "127.0.0.1", *(one for one in more if one != WATCH)]
    command()


if __name__ == "__main__":
    main(*sys.argv[1:])
