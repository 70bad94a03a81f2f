"""Rows of a stream for a run that looks up while it waits for them: read in a thread, no more than asked for."""

import copy
import inspect
import math
import queue
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sampler.streams.chunk import Rebatch
from sampler.streams.data_stream import DataStream

LEAVE = 0.2
"""Seconds in which a reader that is about to hand over a row may do so when the run stops."""
END, PAUSE = object(), object()


class Place(NamedTuple):
    """Where a stream stands after the rows that it has handed over."""

    taken: int = 0  #: rows handed over or left out
    offset: Any = None
    scale: Any = None
    recent: Any = None  #: keys of a query that are looked at again, for rows that come late


@dataclass(eq=False)
class _Source:
    """The stream, as the reading thread uses it; the thread keeps no run alive."""

    stream: Any
    batches: Iterator[Any]
    note: Callable[[int], Any] = int  #: takes how many rows have been taken, at once
    handed_over: int = 0  #: rows, by a stream that does not count them
    leave: threading.Event = field(default_factory=threading.Event)

    def next(self) -> tuple[Any, Place]:
        """The next batch and the place after it; END at the end."""
        batch = next(self.batches, END)
        self.handed_over += _rows_in(batch)
        place = self.place()
        self.note(place.taken)
        return batch, place

    def place(self) -> Place:
        """Where the stream stands."""
        taken, *place = (getattr(self.stream, name, None) for name in ("rows_taken", "offset", "scale", "recent"))
        return Place(self.handed_over if taken is None else taken, *map(copy.copy, place))

    def read(self, n: int, answers: "queue.SimpleQueue[tuple[Any, Any]]") -> None:
        """The thread: put ``n`` rows into ``answers``, each batch with its place, and at last a PAUSE with any error."""
        error: BaseException | None = None
        try:
            while n > 0 and not self.leave.is_set():
                batch, place = self.next()
                answers.put((batch, place))
                if batch is END:
                    break
                n -= _rows_in(batch)
        except BaseException as raised:  # raised again by whoever asks for rows
            error = raised
            if isinstance(error, sqlite3.ProgrammingError):
                error.add_note("rows are read in another thread; Replay(reader_thread=False) reads them in that of run()")
        answers.put((PAUSE, error))


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
        self._source = _Source(stream, self._batches)
        self.look()
        if threaded is None:
            threaded = getattr(stream, "may_wait", not hasattr(stream, "__len__")) and not _is_bound(stream)
        self._threaded, self._reads = threaded, False  # whether a thread reads now
        self._answers: queue.SimpleQueue[tuple[Any, Any]] = queue.SimpleQueue()
        self._error: BaseException | None = None
        weakref.finalize(self, self._source.leave.set)

    def look(self) -> None:
        """Have ``place`` be where the stream stands; not while it is read."""
        self.place = self._source.place()

    def note_in(self, note: Callable[[int], Any]) -> None:
        """Have ``note`` called with the rows taken so far whenever the stream has given some, in the thread that reads."""
        self._source.note = note

    def ready(self, n: int, seconds: float = math.inf) -> bool:
        """Wait for ``n`` rows, ``seconds`` at most, or for the first: whether they are held, or the stream has ended.

        An error of the source is raised here, once the rows before it do not suffice.
        """
        until, had_none = time.monotonic() + seconds, not self.place.taken
        self._source.leave.clear()
        while self.held < n and not self._over:
            came = self._receive(n, until) if self._threaded else self._hold(*self._source.next())
            if not came or (had_none and self.place.taken) or time.monotonic() >= until:
                break
        return self.held >= n or self._over

    def take(self, n: int) -> Any:
        """The next ``n`` rows, fewer at the end of the stream, None after it; waits for them."""
        while not self.ready(n):
            pass
        return self.cut(n)

    def rest_now(self) -> None:
        """Read no more, hold what was read, and have the thread end: later, where its source does not let it."""
        self._source.leave.set()
        until = time.monotonic() + LEAVE
        while self._reads and self._error is None and self._next_answer(until):
            pass

    def _receive(self, n: int, until: float) -> bool:
        """Hold the next batch that a thread has read; False where none has come in time."""
        if not self._reads and self._error is None:
            self._reads = True
            threading.Thread(target=self._source.read, args=(n - self.held, self._answers), name="rows of a replay",
                             daemon=True).start()
        came = self._error is None and self._next_answer(until)
        if self._error is not None:
            raise self._error
        return came

    def _next_answer(self, until: float) -> bool:
        """Take the thread's next answer; False where none has come in time."""
        try:
            batch, place = self._answers.get(timeout=None if until == math.inf else max(0.0, until - time.monotonic()))
        except queue.Empty:
            return False
        if batch is PAUSE:
            self._reads, self._error = False, place
            return True
        try:
            self._hold(batch, place)
        except ValueError as error:  # a row that cannot be used
            self._error = error
        return True

    def _hold(self, batch: Any, place: Place) -> bool:
        """Hold what can be used of a batch; False for one without rows."""
        if batch is END:
            self._over = True
            return True
        usable = batch if batch is None or self._check is None else self._check(batch)
        if usable is not None:
            self.add(usable)
        self.place = place
        return batch is not None


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
