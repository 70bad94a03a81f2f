"""`keep_steady`: a server's loop counts by a clock that nobody can set."""

from __future__ import annotations

import time

from tornado.ioloop import IOLoop


def keep_steady(loop: IOLoop) -> None:
    """Have a loop go on from its present time by a monotonic clock, whatever happens to the time of day.

    Tornado asks for the time of day. Set back by an hour, it would let Bokeh's periodic work (the end of visits that were
    left, pings through a proxy) and its own pings rest for an hour.
    """
    since = loop.time() - time.monotonic()  # what is due already stays due then
    loop.time = lambda: since + time.monotonic()  # type: ignore[method-assign]
