"""`Places`: how many visits may be here at once, and the line of those who wait for one to leave."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable

KEPT = 60.0
"""Seconds for which a free place is kept for the next in line."""
ENOUGH = 5
"""Visits that must have left before it is said how long the wait is."""
REMEMBERED = 100


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
        self._here: dict[str, Callable[[], bool]] = {}
        self._line: list[str] = []
        self._kept: dict[str, float] = {}  #: ticket of somebody who was called -> until when
        self._left: deque[float] = deque(maxlen=REMEMBERED)  #: when visits left

    @property
    def free(self) -> int:
        """Places that nobody has and that are kept for nobody."""
        now = self._clock()
        self._kept = {ticket: until for ticket, until in self._kept.items() if until > now}
        return self.size - sum(present() for present in self._here.values()) - len(self._kept)

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
            if free <= len(self._line):  # those who wait go first
                return None
            ticket = secrets.token_urlsafe(12)
        self._here[ticket] = present
        return ticket

    def leave(self, ticket: str) -> None:
        """Give a place back."""
        if self._here.pop(ticket, None) is not None:
            self._left.append(self._clock())

    def join(self) -> str:
        """Wait at the end of the line; returns a ticket."""
        ticket = secrets.token_urlsafe(12)
        self._line.append(ticket)
        return ticket

    def give_up(self, ticket: str) -> None:
        """Leave the line."""
        if ticket in self._line:
            self._line.remove(ticket)

    def position(self, ticket: str) -> int:
        """Return 1 for the next in line; 0 for who is not in it."""
        return self._line.index(ticket) + 1 if ticket in self._line else 0

    def called(self, ticket: str) -> bool:
        """Whether a place is kept for this ticket from now on."""
        free = self.free
        if ticket in self._line and self._line.index(ticket) < free:
            self._line.remove(ticket)
            self._kept[ticket] = self._clock() + KEPT
        return ticket in self._kept

    def wait(self, ticket: str) -> float | None:
        """Return about how many seconds somebody waits, from how often places became free; None: too few have."""
        if len(self._left) < ENOUGH:
            return None
        every = (self._clock() - self._left[0]) / len(self._left)
        return every * self.position(ticket)
