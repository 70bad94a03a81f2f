"""`BackgroundJob`: one thread a page for work that takes its time; the latest request wins, an older one is dropped."""

import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from app.error_words import error_words
from app.jobs.worker_processes import WorkerPool
from app.visit import SERVER, Visit
from sampler.time_left import TimeLeft, time_words

AGAIN = 2.0
"""Seconds without news after which an update with a time left is shown again: that time has changed."""
SILENT = 0.5
"""Seconds without a first result after which a job is said to be compiling."""
COMPILING = ("Compiling the kernels, or waiting for what is being imported. The first time on a machine it takes up to a"
             " minute; later starts need none of this.")


def import_shared_packages() -> None:
    """Import what jobs measure with and figures draw with, before a thread of either does.

    Where two threads import pandas at the same moment, one of its C modules is left with an error that nobody reads. The
    next call of C is Python's own for its import lock: it fails, the lock is never released, and all imports of the process
    wait for good (pandas 3.1, Python 3.11).
    """
    import arviz_stats.base  # noqa: F401 - which imports pandas through xarray
    import pandas  # noqa: F401


@dataclass(frozen=True, eq=False)
class JobUpdate:
    """State of a job when it last reported."""

    number: int  #: of the request: 1 for the first that was made
    value: Any = None  #: what was last published; kept when the job is cancelled or fails
    fraction: float | None = None  #: done so far, in [0, 1]; None when there is no telling
    words: str = ""
    seconds_left: float | None = None
    seconds: float = 0.0  #: since the job began
    done: bool = False  #: nothing more comes: finished, cancelled or failed
    cancelled: bool = False
    error: str = ""  #: in words; empty when nothing went wrong

    @property
    def progress(self) -> float | None:
        """What a card's bar shows: done so far, in [0, 1]; -1 when there is no telling, None when it is done."""
        return None if self.done else -1.0 if self.fraction is None else round(self.fraction, 3)

    @property
    def left(self) -> str:
        """Time left in words; empty when it is done, or when there is no telling."""
        return "" if self.done or self.seconds_left is None else f"{time_words(self.seconds_left)} left"

    @property
    def working(self) -> str:
        """What goes on and how long it will still take, in a few words; empty when it is done."""
        if self.done:
            return ""
        words = self.words.partition(". ")[0].rstrip(".")
        return f"{words}, {self.left}" if self.seconds_left and words else words


class JobHandle:
    """Handle of a job: what it publishes, whether it has been stopped, and what it keeps for the next job of its page.

    Attributes
    ----------
    number : int
        Of the request.
    cancelled : bool
        Whether the user cancelled this very job.
    kept : dict
        Lasts as long as the `BackgroundJob`, for jobs on its thread.
    owner, visit
        Tell pages and visits apart.
    turn
        Makes what is shown of what is published from here on: a worker process publishes what it knows alone.
    on_stop
        Called when the job is stopped, by the thread that stops it.
    """

    def __init__(self, owner: "BackgroundJob", number: int) -> None:
        self._owner, self.number = owner, number
        self._began = time.monotonic()
        self._left, self._foreseen = TimeLeft(), False
        self._last = JobUpdate(number)
        self.cancelled = False
        self.kept, self.owner, self.visit = owner.kept, owner.identity, owner.visit
        self.turn: Callable[[Any], Any] = lambda value: value
        self.on_stop: Callable[[], None] = lambda: None

    @property
    def stopped(self) -> bool:
        """Whether to return soon: cancelled, overtaken by a newer request, or the page is closed."""
        return self.cancelled or self._owner._current is not self

    def publish(self, value: Any = None, fraction: float | None = None, words: str = "",
                seconds_left: float | None = None, foreseen: bool = False,
                work: tuple[float, float] | None = None) -> None:
        """Show a result so far; `value=None` keeps the last one. Cheap: only the newest is ever looked at.

        Parameters
        ----------
        value
            Result so far.
        fraction
            Of the work done, in [0, 1]; the time left follows from it, see `TimeLeft`.
        words
            What goes on.
        seconds_left, foreseen
            With ``foreseen=True`` the job says its time left itself; None: nobody can tell.
        work
            What is done and what is left, in one unit that takes equally long; without it the fraction is taken for that.
        """
        self._foreseen = foreseen
        if not foreseen:
            if work is None and fraction is not None:
                work = fraction, 1.0 - fraction
            if work is not None:
                self._left.tell(*work)
            seconds_left = None if work is None else self._left.seconds
        value = self._last.value if value is None else self.turn(value)
        seconds = time.monotonic() - self._began
        self._owner._put(self, JobUpdate(self.number, value, fraction, words, seconds_left, seconds))

    def time_anew(self) -> None:
        """Forget the pace so far: the work from here on is told in another unit."""
        self._left.restart()

    def _later(self) -> JobUpdate | None:
        """Return the last update with the time left of this moment, or why there is nothing yet; None: nothing new."""
        last, seconds = self._last, time.monotonic() - self._began
        if not (last.done or last.words) and last.value is None and seconds > SILENT:
            return replace(last, words=COMPILING, seconds=seconds)
        if last.done or self._foreseen or last.seconds_left is None or seconds - last.seconds < AGAIN:
            return None
        return replace(last, seconds_left=self._left.seconds, seconds=seconds)

    def _end(self, value: Any, error: str = "") -> None:
        last, seconds = self._last, time.monotonic() - self._began
        cut = self.cancelled and not error
        self._owner._put(self, JobUpdate(
            self.number, last.value if value is None else value, last.fraction if cut or error else 1.0,
            last.words if cut else "", None, seconds, True, cut, error))


_IDENTITIES = itertools.count()


class BackgroundJob:
    """Runs one job at a time; a page calls `start`, `cancel`, `take` and `close`, none of which blocks.

    A job is a function of a `JobHandle`, on a thread; `in_process` makes one that computes in a worker process. It must
    look at `handle.stopped` every tenth of a second or so, and must not touch anything that is shown. What it returns, if
    not None, is its last value. An exception becomes words. The latest request wins: a job under way is asked to stop,
    and one that has not begun yet never begins.

    Parameters
    ----------
    name
        Of the thread.
    show
        Called by `look` with what is new, if anything is.
    show_overtaken
        Whether what an overtaken job still publishes is shown until the newer one begins, so that a moving slider
        shows something. Such an update has the number of its own request and is never the last.
    visit
        Whose job it is; by default that of pages outside a server.
    """

    def __init__(self, name: str = "page-worker", show: Callable[[JobUpdate], None] | None = None, *,
                 show_overtaken: bool = False, visit: Visit | None = None) -> None:
        import_shared_packages()
        self._name, self._show, self._show_overtaken = name, show, show_overtaken
        self._lock = threading.Lock()
        self._current: JobHandle | None = None  #: of the latest request
        self._running: JobHandle | None = None  #: of the job the thread is at
        self._waiting: tuple[JobHandle, Callable[[JobHandle], Any]] | None = None
        self._slot: JobUpdate | None = None
        self._thread: threading.Thread | None = None
        self._settled = 0  #: request whose end was taken last
        self._closed = False
        self.kept: dict[str, Any] = {}
        self.identity, self.visit = next(_IDENTITIES), visit or SERVER.alone
        self.requests = 0  #: requests so far

    def start(self, job: Callable[[JobHandle], Any]) -> int:
        """Ask for a job; one under way is dropped. Returns the number of the request."""
        with self._lock:
            self.requests += 1
            if self._closed:
                return self.requests
            old = self._current
            if not self._show_overtaken:
                self._slot = None
            self._current = JobHandle(self, self.requests)
            self._waiting = self._current, job
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
        if old is not None:
            old.on_stop()
        return self.requests

    def cancel(self) -> None:
        """Ask the job to stop; what it has published stays, and comes once more as its last update."""
        if self._current is not None:
            self._current.cancelled = True
            self._current.on_stop()

    def take(self) -> JobUpdate | None:
        """Return the newest update, or None if there is none since the last."""
        with self._lock:
            update, self._slot = self._slot, None
            if update is None and self._running is not None and self._running is self._current:
                update = self._running._later()
                self._running._last = update or self._running._last
            if update is not None and update.done:
                self._settled = update.number
            return update

    def look(self) -> None:
        """Show what is new."""
        update = self.take()
        if update is not None:
            self._show(update)

    @property
    def settled(self) -> bool:
        """Whether nothing is to come: the end of the latest request has been taken."""
        return self._settled == self.requests

    @property
    def running(self) -> bool:
        """Whether a job is under way."""
        current = self._current
        return current is not None and not current._last.done

    def close(self) -> None:
        """End the thread soon; nothing more comes. Never waits for that: other visits would wait, too."""
        with self._lock:
            last = self._current
            self._closed, self._current, self._waiting, self._slot = True, None, None, None
        if last is not None:
            last.on_stop()
        self.visit.server.part(WorkerPool).forget(self.identity)

    def _put(self, handle: JobHandle, update: JobUpdate) -> None:
        with self._lock:
            overtaken = self._show_overtaken and handle is self._running and not update.done and not self._closed
            handle._last = update  # under the lock: `take` sets it too, and must not put an older one in its place
            if handle is self._current or overtaken:
                self._slot = update

    def _work(self) -> None:
        """Do what is asked for, the latest only, and end when nothing is."""
        while True:
            with self._lock:
                if self._waiting is None:
                    self._thread = self._running = None
                    return
                (handle, job), self._waiting = self._waiting, None
                self._running = handle
            handle._began = time.monotonic()
            handle.time_anew()
            try:
                handle._end(job(handle))
            except BaseException as error:  # the page must hear of it in words, not find a dead thread; user code may exit
                handle._end(None, error_words(error))
