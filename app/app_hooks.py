"""Runs when a server starts (where it listens, what it imports, what the extras prepare) and when it ends."""

from __future__ import annotations

import signal
import sys
import threading
from typing import Any

from app.loopback import listen_on_loopback

_ARGV = tuple(sys.argv[1:])  # what stands after --args, while this file is read; later it is the server's own line

listen_on_loopback()  # while this file is read the server has no sockets yet


def on_server_loaded(server_context: Any) -> None:
    """Prepare the process for its first visit, and what the extras share."""
    from app.chrome.extras import registered
    from app.jobs.worker_processes import WorkerPool
    from app.server.arguments import read
    from app.server.startup import prepare
    from app.visit import SERVER

    prepare()
    SERVER.part(WorkerPool).warm()
    for extra in registered():
        extra.server_starts(read(_ARGV).options)


def on_server_unloaded(server_context: Any) -> None:
    """End what would outlive the server: SIGTERM or Ctrl-C has ended its loop, not the work of its visits.

    A second signal ends the process at once; Python would wait for the cells that the workers compute.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
    from app.tune.running_sweeps import RunningSweeps
    from app.visit import SERVER

    SERVER.part(RunningSweeps).stop_all()
