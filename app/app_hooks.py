"""Runs when a server starts (where it listens, what it imports, what the extras prepare) and when it ends."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import threading
from typing import Any

from app.loopback import listen_on_loopback

_ARGV = tuple(sys.argv[1:])  # what stands after --args, while this file is read; later it is the server's own line

listen_on_loopback()  # while this file is read the server has no sockets yet

THRESHOLDS = 10_000, 10, 50
"""Of the garbage collector: new containers before a collection of generation 0; collections of 0 before one of 1, and of 1
before one of 2. A full collection stops all visits for some 15 ms a visit."""


class ClosedTab(logging.Filter):
    """Drops what is logged when a tab is closed while a frame is on its way: a traceback, and a line for each message."""

    LOGGERS = ("asyncio", "panel.io.document", "bokeh.server.views.ws")

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is logged."""
        closed = record.exc_info and type(record.exc_info[1]).__name__ == "WebSocketClosedError"
        return not (closed or record.getMessage() == "Failed sending message as connection was closed")


def prepare() -> None:
    """Import the pages and what they draw and measure with, then exclude all of it from garbage collection.

    No visit waits for an import then.
    """
    for name in ClosedTab.LOGGERS:
        logging.getLogger(name).addFilter(ClosedTab())
    from app.chrome.frame import PAGES
    from app.jobs.background_job import import_shared_packages

    import_shared_packages()

    for page in PAGES.values():
        page.load()
    freeze()


def freeze() -> None:
    """Exclude all objects that exist now, 350,000 once all is imported, from collections; set the thresholds."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


def on_server_loaded(server_context: Any) -> None:
    """Prepare the process for its first visit, and what the extras share."""
    from app.chrome.extras import registered
    from app.jobs.worker_processes import WorkerPool
    from app.server.arguments import read
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
