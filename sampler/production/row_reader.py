"""Rows of a stream for a run that looks up while it waits for them: read in a thread, no more than asked for."""

import copy
import inspect
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sampler.streams.data_stream import DataStream
from sampler.streams.rebatch import Rebatch

LEAVE = 0.2
"""Seconds in which a reader that is about to hand over a row may do so when the run stops."""
END = object()


class Place(NamedTuple):
    """Where a stream stands after the rows that it has handed over."""

    taken: int = 0  #: rows handed over or left out
    offset: Any = None
    scale: Any = None
    recent: Any = None  #: keys of a query that are looked at again, for rows that come late


@dataclass
class _Source:
    """The stream, with what is counted of it; the thread has this and the feed, so that it keeps no run alive."""

    stream: Any
    batches: Iterator[Any]
    note: Callable[[int], Any] = int  #: takes how many rows have been taken, at once
    given: int = 0

    def next(self) -> tuple[Any, Place]:
        """The next batch and the place after it; END at the end."""
        batch = next(self.batches, END)
        self.given += _rows_in(batch)
        place = self.place()
        self.note(place.taken)
        return batch, place

    def place(self) -> Place:
        """Where the stream stands."""
        taken, *place = (getattr(self.stream, name, None) for name in ("rows_taken", "offset", "scale", "recent"))
        return Place(self.given if taken is None else taken, *map(copy.copy, place))


@dataclass
class _Feed:
    """What the reading thread and the run share; each changes it under the lock only."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    wanted: int = 0  #: rows still to be read
    given: list[tuple[Any, Place]] = field(default_factory=list)
    begun: bool = False  #: something has come
    over: bool = False
    error: BaseException | None = None
    runs: bool = False  #: there is a thread
    leave: bool = False  #: it is to end

    def close(self) -> None:
        """Have the thread end, as soon as its source lets it."""
        with self.changed:
            self.leave, self.wanted = True, 0
            self.changed.notify_all()


class RowReader(Rebatch):
    """A Rebatch that says after a while that the rows are not there yet, and where the stream stood after those that are.

    Memory: the rows asked for, and one batch of the stream.

    Parameters
    ----------
    stream : iterable of (features, labels)
        A None among them is nothing yet: it lets the run look up.
    threaded : bool, optional
        Read in a thread? None does so unless the stream cannot be quiet (a list, a file that does not grow), looks up by
        itself (a query) or is bound to the thread that made it (a cursor of SQLite, or a generator that has one).
    check : callable, optional
        Takes a batch, returns what is to be held of it; None for nothing.

    Attributes
    ----------
    place : Place
    """

    def __init__(self, stream: Any, threaded: bool | None, check: Callable[[Any], Any] | None) -> None:
        super().__init__(stream.batches() if isinstance(stream, DataStream) else stream)
        self._over, self._check = False, check
        self._source, self._feed = _Source(stream, self._batches), _Feed()
        self.look()
        if threaded is None:
            threaded = getattr(stream, "may_wait", not hasattr(stream, "__len__")) and not _is_bound(stream)
        self._threaded = threaded
        weakref.finalize(self, self._feed.close)

    def look(self) -> None:
        """Have ``place`` be where the stream stands; not while it is read."""
        self.place = self._source.place()

    def note_in(self, note: Callable[[int], Any]) -> None:
        """Have ``note`` called with the rows taken so far whenever the stream has given some, in the thread that reads."""
        self._source.note = note

    def ready(self, n: int, seconds: float | None = None) -> bool:
        """Wait for ``n`` rows, ``seconds`` at most, or for the first: whether they are held, or the stream has ended.

        An error of the source is raised here, once the rows before it do not suffice.
        """
        if self.held < n and not self._over:
            (self._read_in_thread if self._threaded else self._read)(n, seconds)
        return self.held >= n or self._over

    def take(self, n: int) -> Any:
        """The next ``n`` rows, fewer at the end of the stream, None after it; waits for them."""
        while not self.ready(n):
            pass
        return self.cut(n)

    def rest_now(self) -> None:
        """Read no more, hold what was read, and have the thread end: later, where its source does not let it."""
        self._feed.close()
        with self._feed.changed:
            self._feed.changed.wait_for(lambda: not self._feed.runs, LEAVE)
        try:
            self._hold_given()
        except ValueError as error:  # a row that cannot be used: raised when rows are asked for again
            self._feed.error = error

    def _read(self, n: int, seconds: float | None) -> None:
        until = None if seconds is None else time.monotonic() + seconds
        while self.held < n:
            first = not self.place.taken
            batch, place = self._source.next()
            if batch is END:
                self._over = True
                return
            self._hold([(batch, place)])
            if batch is None or first or (until is not None and time.monotonic() >= until):
                return

    def _read_in_thread(self, n: int, seconds: float | None) -> None:
        feed = self._feed
        with feed.changed:
            feed.wanted, feed.leave = n - self.held - sum(_rows_in(batch) for batch, _ in feed.given), False
            begun = feed.begun
            if not feed.runs:
                feed.runs = True
                threading.Thread(target=_read, args=(feed, self._source), name="rows of a replay", daemon=True).start()
            feed.changed.notify_all()
            feed.changed.wait_for(lambda: feed.wanted <= 0 or feed.over or feed.error or feed.begun != begun, seconds)
        self._hold_given()
        if self.held < n and feed.error is not None:
            error, feed.error = feed.error, None
            if isinstance(error, sqlite3.ProgrammingError):
                error.add_note("rows are read in another thread; Replay(reader_thread=False) reads them in that of run()")
            raise error

    def _hold_given(self) -> None:
        with self._feed.changed:
            given, self._feed.given, self._over = self._feed.given, [], self._feed.over or self._over
        self._hold(given)

    def _hold(self, given: list[tuple[Any, Place]]) -> None:
        batches: list[Any] = []
        try:
            for batch, place in given:
                usable = batch if batch is None or self._check is None else self._check(batch)
                if usable is not None:
                    batches.append(usable)
                self.place = place
        finally:
            self.add(batches)


def _read(feed: _Feed, source: _Source) -> None:
    """The thread: reads as many rows as are wanted, then waits to be asked again."""
    while True:
        with feed.changed:
            feed.changed.wait_for(lambda: feed.leave or feed.wanted > 0)
            if feed.leave:
                feed.runs = False
                feed.changed.notify_all()
                return
        try:
            batch, place = source.next()
        except BaseException as error:  # raised again by whoever asks for rows
            with feed.changed:
                feed.error, feed.runs = error, False
                feed.changed.notify_all()
            return
        with feed.changed:
            if batch is END:
                feed.over, feed.runs = True, False
                feed.changed.notify_all()
                return
            if batch is None and feed.given:  # the place alone is news: a list of them would grow
                feed.given[-1] = (feed.given[-1][0], place)
            else:
                feed.given.append((batch, place))
            feed.wanted -= _rows_in(batch)
            if feed.wanted <= 0 or not feed.begun:
                feed.begun = feed.begun or batch is not None
                feed.changed.notify_all()


def _rows_in(batch: Any) -> int:
    """Rows of a batch; what is none counts as one, and is refused by whoever looks at it."""
    if batch is None or batch is END:
        return 0
    return len(batch[0]) if isinstance(batch, tuple | list) and len(batch) == 2 and hasattr(batch[0], "__len__") else 1


def _is_bound(stream: Any) -> bool:
    """Whether a source, or a generator that reads it, holds a connection that SQLite lets its own thread use alone."""
    source = getattr(stream, "source", stream)
    parts = [source, *(inspect.getgeneratorlocals(source).values() if inspect.isgenerator(source) else ())]
    return any(isinstance(part, sqlite3.Connection | sqlite3.Cursor) for part in parts)
