"""`Broadcast`: the teacher's run as all followers see it: one stream of pictures, made once and thinned."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from app.live.engine import Engine
    from app.live.snapshot import Series, Snapshot

EVERY = 0.1
"""Seconds between two pictures for followers, at least: a little less than between two rounds of the feed."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A snapshot of the whole room, whoever made it."""

    number: int
    snapshot: Snapshot  #: its `run` is counted over all engines there were
    series: Series | None  #: what was measured of this run so far
    measured: int  #: number of the series


class Broadcast:
    """Takes snapshots from the engine that is in front, on its thread; hands the latest to any other thread."""

    def __init__(self, every: float = EVERY, clock: Callable[[], float] = time.monotonic) -> None:
        self._every, self._clock, self._lock = every, clock, threading.Lock()
        self._engine: Engine | None = None
        self._series: WeakKeyDictionary[Engine, Series] = WeakKeyDictionary()
        self._waiting: Snapshot | None = None
        self._picture: Picture | None = None
        self._due = -1e9
        self._number = self._measured = self._run = 0
        self._run_key: tuple = ()

    def follow(self, engine: Engine) -> None:
        """Take pictures from this engine from now on; the last one stays until its first has come."""
        with self._lock:
            last, self._engine = self._engine, engine
            if last is not engine:
                self._waiting = None  # of another run: its flashes are nothing to the next
            self._measured += 1
        if last is engine:
            return
        if last is not None:
            last.listen(None)
        engine.listen(lambda snapshot: self.take_in(engine, snapshot))

    @property
    def engine(self) -> Engine | None:
        """Whose pictures they are."""
        return self._engine

    def take_in(self, engine: Engine, snapshot: Snapshot) -> None:
        """Take one snapshot; one that nobody has been shown goes into the next."""
        with self._lock:
            if engine is not self._engine:
                return
            if snapshot.series is not None:
                self._series[engine] = snapshot.series
                self._measured += 1
            self._waiting = snapshot.replacing(self._waiting)

    def latest(self) -> Picture | None:
        """Return the newest picture for followers; None before the first. New ones do not come thick and fast."""
        with self._lock:
            now = self._clock()
            if self._waiting is not None and now >= self._due:
                self._due = now + self._every
                self._show(self._waiting)
                self._waiting = None
            elif self._picture is not None and self._picture.measured != self._measured:
                self._picture = replace(self._picture, series=self._known, measured=self._measured)
            return self._picture

    @property
    def _known(self) -> Series | None:
        return self._series.get(self._engine) if self._engine is not None else None

    def _show(self, snapshot: Snapshot) -> None:
        key = (id(self._engine), snapshot.run)
        if key != self._run_key:
            self._run_key, self._run = key, self._run + 1
        self._number += 1
        shown = replace(snapshot, run=self._run, frame=self._number, series=None)
        self._picture = Picture(self._number, shown, self._known, self._measured)
