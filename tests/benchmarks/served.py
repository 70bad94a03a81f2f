"""The dashboard in a process of its own, which answers questions about itself: ``python -m tests.benchmarks.served``.

It writes its port, then a line of JSON for every line it reads, and ends with its input.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Watched:
    """The Live pages of this process: how many frames they sent, and which frame first carried a knob's new value."""

    def __init__(self) -> None:
        self.page, self.carried, self._radius = None, [], None

    def remember(self, page):
        """Watch this page from now on."""
        self.page, self.carried, self._radius = page, [], None
        page.watcher = self._look
        return page

    def _look(self, snapshot) -> None:
        if snapshot.config.escape_radius != self._radius:
            self._radius = snapshot.config.escape_radius
            self.carried.append(snapshot.frame)

    def state(self) -> dict:
        """Frames sent, seconds spent on them, and the frames that carried a new escape radius."""
        if self.page is None:
            return {"frames": 0, "seconds": 0.0, "carried": []}
        return {"frames": self.page.pump.frames, "seconds": self.page.pump.seconds, "carried": self.carried}


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/status") as lines:
        return 1024 * int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


def serve(ready: threading.Event, found: dict) -> None:
    """Run the server on a free port."""
    from panel.io.application import build_single_handler_application
    from panel.io.server import get_server

    asyncio.set_event_loop(asyncio.new_event_loop())
    server = get_server({"app": build_single_handler_application(ROOT / "app")}, port=0, address="127.0.0.1",
                        start=False, show=False, unused_session_lifetime_milliseconds=5_000,
                        check_unused_sessions_milliseconds=1_000)
    server.start()
    found["port"], found["contexts"] = server.port, server._tornado._applications
    server.io_loop.add_callback(ready.set)
    server.io_loop.start()


def main() -> None:
    """Serve until the input ends."""
    from app.pages.live import LivePage
    from app.process_memory import look_through_all

    watched, build = Watched(), LivePage.from_query
    LivePage.from_query = lambda query, dark=False: watched.remember(build(query, dark))
    ready, found = threading.Event(), {}
    thread = threading.Thread(target=serve, args=(ready, found), daemon=True)
    thread.start()
    ready.wait(60)
    print(found["port"], flush=True)
    clock = time.pthread_getcpuclockid(thread.ident)
    for line in sys.stdin:
        if line.strip() == "collect":
            watched.page = None
            look_through_all()
        sessions = sum(len(context.sessions) for context in found["contexts"].values())
        print(json.dumps({**watched.state(), "sessions": sessions,
                          "thread_seconds": time.clock_gettime(clock), "resident": resident()}), flush=True)


if __name__ == "__main__":
    main()
