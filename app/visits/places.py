"""`Places`: how many visits may be here at once, and the line of those who wait for one to leave."""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import wraps
from itertools import islice
from typing import Any

KEPT = 60.0
"""Seconds for which a free place is kept for the next in line."""
ENOUGH = 5
"""Visits that must have left before it is said how long the wait is."""
REMEMBERED = 100


def _alone(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let one thread at a time into a method: visits come on the thread that builds pages and leave on the server's."""

    @wraps(method)
    def locked(self: Places, *given: Any, **named: Any) -> Any:
        with self._lock:
            return method(self, *given, **named)

    return locked


class Places:
    """Lets visits in up to a number; the others wait in the order in which they came.

    Every visit has a ticket. One that waits looks at `called` now and then; once it is called, its place is kept for it
    for `KEPT` seconds, and it enters with its ticket.

    Parameters
    ----------
    size
        Visits that may be here at once, at least 1.
    clock
        Seconds.
    """

    def __init__(self, size: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.size, self._clock = size, clock
        self._lock = threading.RLock()
        self._here: dict[str, Callable[[], bool]] = {}
        self._replaced: set[str] = set()  #: tickets of visits that linger, whose place somebody has taken
        self._line: dict[str, Callable[[], bool]] = {}  #: ticket -> whether somebody waits there now
        self._kept: dict[str, float] = {}  #: ticket of somebody who was called -> until when
        self._left: deque[float] = deque(maxlen=REMEMBERED)  #: when visits left

    @property
    @_alone
    def free(self) -> int:
        """Places that nobody has and that are kept for nobody."""
        now = self._clock()
        for ticket in [ticket for ticket, until in self._kept.items() if until <= now]:
            del self._kept[ticket]
        return self.size - sum(present() for present in self._here.values()) - len(self._kept)

    @_alone
    def enter(self, ticket: str = "", present: Callable[[], bool] = lambda: True) -> str | None:
        """Take a place; returns the visit's ticket, or None where it has to wait.

        Parameters
        ----------
        ticket
            Of a visit that was called.
        present
            Whether the visit needs its place now: a tab that is loaded anew has left, though its session lingers.
        """
        free = self.free
        if self._kept.pop(ticket, None) is None:
            if free <= len(self._waiting()):  # those who wait go first
                return None
            ticket = secrets.token_urlsafe(12)
            lingers = (one for one, there in self._here.items() if one not in self._replaced and not there())
            self._replaced.update(islice(lingers, 1))  # most often a page that was loaded anew: no place became free
        self._here[ticket] = present
        return ticket

    @_alone
    def leave(self, ticket: str) -> None:
        """Give a place back."""
        if self._here.pop(ticket, None) is None:
            return
        if ticket in self._replaced:
            self._replaced.discard(ticket)
        else:
            self._left.append(self._clock())

    @_alone
    def join(self, present: Callable[[], bool] = lambda: True) -> str:
        """Wait at the end of the line; returns a ticket.

        Parameters
        ----------
        present
            Whether somebody waits there now: those behind do not wait for one who is not there.
        """
        ticket = secrets.token_urlsafe(12)
        self._line[ticket] = present
        return ticket

    @_alone
    def give_up(self, ticket: str) -> None:
        """Leave the line."""
        self._line.pop(ticket, None)

    def _waiting(self) -> list[str]:
        return [ticket for ticket, present in self._line.items() if present()]

    @_alone
    def position(self, ticket: str) -> int:
        """Return 1 for the next in line; 0 for who is not in it."""
        waiting = self._waiting()
        return waiting.index(ticket) + 1 if ticket in waiting else 0

    @_alone
    def called(self, ticket: str) -> bool:
        """Whether a place is kept for this ticket from now on."""
        free, position = self.free, self.position(ticket)
        if 0 < position <= free:
            del self._line[ticket]
            self._kept[ticket] = self._clock() + KEPT
        return ticket in self._kept

    @_alone
    def wait(self, ticket: str) -> float | None:
        """Return about how many seconds somebody waits, from how often places became free; None: too few have."""
        if len(self._left) < ENOUGH:
            return None
        every = (self._clock() - self._left[0]) / len(self._left)
        return every * self.position(ticket)
