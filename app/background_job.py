"""`Background`: one thread a page for work that takes its time, with progress, time left and cancelling."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.compile_notice import Announcer

JOIN = 1.0
"""Seconds to wait for the thread when a page closes."""
SETTLE = 0.5
"""Seconds of work before the time left is guessed."""

COMPILING = "Getting ready. The first time on a machine the samplers are compiled, which takes some 20 s."


@dataclass(frozen=True, eq=False)
class Update:
    """How the work stood when it last said something."""

    number: int  #: of the work: 1 for the first that was started
    value: Any = None  #: what was last published; kept when the work is cancelled or fails
    fraction: float | None = None  #: done so far, in [0, 1]; None when there is no telling
    words: str = ""
    seconds_left: float | None = None
    seconds: float = 0.0  #: since the work began
    done: bool = False  #: nothing more comes: finished, cancelled or failed
    cancelled: bool = False
    error: str = ""  #: in words; empty when nothing went wrong


class Control:
    """What a work is handed: where it says how far it is, and learns that nobody waits for it any more."""

    def __init__(self, owner: Background, number: int) -> None:
        self._owner, self.number = owner, number
        self._began = time.monotonic()
        self._last = Update(number)
        self._cancelled = False

    @property
    def stopped(self) -> bool:
        """Whether to return soon: cancelled, overtaken by newer work, or the page is closed."""
        return self._cancelled or self._owner._current is not self

    def publish(self, value: Any = None, fraction: float | None = None, words: str = "") -> None:
        """Show a result so far; `value=None` keeps the last one. Cheap: only the newest is ever looked at."""
        seconds = time.monotonic() - self._began
        left = seconds * (1 - fraction) / fraction if fraction and seconds > SETTLE else None
        value = self._last.value if value is None else value
        self._say(Update(self.number, value, fraction, words, left, seconds))

    def _wait(self) -> None:
        """Say why there is nothing yet."""
        if self._last.value is None and self._last.words in ("", COMPILING):
            self.publish(None, None, COMPILING)

    def _say(self, update: Update) -> None:
        self._last = update
        self._owner._put(self, update)

    def _end(self, value: Any, error: str = "") -> None:
        last, seconds = self._last, time.monotonic() - self._began
        cut = self._cancelled and not error
        self._say(Update(self.number, last.value if value is None else value, last.fraction if cut or error else 1.0,
                         last.words if cut else "", None, seconds, True, cut, error))


class Background:
    """Runs one piece of work at a time; a page calls `start`, `cancel`, `take` and `close`, none of which blocks.

    A work is a function of a `Control`. It must look at `control.stopped` every tenth of a second or so, and must
    not touch anything that is shown. What it returns, if not None, is its last value. An exception becomes words.
    """

    def __init__(self, name: str = "page-worker") -> None:
        self._name = name
        self._lock = threading.Lock()
        self._current: Control | None = None
        self._slot: Update | None = None
        self._thread: threading.Thread | None = None
        self._count = 0
        self._closed = False

    def start(self, work: Callable[[Control], Any]) -> int:
        """Begin a work; one under way is dropped. Returns its number."""
        with self._lock:
            self._count += 1
            if self._closed:
                return self._count
            control, before = Control(self, self._count), self._thread
            self._current, self._slot = control, None
            self._thread = threading.Thread(target=self._run, args=(control, work, before), name=self._name, daemon=True)
            self._thread.start()
            return self._count

    def cancel(self) -> None:
        """Ask the work to stop; what it has published stays, and comes once more as its last update."""
        if self._current is not None:
            self._current._cancelled = True

    def take(self) -> Update | None:
        """Return the newest update, or None if there is none since the last."""
        with self._lock:
            update, self._slot = self._slot, None
            return update

    @property
    def running(self) -> bool:
        """Whether a work is under way."""
        current = self._current
        return current is not None and not current._last.done

    def close(self) -> None:
        """End the thread; nothing more comes."""
        with self._lock:
            self._closed, self._current, self._slot = True, None, None
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(JOIN)

    def _put(self, control: Control, update: Update) -> None:
        with self._lock:
            if self._current is control:
                self._slot = update

    @staticmethod
    def _run(control: Control, work: Callable[[Control], Any], before: threading.Thread | None) -> None:
        if before is not None:
            before.join()  # two works never run at once
        if control.stopped and not control._cancelled:
            return
        try:
            with Announcer(lambda words, part: control._wait()):
                value = work(control)
            control._end(value)
        except ValueError as wrong:  # already words for a person
            control._end(None, str(wrong))
        except Exception as error:  # the page must hear of it in words, not find a dead thread
            control._end(None, f"{type(error).__name__}: {error}")


def wait(background: Background, seconds: float = 60.0) -> Update:
    """Return the last update of the work under way: for notebooks and tests."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        update = background.take()
        if update is not None and update.done:
            return update
        time.sleep(0.005)
    raise TimeoutError(f"the work took more than {seconds:g} s; ask for less")


def time_left(seconds: float | None) -> str:
    """Return seconds left as a page says them: "about 2 min left"; empty when unknown."""
    if seconds is None:
        return ""
    if seconds < 1.5:
        return "a second left"
    if seconds < 90:
        return f"{seconds:.0f} s left"
    return f"about {seconds / 60:.0f} min left" if seconds < 5400 else f"about {seconds / 3600:.1f} h left"
