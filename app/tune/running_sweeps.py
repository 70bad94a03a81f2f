"""Sweeps at work in this process, shared by all pages that ask for them: a page that is reloaded finds its own again."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from app.state.tune import TuneConfig
from app.tune.kept_files import forget_old, only_one
from app.tune.result import TuneResult
from app.tune.sweep_line import LINE, SweepLine
from sampler import Sweep
from sampler.tuning import CellResult, SweepOutcome, SweepProgress


class RunningSweep:
    """A sweep that runs in a thread of its own, for as long as a page wants it.

    Parameters
    ----------
    sweep : Sweep
    known : TuneResult
        What the page that began it knew, cells aside: whoever finds it at work need not find that out again.
    path
        Of its SQLite file.
    held
        Gives the file free again.
    line
        In which it waits for its place; None: it does not work on this machine.
    """

    def __init__(self, sweep: Sweep, known: TuneResult, path: Path, held: ExitStack, line: SweepLine | None = None) -> None:
        self.known = known
        self.told: list[tuple[CellResult, bool]] = []  #: every rung of a cell, and whether that was its last; grows
        self.progress: SweepProgress | None = None
        self.outcome: SweepOutcome | None = None
        self.error: BaseException | None = None
        self._sweep, self._path, self._held, self._line = sweep, path, held, line
        self._pages: dict[object, Callable[[], bool]] = {}  # a page -> is anybody before it?
        self._stopped, self._over = False, threading.Event()
        threading.Thread(target=self._work, name="tune-running-sweep", daemon=True).start()

    @property
    def result(self) -> TuneResult:
        """What is known at this moment."""
        return self.result_since(self.known, 0)[0]

    def result_since(self, result: TuneResult, seen: int) -> tuple[TuneResult, int]:
        """Return a result with what was told after the first ``seen``, and how much has been told."""
        told = self.told[seen:]
        if told:
            ended = [cell for cell, finished in told if finished]
            result = result.with_cells([cell for cell, _ in told], False).with_cells(ended, True)
        return result, seen + len(told)

    @property
    def over(self) -> bool:
        """Whether nothing more comes."""
        return self._over.is_set()

    @property
    def ahead(self) -> int:
        """Sweeps of other visits that have to end before this one begins."""
        return 0 if self._line is None else self._line.ahead(self)

    def wait(self, seconds: float) -> None:
        """Wait for its end, so many seconds at most."""
        self._over.wait(seconds)

    def leave(self, page: object, cancelled: bool) -> bool:
        """Do without it: returns whether it goes on for another page.

        A page that was cancelled, not closed, is told of others only where somebody is before them: the page that a
        reload left behind is no reason to go on.
        """
        with _guard:
            self._pages.pop(page, None)
            others = [here for here in self._pages.values() if not cancelled or here()]
            self._stopped = self._stopped or not others
            return not self._stopped

    def _enter(self, page: object, here: Callable[[], bool]) -> bool:
        if self._stopped or self.over:
            return False
        self._pages[page] = here
        return True

    def _work(self) -> None:
        try:
            forget_old()
            if self._line is None or self._line.enter(self, lambda: self._stopped):
                self.outcome = self._sweep.run(lambda cell, finished: self.told.append((cell, finished)), self._keep,
                                               lambda: self._stopped)
        except BaseException as error:  # whoever looks on says it in words; user code may exit
            self.error = error
        finally:
            if self._line is not None:
                self._line.leave(self)
            with _guard:
                self._held.close()
                del _running[self._path]
                self._over.set()

    def _keep(self, progress: SweepProgress) -> None:
        self.progress = progress


_running: dict[Path, RunningSweep] = {}
_guard = threading.Lock()


def at_work(config: TuneConfig) -> RunningSweep | None:
    """Return the sweep that does what a page wants, were its link the same; None for a problem of the page's own."""
    if not config.going or config.data == "given":
        return None
    with _guard:
        return next((one for one in _running.values() if one.known.config.swept == config.swept and not one._stopped), None)


def join(path: Path, sweep: Sweep, known: TuneResult, page: object, here: Callable[[], bool],
         line: SweepLine | None = LINE) -> RunningSweep | None:
    """Return the sweep of a file, begun if need be, with one more page that wants it.

    None while another process is at work on the file, or this one on other cells, or on its way to stop. The page has to
    `RunningSweep.leave` it.
    """
    with _guard:
        found = _running.get(path)
        if found is None:
            held = ExitStack()
            if not held.enter_context(only_one(path.with_suffix(".lock"))):
                held.close()
                return None
            found = _running[path] = RunningSweep(sweep, known, path, held, line)
        return found if _plan(found.known) == _plan(known) and found._enter(page, here) else None


def _plan(result: TuneResult) -> tuple:
    """What a sweep of given data tries."""
    return result.config.grids, result.config.prune


def stop_all(seconds: float = 10.0) -> None:
    """Stop all sweeps, because the process ends: what was tried is kept, and no worker outlives this.

    Returns within about so many seconds; Python itself would wait for all cells that have been handed to workers.
    """
    with _guard:
        for sweep in _running.values():
            sweep._stopped = True
    wait_for_all(seconds)
    for process in multiprocessing.active_children():  # of a sweep that did not look up in time
        process.kill()


def wait_for_all(seconds: float = 30.0) -> None:
    """Wait until no sweep is at work."""
    deadline = time.monotonic() + seconds
    while _running and time.monotonic() < deadline:
        time.sleep(0.01)
