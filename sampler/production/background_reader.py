"""`RowReader`: rows of a stream on request, read in a background thread so that the run can act while it waits."""

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

STOP_GRACE = 0.2
"""Seconds that the reading thread has to deliver a pending row when the run stops."""
END, PAUSE = object(), object()


class Place(NamedTuple):
    """Position of a stream after the rows it has yielded."""

    taken: int = 0  #: number of rows yielded or left out
    offset: Any = None
    scale: Any = None
    recent: Any = None  #: keys of a query that are queried again for late rows


@dataclass(eq=False)
class _Source:
    """The stream as used by the reading thread; holds no reference to the run."""

    stream: Any
    batches: Iterator[Any]
    note: Callable[[int], Any] = int  #: called with the number of rows taken so far
    yielded: int = 0  #: rows, for a stream that does not count them
    stop: threading.Event = field(default_factory=threading.Event)

    def next(self) -> tuple[Any, Place]:
        """Return the next batch, END at the end, and the position after it."""
        batch = next(self.batches, END)
        self.yielded += _rows_in(batch)
        place = self.place()
        self.note(place.taken)
        return batch, place

    def place(self) -> Place:
        """Return the current position of the stream."""
        taken, *place = (getattr(self.stream, name, None) for name in ("rows_taken", "offset", "scale", "recent"))
        return Place(self.yielded if taken is None else taken, *map(copy.copy, place))

    def read(self, n: int, answers: "queue.SimpleQueue[tuple[Any, Any]]") -> None:
        """Put batches with ``n`` rows and their positions into ``answers``, then PAUSE with any error; run in the thread."""
        error: BaseException | None = None
        try:
            while n > 0 and not self.stop.is_set():
                batch, place = self.next()
                answers.put((batch, place))
                if batch is END:
                    break
                n -= _rows_in(batch)
        except BaseException as raised:  # raised again in the thread that requests rows
            error = raised
            if isinstance(error, sqlite3.ProgrammingError):
                error.add_note("rows are read in another thread; Replay(reader_thread=False) reads them in that of run()")
        answers.put((PAUSE, error))


class RowReader(Rebatch):
    """Rebatch with a timeout that also tracks the position of the stream after the rows received.

    Memory: the requested rows and one batch of the stream.

    Parameters
    ----------
    stream : iterable of (features, labels)
        None instead of a pair means no data yet, and returns control to the run.
    threaded : bool, optional
        Whether to read in a thread. None does so unless the stream cannot block (a list, a file that does not grow),
        yields None while waiting (a query) or is bound to its thread (a cursor of SQLite, or a generator that uses one).
    check : callable, optional
        Maps a batch to the rows to hold, or to None.

    Attributes
    ----------
    place : Place
    """

    def __init__(self, stream: Any, threaded: bool | None, check: Callable[[Any], Any] | None) -> None:
        super().__init__(stream.batches() if isinstance(stream, DataStream) else stream)
        self._over, self._check = False, check
        self._source = _Source(stream, self._batches)
        self.update_place()
        if threaded is None:
            threaded = getattr(stream, "may_wait", not hasattr(stream, "__len__")) and not _is_bound(stream)
        self._threaded, self._reads = threaded, False  # whether a thread reads now
        self._answers: queue.SimpleQueue[tuple[Any, Any]] = queue.SimpleQueue()
        self._error: BaseException | None = None
        weakref.finalize(self, self._source.stop.set)

    def update_place(self) -> None:
        """Set ``place`` to the current position of the stream; not while a thread reads."""
        self.place = self._source.place()

    def note_in(self, note: Callable[[int], Any]) -> None:
        """Register ``note`` to be called, in the reading thread, with the rows taken so far after each batch."""
        self._source.note = note

    def ready(self, n: int, seconds: float = math.inf) -> bool:
        """Wait up to ``seconds`` for ``n`` rows; return whether they are held or the stream has ended.

        Returns early at the first row of the stream. An error of the source is raised once the rows before it are short.
        """
        until, had_none = time.monotonic() + seconds, not self.place.taken
        self._source.stop.clear()
        while self.held < n and not self._over:
            came = self._receive(n, until) if self._threaded else self._hold(*self._source.next())
            if not came or (had_none and self.place.taken) or time.monotonic() >= until:
                break
        return self.held >= n or self._over

    def take(self, n: int) -> Any:
        """Wait for and return the next ``n`` rows; fewer at the end of the stream, None after it."""
        while not self.ready(n):
            pass
        return self.cut(n)

    def pause(self) -> None:
        """Stop reading and hold the rows read; the thread ends once its source returns."""
        self._source.stop.set()
        until = time.monotonic() + STOP_GRACE
        while self._reads and self._error is None and self._next_answer(until):
            pass

    def _receive(self, n: int, until: float) -> bool:
        """Hold the next batch of the reading thread; return False on timeout."""
        if not self._reads and self._error is None:
            self._reads = True
            threading.Thread(target=self._source.read, args=(n - self.held, self._answers), name="rows of a replay",
                             daemon=True).start()
        came = self._error is None and self._next_answer(until)
        if self._error is not None:
            raise self._error
        return came

    def _next_answer(self, until: float) -> bool:
        """Process the thread's next answer; return False on timeout."""
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
        """Hold the usable rows of a batch; return False for None."""
        if batch is END:
            self._over = True
            return True
        usable = batch if batch is None or self._check is None else self._check(batch)
        if usable is not None:
            self.add(usable)
        self.place = place
        return batch is not None


def _rows_in(batch: Any) -> int:
    """Return the number of rows of a batch; an invalid batch counts as one and is rejected by its consumer."""
    if batch is None or batch is END:
        return 0
    return len(batch[0]) if isinstance(batch, tuple | list) and len(batch) == 2 and hasattr(batch[0], "__len__") else 1


def _is_bound(stream: Any) -> bool:
    """Return whether a source, or a generator that reads it, holds an SQLite connection, which is bound to its thread."""
    source = getattr(stream, "source", stream)
    parts = [source, *(inspect.getgeneratorlocals(source).values() if inspect.isgenerator(source) else ())]
    return any(isinstance(part, sqlite3.Connection | sqlite3.Cursor) for part in parts)
