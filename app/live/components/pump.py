"""Moves frames from an engine to the browser: never more than it paints, never waiting for good."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import panel as pn

from app.immediate_messages import send_at_once
from app.ordered_messages import in_order

PERIOD = 33
"""Milliseconds between two looks of the starter and watchdog; acknowledgements drive it faster."""

SHORTEST = 0.8 / 60
"""Seconds between two frames, at the least."""

SWITCH = 0.0005
"""Seconds the interpreter gives a thread at a time. A frame is a dozen socket writes, each of which lets go of the
interpreter; with the usual 5 ms the worker's Python would make a frame wait that long for each."""


class Pump:
    """Calls `show(snapshot)` with the newest snapshot each time the canvas is ready for one.

    `show` runs under the document's lock, and all that it changes travels in one message.
    """

    def __init__(self, take: Callable[[], Any], ready: Callable[[], bool], show: Callable[[Any], None],
                 idle: Callable[[], None]) -> None:
        self._take, self._ready, self._show, self._idle = take, ready, show, idle
        self._last, self._callback = 0.0, None
        self.frames = 0
        self.seconds = 0.0

    def start(self) -> None:
        """Begin looking, and ask the session's socket not to delay small messages."""
        if self._callback is None:
            send_at_once(getattr(getattr(pn.state.curdoc, "session_context", None), "session", None))
            sys.setswitchinterval(min(SWITCH, sys.getswitchinterval()))
            self._callback = pn.io.PeriodicCallback(callback=self._watch, period=PERIOD, background=True,
                                                    log=False)
            self._callback.start()

    def stop(self) -> None:
        """Stop looking."""
        if self._callback is not None:
            self._callback.stop()
            self._callback = None

    def _watch(self) -> None:
        self._idle()
        self.tick()

    def tick(self) -> None:
        """Send the newest snapshot if there is one and the browser can take it."""
        now = time.perf_counter()
        if self._callback is None or now - self._last < SHORTEST or not self._ready():
            return
        snapshot = self._take()
        if snapshot is None:
            return
        self._last = now
        with in_order():
            self._show(snapshot)
        self.frames += 1
        self.seconds += time.perf_counter() - now
