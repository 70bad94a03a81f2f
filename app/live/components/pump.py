"""Moves frames from an engine to the browser: never more than it paints, never waiting for good."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import panel as pn

from app.immediate_messages import send_at_once
from app.ordered_messages import in_order

SHORTEST = 0.8 / 60
"""Seconds between two frames, at the least."""

SWITCH = 0.0005
"""Seconds the interpreter gives a thread at a time. A frame is a dozen socket writes, each of which lets go of the
interpreter; with the usual 5 ms the worker's Python would make a frame wait that long for each."""


class Pump:
    """Calls `show(snapshot)` with the newest snapshot each time the canvas is ready for one.

    `show` runs under the document's lock, and all that it changes travels in one message.
    """

    def __init__(self, take: Callable[[], Any], ready: Callable[[], bool], show: Callable[[Any], None]) -> None:
        self._take, self._ready, self._show = take, ready, show
        self._last = 0.0
        self.frames = 0
        self.seconds = 0.0

    @staticmethod
    def hurry() -> None:
        """Ask the session's socket not to delay small messages, and the interpreter not to delay a frame."""
        send_at_once(getattr(getattr(pn.state.curdoc, "session_context", None), "session", None))
        sys.setswitchinterval(min(SWITCH, sys.getswitchinterval()))

    def tick(self) -> None:
        """Send the newest snapshot if there is one and the browser can take it."""
        now = time.perf_counter()
        if now - self._last < SHORTEST or not self._ready():
            return
        snapshot = self._take()
        if snapshot is None:
            return
        self._last = now
        with in_order():
            self._show(snapshot)
        self.frames += 1
        self.seconds += time.perf_counter() - now
