"""Sweeps at work on a server, shared by all pages that ask for them: a page that is reloaded finds its own again.

So many of one machine's are at work at once; the others wait in the order in which they came.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from app.state.tune import TuneConfig
from app.tune.kept_files import forget_old, only_one
from app.tune.result import TuneResult
from sampler import Sweep
from sampler.tuning import CellResult, SweepOutcome, SweepProgress

AT_ONCE = max(2, os.cpu_count() or 1)
"""Sweeps at work at once. Each has worker processes of its own, with memory of theirs: all visits' would be too many."""
LOOK_SECONDS = 0.1
"""Seconds between two looks of a sweep that waits at whether it is still wanted."""


class RunningSweep:
    """A sweep that runs in a thread of its own, for as long as a page wants it.

    Parameters
    ----------
    sweep : Sweep
    initial : TuneResult
        What the page that began it knew, cells aside: whoever finds it at work need not find that out again.
    path
        Of its SQLite file.
    lock
        Held beside that file until it is closed.
    local
        Whether it works on this machine, and waits for its turn there.
    among : RunningSweeps
        All of the server.
    """

    def __init__(self, sweep: Sweep, initial: TuneResult, path: Path, lock: IO, local: bool,
                 among: "RunningSweeps") -> None:
        self.initial, self._among = initial, among
        self.rungs: list[tuple[CellResult, bool]] = []  #: every rung of a cell, and whether that was its last; grows
        self.progress: SweepProgress | None = None
        self.outcome: SweepOutcome | None = None
        self.error: BaseException | None = None
        self._sweep, self._path, self._lock, self.local = sweep, path, lock, local
        self._pages: dict[object, Callable[[], bool]] = {}  # a page -> is anybody before it?
        self.stopped, self.over = False, threading.Event()  #: whether it is on its way to its end, and there
        threading.Thread(target=self._work, name="tune-running-sweep", daemon=True).start()

    def result_since(self, result: TuneResult, count: int) -> tuple[TuneResult, int]:
        """Return a result with the rungs after the first ``count``, and how many there are now."""
        new = self.rungs[count:]
        if new:
            ended = [cell for cell, finished in new if finished]
            result = result.with_cells([cell for cell, _ in new], False).with_cells(ended, True)
        return result, count + len(new)

    def standing(self, result: TuneResult) -> tuple[float, str, float | None]:
        """Return the share that is done, what goes on in words, and the seconds left, None: nobody can say."""
        progress, ahead = self.progress, self._among.ahead_of(self)
        if progress is not None:
            return progress.share, progress.words, progress.seconds_left
        words = "starting the workers" if not ahead else (
            f"waiting: {ahead} other sweep{'s' if ahead > 1 else ''} on this server must end first. Yours then begins by"
            " itself")
        return len(result.finished) / result.config.cells, words, None

    def leave(self, page: object, cancelled: bool) -> bool:
        """Do without it: returns whether it goes on for another page.

        A page that was cancelled, not closed, is told of others only where somebody is before them: the page that a
        reload left behind is no reason to go on.
        """
        with self._among.changed:
            self._pages.pop(page, None)
            others = [here for here in self._pages.values() if not cancelled or here()]
            self.stopped = self.stopped or not others
            return not self.stopped

    def enter(self, page: object, here: Callable[[], bool]) -> bool:
        """Count one more page that wants it, unless it ends."""
        if self.stopped or self.over.is_set():
            return False
        self._pages[page] = here
        return True

    def _work(self) -> None:
        try:
            forget_old()
            if self._among.wait_for_turn(self):
                self.outcome = self._sweep.run(lambda cell, finished: self.rungs.append((cell, finished)), self._keep,
                                               lambda: self.stopped)
        except BaseException as error:  # whoever looks on says it in words; user code may exit
            self.error = error
        finally:
            with self._among.changed:
                self._lock.close()
                self._among.remove(self._path)
                self.over.set()

    def _keep(self, progress: SweepProgress) -> None:
        self.progress = progress


class RunningSweeps:
    """All sweeps at work on a server, in the order in which they came."""

    def __init__(self) -> None:
        self.changed = threading.Condition()  #: held while any of them, or who wants it, changes
        self._sweeps: dict[Path, RunningSweep] = {}

    def at_work(self, config: TuneConfig) -> RunningSweep | None:
        """Return the sweep that does what a page wants, were its link the same; None for a problem of the page's own."""
        if not config.going or config.data == "given":
            return None
        with self.changed:
            return next((sweep for sweep in self._sweeps.values()
                         if sweep.initial.config.swept == config.swept and not sweep.stopped), None)

    def join(self, path: Path, sweep: Sweep, initial: TuneResult, page: object, here: Callable[[], bool],
             local: bool = True) -> RunningSweep | None:
        """Return the sweep of a file, begun if need be, with one more page that wants it.

        None while another process is at work on the file, or this one on other cells, or on its way to stop. The page has
        to `RunningSweep.leave` it.
        """
        with self.changed:
            running = self._sweeps.get(path)
            if running is None:
                lock = only_one(path.with_suffix(".lock"))
                if lock is None:
                    return None
                running = self._sweeps[path] = RunningSweep(sweep, initial, path, lock, local, self)
            same = all(getattr(running.initial.config, name) == getattr(initial.config, name) for name in ("grids", "prune"))
            return running if same and running.enter(page, here) else None

    def ahead_of(self, sweep: RunningSweep) -> int:
        """Return how many have to end before this one begins."""
        with self.changed:
            local = [other for other in self._sweeps.values() if other.local]
            return max(0, local.index(sweep) + 1 - AT_ONCE) if sweep in local else 0

    def wait_for_turn(self, sweep: RunningSweep) -> bool:
        """Wait until a sweep may begin; return False where nobody wants it any more."""
        with self.changed:
            waits = self.ahead_of(sweep) > 0
            while self.ahead_of(sweep) and not sweep.stopped:
                self.changed.wait(LOOK_SECONDS)
            return not (waits and sweep.stopped)

    def remove(self, path: Path) -> None:
        """Count the sweep of a file no more: it has ended."""
        with self.changed:
            del self._sweeps[path]
            self.changed.notify_all()

    def stop_all(self, seconds: float = 10.0) -> None:
        """Stop all sweeps, because the process ends: what was tried is kept, and no worker outlives this.

        Returns within about so many seconds; Python itself would wait for all cells that have been handed to workers. It
        waits for no daemons: the other worker processes of the server, which another server of this process may use.
        """
        with self.changed:
            for sweep in self._sweeps.values():
                sweep.stopped = True
            self.changed.wait_for(lambda: not self._sweeps, seconds)
        for process in multiprocessing.active_children():  # of a sweep that did not look up in time
            if not process.daemon:
                process.kill()
