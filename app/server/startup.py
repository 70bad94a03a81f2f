"""What a server does once, before its first visit: imports, thresholds of the garbage collector, a filter of its log."""

from __future__ import annotations

import gc
import logging

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

    No visit waits for an import then; and two threads that import one large package at the same moment, for a page's figure
    and for its work, may find it half initialised.
    """
    for name in ClosedTab.LOGGERS:
        logging.getLogger(name).addFilter(ClosedTab())
    import arviz_stats.base  # noqa: F401
    import pandas  # noqa: F401

    import app.chrome.frame  # noqa: F401
    from app.chrome.page_list import PAGES

    for page in PAGES.values():
        page.load()
    freeze()


def freeze() -> None:
    """Exclude all objects that exist now, 350,000 once all is imported, from collections; set the thresholds."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
