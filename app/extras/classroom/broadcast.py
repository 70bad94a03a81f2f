"""The teacher's run as all followers see it: `Broadcast` thins its pictures, and sends them out eight times a second."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from tornado.ioloop import PeriodicCallback

from app.live.engine import Engine
from app.live.snapshot import Series, Snapshot

EVERY = 0.1
"""Seconds between two pictures for followers, at least: a little less than between two rounds."""
PERIOD = 125
"""Milliseconds between two rounds."""


class Broadcast:
    """Takes snapshots from the engine that is in front, on its thread; hands the latest to any other thread.

    Such a snapshot is of the whole room: its `run` and `frame` are counted over all engines there were, and its `series` is
    what was measured of this run so far, the same object until there is more.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self.engine: Engine | None = None  #: whose pictures they are
        self._series: WeakKeyDictionary[Engine, Series] = WeakKeyDictionary()
        self._waiting: Snapshot | None = None
        self._latest: Snapshot | None = None
        self._due = -1e9
        self._frame = self._run = 0
        self._run_key: tuple = ()
        self._followers: set[Callable[[Snapshot], None]] = set()
        self._rounds: PeriodicCallback | None = None
        self._sent: Snapshot | None = None

    def follow(self, engine: Engine) -> None:
        """Take pictures from this engine from now on; the last one stays until its first has come."""
        with self._lock:
            last, self.engine = self.engine, engine
            if last is engine:
                return
            self._waiting = None  # of another run: its flashes are nothing to the next
        if last is not None:
            last.listen(None)
        engine.listen(partial(self._take, engine))

    def _take(self, engine: Engine, snapshot: Snapshot) -> None:
        """Take one snapshot; one that nobody has been shown goes into the next."""
        with self._lock:
            if engine is not self.engine:
                return
            if snapshot.series is not None:
                self._series[engine] = snapshot.series
            self._waiting = snapshot.replacing(self._waiting)

    def latest(self) -> Snapshot | None:
        """Return the newest picture for followers; None before the first. New ones do not come thick and fast."""
        with self._lock:
            now = self._clock()
            if self._waiting is not None and now >= self._due:
                self._due = now + EVERY
                self._latest, self._waiting = self._numbered(self._waiting), None
            return self._latest

    def _numbered(self, snapshot: Snapshot) -> Snapshot:
        key = (id(self.engine), snapshot.run)
        if key != self._run_key:
            self._run_key, self._run = key, self._run + 1
        self._frame += 1
        return replace(snapshot, run=self._run, frame=self._frame, series=self._series.get(self.engine))

    def add(self, show: Callable[[Snapshot], None], loop: Any) -> None:
        """Show a page each new picture from now on; `loop` is the server's."""
        with self._lock:
            self._followers.add(show)
        loop.add_callback(self._start)

    def remove(self, show: Callable[[Snapshot], None]) -> None:
        """Show a page no more pictures."""
        with self._lock:
            self._followers.discard(show)

    def _start(self) -> None:
        if self._rounds is None:
            self._rounds = PeriodicCallback(self._round, PERIOD)
            self._rounds.start()

    def _round(self) -> None:
        with self._lock:
            followers = list(self._followers)
        if not followers and self._rounds is not None:
            self._rounds.stop()
            self._rounds = None
        picture = self.latest()
        if picture is not None and picture is not self._sent:
            self._sent = picture
            for show in followers:
                show(picture)
