"""`FrameSender`: sends frames from an engine to the browser, at the rate at which it paints them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from panel.io.state import set_curdoc
from tornado.ioloop import IOLoop

from app.jobs.frame_rate import FrameRate
from app.js.component import in_order
from app.visit import served_document

SHORTEST = 0.8 / 60
"""Minimum seconds between two frames."""

SWITCH = 0.0005
"""Thread switch interval of the interpreter (seconds). A frame is a dozen socket writes, each of which releases the GIL;
with the default of 5 ms the worker's Python would delay each write by that long."""


class FrameSender:
    """Calls `show(snapshot)` with the newest snapshot each time the canvas is ready for one.

    `show` runs under the document's lock, and all its changes are sent in one message. `rate` records the cost of each
    frame; None: the frames are excluded from the rate shared by the visits.
    """

    def __init__(self, take: Callable[[], Any], ready: Callable[[], bool], show: Callable[[Any], None],
                 rate: FrameRate | None = None) -> None:
        self._take, self._ready, self._show, self._rate = take, ready, show, rate
        self._last = 0.0
        self._visit: Any = None  #: context of the session that shows the page
        self._loop: Any = None
        self._woken = False

    def attach(self) -> None:
        """Store the session and the event loop of the page, and shorten the interpreter's switch interval."""
        self._visit = getattr(served_document(), "session_context", None)
        self._loop = None if self._visit is None else IOLoop.current()
        sys.setswitchinterval(min(SWITCH, sys.getswitchinterval()))

    @property
    def wakes(self) -> bool:
        """Whether `wake` has an event loop to call; a page without its own session must be polled."""
        return self._visit is not None

    def wake(self) -> None:
        """Schedule sending the newest snapshot; may be called from any thread."""
        if self.wakes and not self._woken:
            self._woken = True
            self._loop.add_callback(self._answer)

    async def _answer(self) -> None:
        early = self._last + SHORTEST - time.perf_counter()
        if early > 0 and not self._visit.destroyed:  # `_woken` stays True: one call is scheduled, and no wake is lost
            self._loop.call_later(early, self._answer)
            return
        self._woken = False
        if not self._visit.destroyed and self._ready():
            await self._visit.with_locked_document(self._tick_in)

    async def _tick_in(self, document: Any) -> None:
        with set_curdoc(document):
            self.tick()

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
        if self._rate is not None:
            self._rate.note(id(self), time.perf_counter() - now)
