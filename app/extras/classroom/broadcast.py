"""`Broadcast`: the latest snapshot of the teacher's run, sent to all followers up to eight times per second."""

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
"""Minimum time between snapshots for followers, in seconds; slightly below PERIOD."""
PERIOD = 125
"""Time between rounds, in milliseconds."""


class Broadcast:
    """Latest snapshot of the teacher's visible engine, stored on the engine's thread and readable from any thread.

    Snapshots are numbered per room: `run` and `frame` count over all its engines. `series` has all measurements of the run
    so far and is the same object until it grows.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self.engine: Engine | None = None  #: source of the snapshots
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
        """Follow this engine; the latest snapshot stays until its first one arrives."""
        with self._lock:
            last, self.engine = self.engine, engine
            if last is engine:
                return
            self._waiting = None  # from another run: its flashes must not be merged into the next
        if last is not None:
            last.listen(None)
        engine.listen(partial(self._take, engine))

    def _take(self, engine: Engine, snapshot: Snapshot) -> None:
        """Store a snapshot, merged with a previous one that was not sent."""
        with self._lock:
            if engine is not self.engine:
                return
            if snapshot.series is not None:
                self._series[engine] = snapshot.series
            self._waiting = snapshot.replacing(self._waiting)

    def latest(self) -> Snapshot | None:
        """Return the latest snapshot for followers, renewed at most once per EVERY seconds; None before the first."""
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
        """Call `show` with each new snapshot from now on; `loop` is the server's event loop."""
        with self._lock:
            self._followers.add(show)
        loop.add_callback(self._start)

    def remove(self, show: Callable[[Snapshot], None]) -> None:
        """Stop calling `show`."""
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
