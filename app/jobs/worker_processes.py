"""Worker processes of the server: long jobs compute there, and what they publish comes back over a pipe."""

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from numba import cloudpickle  # numba ships it; it packs functions of a notebook by value

from app.error_words import error_words
from sampler.tuning import workers

MOST = max(4, (os.cpu_count() or 1) - 1)
"""Worker processes of a server. Four share even one core, so that one long job keeps nobody waiting."""
PATIENCE = 2.0
"""Seconds in which a job that was asked to stop has to return; then its process is ended."""
LOOK = 0.25
"""Seconds between two looks whether a stopped job's time is over."""
SHARE = 0.1
"""Largest part of a job's time that sending results may take: larger ones are sent less often."""
MODULES = ("app.compare.race_job", "app.coreset.paper_figure_job", "app.coreset.run_set", "app.exit_time.job",
           "app.offline.ladder_run", "app.offline.likelihood_race_job", "app.offline.wasserstein_race_job",
           "app.tune.advised_job")
"""Modules that every process has from its beginning: those with the jobs of the pages."""
LOST = ("The process that computed this has ended: it was killed, or there was no memory left for it. Press the button"
        " again; if it ends again, choose less (chains, rows or dimensions).")


def in_process(function: Callable[..., Any], *arguments: Any) -> Callable[[Any], Any]:
    """Return the job ``function(*arguments, handle)`` of a `JobHandle`, for `BackgroundJob.start`, in a worker process.

    The function belongs to a module; arguments and results are copied. ``handle`` has `publish`, `time_anew`, `stopped`
    and `kept`. Where an argument cannot be copied, the job computes on the page's thread.
    """
    return lambda handle: handle.visit.server.part(WorkerPool).run(handle, function, arguments)


class WorkerPool:
    """Worker processes that pages share, at most `most` of them; 0 computes everything on the pages' threads.

    A page comes back to the process that has its last results (`kept`), unless another page needed it meanwhile.

    Parameters
    ----------
    most
        Processes at the same time. One visit has half of them at most.
    """

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._changed = threading.Condition()
        self._idle: list[Worker] = []  #: who has been idle longest first
        self._busy: list[Any] = []  #: visit of each job at work

    def warm(self) -> None:
        """Start a process in the background: the first one imports what all later ones have from their beginning."""
        if self.most:
            threading.Thread(target=lambda: self._idle.append(Worker()), name="worker-processes", daemon=True).start()

    def run(self, handle: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Return ``function(*arguments, handle)``, computed in a worker process if there is one.

        Raises
        ------
        ValueError
            In words, whatever went wrong in the process.
        """
        if not self.most:
            return function(*arguments, handle)
        try:
            payload = cloudpickle.dumps((handle.owner, function, arguments))
        except Exception:  # an object of the user's that holds a lock, a file, a compiled function
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
        """Return a process for the job of a handle, once there is one; None when the job is stopped meanwhile."""
        with self._changed:
            while self._busy.count(handle.visit) >= max(1, self.most // 2) or not (
                    self._idle or len(self._busy) < self.most):
                if handle.stopped:
                    return None
                self._changed.wait(LOOK)
            self._busy.append(handle.visit)
            self._idle = [worker for worker in self._idle if worker.alive]  # the machine may have ended one for its memory
            room = len(self._idle) + len(self._busy) <= self.most
            for owner in (handle.owner, None):
                for worker in self._idle:
                    if worker.owner == owner:
                        self._idle.remove(worker)
                        return worker
            if not room:
                return self._idle.pop(0)
        try:
            return Worker()  # not under the lock: it may take seconds
        except (OSError, EOFError):
            self._busy.remove(handle.visit)
            raise

    def forget(self, owner: int) -> None:
        """Let another page have the process that holds what this one has kept."""
        for worker in tuple(self._idle):
            if worker.owner == owner:
                worker.owner = None


class Worker:
    """One worker process, seen from the server."""

    def __init__(self) -> None:
        self._pipe, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=serve, args=(theirs, list(sys.path)), name="lab-worker", daemon=True)
        with workers.single_threaded_children():
            self._process.start()
        theirs.close()
        self.owner: int | None = None  #: `BackgroundJob` whose results it has kept
        self._ended, self._jobs = False, 0

    @property
    def alive(self) -> bool:
        """Whether it can take a job."""
        return not self._ended and self._process.is_alive()

    def run(self, payload: bytes, handle: Any) -> Any:
        """Compute a job; what it publishes goes to the handle.

        Raises
        ------
        ValueError
            In words: why the job failed, or that the process has died.
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
        """Hand on what comes until the end of the job."""
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
                if stopped_at is None:  # it may have been stopped before `on_stop` was set
                    stopped_at = time.monotonic()
                    self._stop(number)
                elif time.monotonic() - stopped_at > PATIENCE:
                    self.end()
                    return None

    def _stop(self, number: int) -> None:
        with suppress(OSError):  # of a process that has died `_follow` hears
            self._pipe.send(number)

    def end(self) -> None:
        """End the process, whatever it is at."""
        self._ended = True
        self._pipe.close()
        self._process.kill()
        self._process.join(1)


class _Handle:
    """What a worker process has of a job's `app.jobs.background_job.JobHandle`."""

    def __init__(self, pipe: Connection, number: int, kept: dict[str, Any]) -> None:
        self._pipe, self._number, self.kept = pipe, number, kept
        self._stopped, self._next = False, 0.0

    @property
    def stopped(self) -> bool:
        """Whether to return soon."""
        while not self._stopped and self._pipe.poll():
            self._stopped = self._pipe.recv() == self._number
        return self._stopped

    def publish(self, value: Any = None, *more: Any, **named: Any) -> None:
        """Send a result so far; one that is large is sent less often, its words always are."""
        began = time.monotonic()
        value = None if began < self._next else value
        self._pipe.send_bytes(cloudpickle.dumps(("publish", (value, *more), named)))
        if value is not None:
            now = time.monotonic()
            self._next = now + (now - began) / SHARE

    def time_anew(self) -> None:
        """Forget the pace so far."""
        self._pipe.send(("time_anew",))


def serve(pipe: Connection, path: list[str]) -> None:
    """Compute one job after the other until the pipe is closed; what a page's last job kept is there for its next."""
    workers.begin_worker(path, workers.GIVE_WAY)
    kept: dict[str, Any] = {}
    last = done = None
    try:
        while True:
            number = pipe.recv()
            if number == done:  # to stop a job that has ended by itself
                continue
            done = number
            try:
                owner, function, arguments = pipe.recv()
            except (AttributeError, ImportError) as missing:  # of a module that this process does not find
                pipe.send(("end", None, error_words(missing)))
                continue
            if owner != last:
                last, kept = owner, {}
            pipe.send_bytes(_computed(function, arguments, _Handle(pipe, number, kept)))
    except (EOFError, OSError):
        pass  # the server has closed the pipe, or is gone: no more jobs, and nobody to tell


def _computed(function: Callable[..., Any], arguments: tuple[Any, ...], handle: _Handle) -> bytes:
    """Return the end of a job as bytes: its value, or words about what went wrong."""
    try:
        return cloudpickle.dumps(("end", function(*arguments, handle), ""))
    except (EOFError, BrokenPipeError):
        raise
    except BaseException as error:  # a user's code may exit
        return cloudpickle.dumps(("end", None, error_words(error)))


CONTEXT = multiprocessing.get_context(
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() and sys.platform == "linux" else "spawn")
"""Processes are forked from one without threads, which has imported what they need; elsewhere each begins anew."""
CONTEXT.set_forkserver_preload(list(MODULES))
