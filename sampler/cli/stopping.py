"""SIGTERM and SIGINT as a wish to stop: what was done is kept."""

import signal
from types import FrameType


class Stopping:
    """True once SIGTERM or SIGINT came inside a ``with``; whoever works asks between two pieces of work.

    A second signal ends at once.
    """

    def __init__(self) -> None:
        self._asked, self.number = False, 0  # of the signal that came

    def __enter__(self) -> "Stopping":
        self._before = {number: signal.signal(number, self._ask) for number in (signal.SIGTERM, signal.SIGINT)}
        return self

    def __exit__(self, *error: object) -> None:
        """Signals mean again what they meant before."""
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: one that Python did not set

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self._asked, self.number = True, number

    def __call__(self) -> bool:
        """Has a signal come?"""
        return self._asked
