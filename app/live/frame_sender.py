"""Moves frames from an engine to the browser: never more than it paints, never waiting for good."""

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
"""Seconds between two frames, at the least."""

SWITCH = 0.0005
"""Seconds the interpreter gives a thread at a time. A frame is a dozen socket writes, each of which lets go of the
interpreter; with the usual 5 ms the worker's Python would make a frame wait that long for each."""


class FrameSender:
    """Calls `show(snapshot)` with the newest snapshot each time the canvas is ready for one.

    `show` runs under the document's lock, and all that it changes travels in one message. `rate` is told what each
    frame has cost; None: its frames do not count where visits share the server.
    """

    def __init__(self, take: Callable[[], Any], ready: Callable[[], bool], show: Callable[[Any], None],
                 rate: FrameRate | None = None) -> None:
        self._take, self._ready, self._show, self._rate = take, ready, show, rate
        self._last = 0.0
        self._visit: Any = None  #: context of the session that shows the page
        self._loop: Any = None
        self._woken = False

    def hurry(self) -> None:
        """Note the session and the loop of the page that begins, and ask the interpreter not to delay a frame."""
        self._visit = getattr(served_document(), "session_context", None)
        self._loop = None if self._visit is None else IOLoop.current()
        sys.setswitchinterval(min(SWITCH, sys.getswitchinterval()))

    @property
    def wakes(self) -> bool:
        """Whether `wake` reaches a loop: a page without a session of its own has to be looked at."""
        return self._visit is not None

    def wake(self) -> None:
        """Send what there is soon; may be called from any thread."""
        if self.wakes and not self._woken:
            self._woken = True
            self._loop.add_callback(self._answer)

    async def _answer(self) -> None:
        early = self._last + SHORTEST - time.perf_counter()
        if early > 0 and not self._visit.destroyed:  # still woken: one answer is on its way, and no wake is lost
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
