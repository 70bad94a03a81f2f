"""`RunningSweeps`: sweeps that run on a server, shared by pages; a reloaded page rejoins its sweep.

At most `MAX_RUNNING` sweeps run on this machine at a time; others wait in the order of arrival.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from app.state.tune import TuneConfig
from app.tune.kept_files import exclusive_lock, remove_old
from app.tune.result import TuneResult
from sampler import Sweep
from sampler.tuning import CellResult, SweepOutcome, SweepProgress

MAX_RUNNING = max(2, os.cpu_count() or 1)
"""Largest number of sweeps that run at a time, since each has own worker processes."""
LOOK_SECONDS = 0.1
"""Seconds between two checks of a waiting sweep whether it was stopped."""


class RunningSweep:
    """Sweep in its own thread; runs as long as at least one page has joined it.

    Parameters
    ----------
    sweep : Sweep
    initial : TuneResult
        Result of the page that started it, without cells; saves pages that join from recomputing it.
    path
        Path of its SQLite file.
    lock
        Open lock file, closed at the end.
    local
        Whether it runs on this machine and waits for its turn.
    registry : RunningSweeps
        All sweeps of the server.
    """

    def __init__(self, sweep: Sweep, initial: TuneResult, path: Path, lock: IO, local: bool,
                 registry: "RunningSweeps") -> None:
        self.initial, self._registry = initial, registry
        self.rungs: list[tuple[CellResult, bool]] = []  #: result of each rung of a cell, and whether it was the last
        self.progress: SweepProgress | None = None
        self.outcome: SweepOutcome | None = None
        self.error: BaseException | None = None
        self._sweep, self._path, self._lock, self.local = sweep, path, lock, local
        self._pages: dict[object, Callable[[], bool]] = {}  # page -> function that returns whether a browser shows it
        self.stopped, self.over = False, threading.Event()  #: whether it is to stop; set once it has ended
        threading.Thread(target=self._work, name="tune-running-sweep", daemon=True).start()

    def result_since(self, result: TuneResult, count: int) -> tuple[TuneResult, int]:
        """Return a result with the rungs after the first ``count``, and the number of rungs."""
        new = self.rungs[count:]
        if new:
            ended = [cell for cell, finished in new if finished]
            result = result.with_cells([cell for cell, _ in new], False).with_cells(ended, True)
        return result, count + len(new)

    def status(self, result: TuneResult) -> tuple[float, str, float | None]:
        """Return completed fraction, current stage as text and seconds left (None if unknown)."""
        progress, ahead = self.progress, self._registry.ahead_of(self)
        if progress is not None:
            return progress.share, progress.words, progress.seconds_left
        words = "starting the workers" if not ahead else (
            f"waiting: {ahead} other sweep{'s' if ahead > 1 else ''} on this server must end first. Yours then starts"
            " automatically")
        return len(result.finished) / result.config.cells, words, None

    def leave(self, page: object, cancelled: bool) -> bool:
        """Remove a page; stop the sweep unless it continues for another page, and return whether it does.

        If the page was cancelled rather than closed, only pages shown by a browser count as others: a page left behind by
        a reload does not keep the sweep running.
        """
        with self._registry.changed:
            self._pages.pop(page, None)
            others = [here for here in self._pages.values() if not cancelled or here()]
            self.stopped = self.stopped or not others
            return not self.stopped

    def enter(self, page: object, here: Callable[[], bool]) -> bool:
        """Add a page, unless the sweep is stopping; return whether it was added."""
        if self.stopped or self.over.is_set():
            return False
        self._pages[page] = here
        return True

    def _work(self) -> None:
        try:
            remove_old()
            if self._registry.wait_for_turn(self):
                self.outcome = self._sweep.run(lambda cell, finished: self.rungs.append((cell, finished)),
                                               self._set_progress, lambda: self.stopped)
        except BaseException as error:  # reported by the joined pages; user code may raise SystemExit
            self.error = error
        finally:
            with self._registry.changed:
                self._lock.close()
                self._registry.remove(self._path)
                self.over.set()

    def _set_progress(self, progress: SweepProgress) -> None:
        self.progress = progress


class RunningSweeps:
    """Running and waiting sweeps of a server, in the order of arrival."""

    def __init__(self) -> None:
        self.changed = threading.Condition()  #: lock for changes of the sweeps and their pages
        self._sweeps: dict[Path, RunningSweep] = {}

    def find(self, config: TuneConfig) -> RunningSweep | None:
        """Return the running sweep with the same link as a page, or None; None for a problem passed from Python."""
        if not config.going or config.data == "given":
            return None
        with self.changed:
            return next((sweep for sweep in self._sweeps.values()
                         if sweep.initial.config.swept == config.swept and not sweep.stopped), None)

    def join(self, path: Path, sweep: Sweep, initial: TuneResult, page: object, here: Callable[[], bool],
             local: bool = True) -> RunningSweep | None:
        """Add a page to the sweep of a file, starting it if necessary, and return the sweep.

        None if another process has locked the file, or if this process runs other cells of it or is stopping. The page must
        call `RunningSweep.leave`.
        """
        with self.changed:
            running = self._sweeps.get(path)
            if running is None:
                lock = exclusive_lock(path.with_suffix(".lock"))
                if lock is None:
                    return None
                running = self._sweeps[path] = RunningSweep(sweep, initial, path, lock, local, self)
            same = all(getattr(running.initial.config, name) == getattr(initial.config, name) for name in ("grids", "prune"))
            return running if same and running.enter(page, here) else None

    def ahead_of(self, sweep: RunningSweep) -> int:
        """Return the number of sweeps that must end before this one starts."""
        with self.changed:
            local = [other for other in self._sweeps.values() if other.local]
            return max(0, local.index(sweep) + 1 - MAX_RUNNING) if sweep in local else 0

    def wait_for_turn(self, sweep: RunningSweep) -> bool:
        """Wait until a sweep may start; return False if it was stopped while waiting."""
        with self.changed:
            waits = self.ahead_of(sweep) > 0
            while self.ahead_of(sweep) and not sweep.stopped:
                self.changed.wait(LOOK_SECONDS)
            return not (waits and sweep.stopped)

    def remove(self, path: Path) -> None:
        """Remove the ended sweep of a file."""
        with self.changed:
            del self._sweeps[path]
            self.changed.notify_all()

    def stop_all(self, seconds: float = 10.0) -> None:
        """Stop all sweeps at the end of the process; finished cells are kept, and no worker survives.

        Returns within about ``seconds``; Python itself would wait for all submitted cells. Daemons are not killed: they are
        the other worker processes of the server, which another server in this process may use.
        """
        with self.changed:
            for sweep in self._sweeps.values():
                sweep.stopped = True
            self.changed.wait_for(lambda: not self._sweeps, seconds)
        for process in multiprocessing.active_children():  # workers of a sweep that did not stop in time
            if not process.daemon:
                process.kill()
