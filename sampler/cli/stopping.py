"""SIGTERM and SIGINT as a wish to stop: what is at work is finished and kept."""

import signal


class Stopping:
    """True once SIGTERM or SIGINT came; what is at work is finished first. A second signal ends at once."""

    def __init__(self) -> None:
        self._asked, self.number = False, 0  # of the signal that came
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def _ask(self, number, frame) -> None:
        if self._asked:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self._asked, self.number = True, number

    def __call__(self) -> bool:
        """Has a signal come?"""
        return self._asked
