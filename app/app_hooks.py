"""Hooks of a server's start (address, imports, preparations of extras) and end."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import threading
from typing import Any

from app.loopback import listen_on_loopback

_ARGV = tuple(sys.argv[1:])  # arguments after --args while this file is loaded; later the server's

listen_on_loopback()  # the server has no sockets yet while this file is loaded

THRESHOLDS = 10_000, 10, 50
"""Thresholds of the garbage collector for generations 0, 1 and 2. A full collection stalls all visits for about 15 ms per
visit."""


class ClosedTab(logging.Filter):
    """Filter of log records about tabs closed during a transmission: a traceback, and a line per message."""

    LOGGERS = ("asyncio", "panel.io.document", "bokeh.server.views.ws")

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record."""
        closed = record.exc_info and type(record.exc_info[1]).__name__ == "WebSocketClosedError"
        return not (closed or record.getMessage() == "Failed sending message as connection was closed")


def prepare() -> None:
    """Import the pages and their packages, so that no visit waits for imports; exclude them from garbage collection."""
    for name in ClosedTab.LOGGERS:
        logging.getLogger(name).addFilter(ClosedTab())
    from app.chrome.frame import PAGES
    from app.jobs.background_job import import_shared_packages

    import_shared_packages()

    for page in PAGES.values():
        page.load()
    freeze()


def freeze() -> None:
    """Exclude all existing objects (350,000 after the imports) from garbage collection; set the thresholds."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


def on_server_loaded(server_context: Any) -> None:
    """Prepare the process for its first visit, and the extras."""
    from app.chrome.extras import registered
    from app.jobs.worker_processes import WorkerPool
    from app.server.arguments import read
    from app.visit import SERVER

    prepare()
    SERVER.part(WorkerPool).warm()
    for extra in registered():
        extra.server_starts(read(_ARGV).options)


def on_server_unloaded(server_context: Any) -> None:
    """Stop the sweeps, which outlive the event loop after SIGTERM or Ctrl-C.

    A second signal ends the process immediately; Python would wait for the cells that the workers compute.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
    from app.tune.running_sweeps import RunningSweeps
    from app.visit import SERVER

    SERVER.part(RunningSweeps).stop_all()
