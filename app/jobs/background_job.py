"""`BackgroundJob`: one thread per page for long-running work; a new request cancels the previous one."""

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
"""Seconds without an update after which the remaining time is displayed again."""
SILENT = 0.5
"""Seconds without a first result after which COMPILING is displayed."""
COMPILING = ("Compiling the kernels or importing packages. This takes up to a minute the first time on a machine; later"
             " starts skip it.")


def import_shared_packages() -> None:
    """Import the packages that jobs and figures use, before a thread of either imports them.

    Where two threads import pandas at the same moment, one of its C modules leaves an unread exception. Python's next C
    call, which acquires the import lock, then fails; the lock is never released, and every later import of the process
    deadlocks (pandas 3.1, Python 3.11).
    """
    import arviz_stats.base  # noqa: F401 - imports pandas through xarray
    import pandas  # noqa: F401


@dataclass(frozen=True, eq=False)
class JobUpdate:
    """Latest state of a job."""

    number: int  #: request number, from 1
    value: Any = None  #: last published result; kept when the job is cancelled or fails
    fraction: float | None = None  #: completed fraction in [0, 1]; None if unknown
    words: str = ""  #: current activity
    seconds_left: float | None = None
    seconds: float = 0.0  #: since the start of the job
    done: bool = False  #: True for the last update: finished, cancelled or failed
    cancelled: bool = False
    error: str = ""  #: error message; empty if there was none

    @property
    def progress(self) -> float | None:
        """Value of a progress bar: completed fraction in [0, 1], -1 if unknown, None when done."""
        return None if self.done else -1.0 if self.fraction is None else round(self.fraction, 3)

    @property
    def left(self) -> str:
        """Remaining time as text; empty when done or unknown."""
        return "" if self.done or self.seconds_left is None else f"{time_words(self.seconds_left)} left"

    @property
    def working(self) -> str:
        """Current activity and remaining time as short text; empty when done."""
        if self.done:
            return ""
        words = self.words.partition(". ")[0].rstrip(".")
        return f"{words}, {self.left}" if self.seconds_left and words else words


class JobHandle:
    """Handle of a running job: publishes results, reports cancellation, caches data for the page's next job.

    Attributes
    ----------
    number : int
        Request number.
    cancelled : bool
        Whether the user cancelled this job.
    kept : dict
        Cache with the lifetime of the `BackgroundJob`, for jobs on its thread.
    owner, visit
        Identity of the page's `BackgroundJob`, and its visit.
    turn
        Converts published values to displayed ones: a worker process has no access to the page.
    on_stop
        Callback when the job is stopped, on the thread that stops it.
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
        """Whether the job must return: it was cancelled or superseded, or the page is closed."""
        return self.cancelled or self._owner._current is not self

    def publish(self, value: Any = None, fraction: float | None = None, words: str = "",
                seconds_left: float | None = None, foreseen: bool = False,
                work: tuple[float, float] | None = None) -> None:
        """Publish an intermediate result. Cheap: the page reads only the latest one.

        Parameters
        ----------
        value
            Intermediate result; None keeps the previous one.
        fraction
            Completed fraction in [0, 1]; `TimeLeft` estimates the remaining time from it.
        words
            Current activity.
        seconds_left, foreseen
            With ``foreseen=True`` the job's own estimate of its remaining time; None if unknown.
        work
            Completed and remaining work in one unit of constant duration; by default from the fraction.
        """
        self._foreseen = foreseen
        if not foreseen:
            if work is None and fraction is not None:
                work = fraction, 1.0 - fraction
            if work is not None:
                self._left.update(*work)
            seconds_left = None if work is None else self._left.seconds
        value = self._last.value if value is None else self.turn(value)
        seconds = time.monotonic() - self._began
        self._owner._put(self, JobUpdate(self.number, value, fraction, words, seconds_left, seconds))

    def time_anew(self) -> None:
        """Discard the measured pace: later work is reported in another unit."""
        self._left.restart()

    def _later(self) -> JobUpdate | None:
        """Return the last update with the current remaining time, or COMPILING before the first; None if unchanged."""
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
    """Runner of one job at a time. `start`, `cancel`, `take` and `close` never block.

    A job is a function of a `JobHandle`, run on a thread; `in_process` creates one that computes in a worker process. It
    must check `handle.stopped` about every 0.1 s and must not touch displayed objects. Its return value, if not None, is
    its last result. An exception becomes a message. The latest request wins: the running job is stopped, and a waiting
    one is discarded.

    Parameters
    ----------
    name
        Name of the thread.
    show
        Callback of `look` with each new update.
    show_overtaken
        Whether to display updates of a superseded job until the newer one starts, as while a slider moves. Such an update
        has the number of its own request and is never the last.
    visit
        Visit of the page; by default that of pages outside a server.
    """

    def __init__(self, name: str = "page-worker", show: Callable[[JobUpdate], None] | None = None, *,
                 show_overtaken: bool = False, visit: Visit | None = None) -> None:
        import_shared_packages()
        self._name, self._show, self._show_overtaken = name, show, show_overtaken
        self._lock = threading.Lock()
        self._current: JobHandle | None = None  #: handle of the latest request
        self._running: JobHandle | None = None  #: handle of the running job
        self._waiting: tuple[JobHandle, Callable[[JobHandle], Any]] | None = None
        self._slot: JobUpdate | None = None
        self._thread: threading.Thread | None = None
        self._settled = 0  #: number of the last request that has ended
        self._closed = False
        self.kept: dict[str, Any] = {}
        self.identity, self.visit = next(_IDENTITIES), visit or SERVER.alone
        self.requests = 0  #: number of requests

    def start(self, job: Callable[[JobHandle], Any]) -> int:
        """Request a job and stop the running one. Return the request number."""
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
        """Stop the job; its last update repeats the last published result."""
        if self._current is not None:
            self._current.cancelled = True
            self._current.on_stop()

    def take(self) -> JobUpdate | None:
        """Return the latest update, or None if nothing has changed since the previous call."""
        with self._lock:
            update, self._slot = self._slot, None
            if update is None and self._running is not None and self._running is self._current:
                update = self._running._later()
                self._running._last = update or self._running._last
            if update is not None and update.done:
                self._settled = update.number
            return update

    def look(self) -> None:
        """Display the latest update, if there is a new one."""
        update = self.take()
        if update is not None:
            self._show(update)

    @property
    def settled(self) -> bool:
        """Whether the last update of the latest request has been taken."""
        return self._settled == self.requests

    @property
    def running(self) -> bool:
        """Whether the latest job is running or waiting."""
        current = self._current
        return current is not None and not current._last.done

    def close(self) -> None:
        """Stop the job and discard its updates, without waiting for the thread: other visits would wait, too."""
        with self._lock:
            last = self._current
            self._closed, self._current, self._waiting, self._slot = True, None, None, None
        if last is not None:
            last.on_stop()
        self.visit.server.part(WorkerPool).forget(self.identity)

    def _put(self, handle: JobHandle, update: JobUpdate) -> None:
        with self._lock:
            overtaken = self._show_overtaken and handle is self._running and not update.done and not self._closed
            handle._last = update  # under the lock: `take` also sets it, and must not restore an older one
            if handle is self._current or overtaken:
                self._slot = update

    def _work(self) -> None:
        """Run the latest request until none is waiting."""
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
            except BaseException as error:  # user code may raise SystemExit; the page must display a message
                handle._end(None, error_words(error))
