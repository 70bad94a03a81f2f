"""`Turns`: the engines of one server share its processors. Few work at a time; who has worked least goes first.

Threads of Python get in one another's way: each holds the interpreter until it is asked for it, so that with twenty at
work the page of one waits for twenty others at every message. In turns it waits for one.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ROUND = 0.12
"""Seconds in which everybody who waits should have had a turn."""
LONGEST, SHORTEST = 0.015, 0.002
"""Seconds of a turn, when nobody waits and when many do."""
HANDOVER = 0.0005
"""Seconds after which a thread that holds the interpreter is asked for it; Python's own are 0.005. The thread that serves
the pages lets go of it at every message: with 20 visits, 40 times a round, and waits so long for it each time."""
PATIENCE = 1.0
"""Seconds after which a turn is taken from who has not ended it: a gradient that hangs must not stop all visits."""


class Account:
    """What one visit has had: seconds of turns."""

    def __init__(self) -> None:
        self.used = 0.0


class Share:
    """One thread that takes turns, on the account of its visit; on one of its own unless said."""

    def __init__(self, account: Account | None = None) -> None:
        self.account = Account() if account is None else account
        self.called = threading.Event()
        self.since = 0.0  #: when its turn began


class Turns:
    """Hands out turns, at most `at_once` together.

    Parameters
    ----------
    at_once
        Turns under way at the same time, at least 1.
    clock
        Seconds.
    patience
        Seconds after which somebody who waits has the turns taken back that are older.
    """

    def __init__(self, at_once: int, clock: Callable[[], float] = time.monotonic, patience: float = PATIENCE) -> None:
        if at_once < 1:
            raise ValueError(f"at_once must be 1 or more; got {at_once}")
        self._at_once, self._clock, self._patience = at_once, clock, patience
        self._lock = threading.Lock()
        self._waiting: list[Share] = []
        self._begun: dict[Share, float] = {}  #: turns under way -> when each began
        self._least = 0.0  #: what who was called last had had: nobody begins with less, so that no rest is saved up

    @property
    def waiting(self) -> int:
        """Engines that wait for their turn."""
        return len(self._waiting)

    @property
    def seconds(self) -> float:
        """How long a turn that begins now should last."""
        return max(SHORTEST, min(LONGEST, ROUND * self._at_once / (1 + len(self._waiting))))

    @contextmanager
    def turn(self, share: Share) -> Iterator[None]:
        """Wait for a turn; it ends with the block."""
        self._begin(share)
        try:
            yield
        finally:
            self._end(share)

    def pass_on(self, share: Share) -> None:
        """Let others go first, within a turn that lasts: at once where nobody waits, or where it has only begun."""
        if self._waiting and self._clock() - share.since >= self.seconds:
            self._end(share)
            self._begin(share)

    @contextmanager
    def aside(self, share: Share) -> Iterator[None]:
        """Give the turn back for as long as the block waits for something else."""
        self._end(share)
        try:
            yield
        finally:
            self._begin(share)

    def _begin(self, share: Share) -> None:
        with self._lock:
            share.account.used = max(share.account.used, self._least)
            share.called.clear()
            self._waiting.append(share)
            self._call()
        while not share.called.wait(self._patience):
            self._take_back()
        share.since = self._clock()

    def _end(self, share: Share) -> None:
        with self._lock:
            share.account.used += self._clock() - share.since
            if self._begun.pop(share, None) is not None:  # else the turn was taken back, and somebody else has it
                self._call()

    def _call(self) -> None:
        """Give the turns that are free to who has used least; under the lock."""
        while self._waiting and len(self._begun) < self._at_once:
            following = min(self._waiting, key=lambda waiting: waiting.account.used)  # of equals who has waited longest
            self._waiting.remove(following)
            self._least, self._begun[following] = following.account.used, self._clock()
            following.called.set()

    def _take_back(self) -> None:
        """Take their turns from those who have had them too long: they go on, beside who is called in their place."""
        with self._lock:
            late = self._clock() - self._patience
            for share in [share for share, begun in self._begun.items() if begun <= late]:
                del self._begun[share]
            self._call()


TURNS = Turns(max(1, (os.cpu_count() or 1) - 1))
"""Of this process, for the engines of Live: one processor is left for the pages themselves."""
JOBS = Turns(1)
"""Of this process, for the jobs of all other pages: one works at a time beside the engines, however many there are."""


def hand_over_quickly() -> None:
    """Have the interpreter go from thread to thread sooner than Python's own patience."""
    sys.setswitchinterval(HANDOVER)
