"""Worker processes of the server: they run long jobs and send the published results over a pipe."""

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from numba import cloudpickle  # shipped with numba; it pickles functions of a notebook by value

from app.error_words import error_words
from sampler.tuning import workers

MOST = max(4, (os.cpu_count() or 1) - 1)
"""Maximum number of worker processes. At least four, even on one core: one long job must not block the others."""
PATIENCE = 2.0
"""Seconds in which a stopped job must return before its process is killed."""
LOOK = 0.25
"""Polling interval for a stopped job, in seconds."""
SHARE = 0.1
"""Largest share of a job's time for sending results: large results are sent less often."""
MODULES = ("app.compare.race_job", "app.coreset.paper_figure_job", "app.coreset.run_set", "app.exit_time.job",
           "app.offline.ladder_run", "app.offline.likelihood_race_job", "app.offline.wasserstein_race_job",
           "app.tune.advised_job")
"""Modules with the jobs of the pages, imported by every process at its start."""
LOST = ("The worker process ended: it was killed or ran out of memory. Press the button again; if it ends again, use fewer"
        " chains, rows or dimensions.")


def in_process(function: Callable[..., Any], *arguments: Any) -> Callable[[Any], Any]:
    """Return a job for `BackgroundJob.start` that calls ``function(*arguments, handle)`` in a worker process.

    The function must belong to a module; arguments and results are pickled. ``handle`` has `publish`, `time_anew`,
    `stopped` and `kept`. If an argument cannot be pickled, the job runs on the page's thread.
    """
    return lambda handle: handle.visit.server.part(WorkerPool).run(handle, function, arguments)


class WorkerPool:
    """Pool of worker processes shared by the pages.

    A page returns to the process with its cached results (`kept`), unless another page has used that process since.

    Parameters
    ----------
    most
        Maximum number of processes; one visit uses at most half of them. With 0, jobs run on the pages' threads.
    """

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._changed = threading.Condition()
        self._idle: list[Worker] = []  #: longest idle first
        self._busy: list[Any] = []  #: visit of each running job

    def warm(self) -> None:
        """Start a process in the background: the first one imports the modules that later ones inherit."""
        if self.most:
            threading.Thread(target=lambda: self._idle.append(Worker()), name="worker-processes", daemon=True).start()

    def run(self, handle: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Return ``function(*arguments, handle)``, computed in a worker process if the pool has any.

        Raises
        ------
        ValueError
            With the message of any error in the process.
        """
        if not self.most:
            return function(*arguments, handle)
        try:
            payload = cloudpickle.dumps((handle.owner, function, arguments))
        except Exception:  # a user's object with a lock, a file or a compiled function
            return function(*arguments, handle)
        worker = self._take(handle)
        if worker is None:
            return None
        try:
            return worker.run(payload, handle)
        finally:
            with self._changed:
                self._busy.remove(handle.visit)
                if worker.alive:
                    self._idle.append(worker)
                self._changed.notify_all()

    def _take(self, handle: Any) -> "Worker | None":
        """Wait for a process for the job; return None if the job is stopped first."""
        with self._changed:
            while self._busy.count(handle.visit) >= max(1, self.most // 2) or not (
                    self._idle or len(self._busy) < self.most):
                if handle.stopped:
                    return None
                self._changed.wait(LOOK)
            self._busy.append(handle.visit)
            self._idle = [worker for worker in self._idle if worker.alive]  # the system may have killed one for its memory
            room = len(self._idle) + len(self._busy) <= self.most
            for owner in (handle.owner, None):
                for worker in self._idle:
                    if worker.owner == owner:
                        self._idle.remove(worker)
                        return worker
            if not room:
                return self._idle.pop(0)
        try:
            return Worker()  # outside the lock: starting may take seconds
        except BaseException:
            self._busy.remove(handle.visit)
            raise

    def forget(self, owner: int) -> None:
        """Release the process with the cache of a closed page to other pages."""
        for worker in tuple(self._idle):
            if worker.owner == owner:
                worker.owner = None


class Worker:
    """Server side of one worker process."""

    def __init__(self) -> None:
        self._pipe, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=serve, args=(theirs, list(sys.path)), name="lab-worker", daemon=True)
        with workers.single_threaded_children():
            self._process.start()
        theirs.close()
        self.owner: int | None = None  #: `identity` of the `BackgroundJob` with a cache in this process
        self._ended, self._jobs = False, 0

    @property
    def alive(self) -> bool:
        """Whether the process can run a job."""
        return not self._ended and self._process.is_alive()

    def run(self, payload: bytes, handle: Any) -> Any:
        """Run a job and pass its published results to the handle.

        Raises
        ------
        ValueError
            With the job's error message, or LOST if the process has died.
        """
        self.owner, self._jobs = handle.owner, self._jobs + 1
        number = self._jobs
        try:
            self._pipe.send(number)
            self._pipe.send_bytes(payload)
            handle.on_stop = lambda: self._stop(number)
            return self._follow(handle, number)
        except (EOFError, OSError):
            self.end()
            raise ValueError(LOST) from None
        finally:
            handle.on_stop = lambda: None

    def _follow(self, handle: Any, number: int) -> Any:
        """Pass messages of the process to the handle until the job ends."""
        stopped_at = None
        while True:
            if self._pipe.poll(LOOK):
                what, *content = self._pipe.recv()
                if what == "end":
                    value, words = content
                    if words:
                        raise ValueError(words)
                    return value
                if what == "publish":
                    handle.publish(*content[0], **content[1])
                else:
                    handle.time_anew()
            if handle.stopped:
                if stopped_at is None:  # the job may have been stopped before `on_stop` was set
                    stopped_at = time.monotonic()
                    self._stop(number)
                elif time.monotonic() - stopped_at > PATIENCE:
                    self.end()
                    return None

    def _stop(self, number: int) -> None:
        with suppress(OSError):  # `_follow` detects a dead process
            self._pipe.send(number)

    def end(self) -> None:
        """Kill the process."""
        self._ended = True
        self._pipe.close()
        self._process.kill()
        self._process.join(1)


class _Handle:
    """Worker side of a job's `app.jobs.background_job.JobHandle`."""

    def __init__(self, pipe: Connection, number: int, kept: dict[str, Any]) -> None:
        self._pipe, self._number, self.kept = pipe, number, kept
        self._stopped, self._next = False, 0.0

    @property
    def stopped(self) -> bool:
        """Whether the job must return."""
        while not self._stopped and self._pipe.poll():
            self._stopped = self._pipe.recv() == self._number
        return self._stopped

    def publish(self, value: Any = None, *more: Any, **named: Any) -> None:
        """Send an intermediate result. Large values are sent less often; the other arguments always are."""
        began = time.monotonic()
        value = None if began < self._next else value
        self._pipe.send_bytes(cloudpickle.dumps(("publish", (value, *more), named)))
        if value is not None:
            now = time.monotonic()
            self._next = now + (now - began) / SHARE

    def time_anew(self) -> None:
        """Discard the measured pace."""
        self._pipe.send(("time_anew",))


def serve(pipe: Connection, path: list[str]) -> None:
    """Run jobs until the pipe is closed; `kept` lasts from one job of a page to its next."""
    workers.begin_worker(path, workers.GIVE_WAY)
    kept: dict[str, Any] = {}
    last = done = None
    try:
        while True:
            number = pipe.recv()
            if number == done:  # a stop message for a job that has already ended
                continue
            done = number
            try:
                owner, function, arguments = pipe.recv()
            except (AttributeError, ImportError) as missing:  # of a module that this process cannot import
                pipe.send(("end", None, error_words(missing)))
                continue
            if owner != last:
                last, kept = owner, {}
            pipe.send_bytes(_computed(function, arguments, _Handle(pipe, number, kept)))
    except (EOFError, OSError):
        pass  # the server has closed the pipe or has ended


def _computed(function: Callable[..., Any], arguments: tuple[Any, ...], handle: _Handle) -> bytes:
    """Return the pickled end of a job: its value or an error message."""
    try:
        return cloudpickle.dumps(("end", function(*arguments, handle), ""))
    except (EOFError, BrokenPipeError):
        raise
    except BaseException as error:  # user code may raise SystemExit
        return cloudpickle.dumps(("end", None, error_words(error)))


CONTEXT = multiprocessing.get_context(
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() and sys.platform == "linux" else "spawn")
"""On Linux, processes are forked from a single-threaded server that has imported MODULES; elsewhere they are spawned."""
CONTEXT.set_forkserver_preload(list(MODULES))
