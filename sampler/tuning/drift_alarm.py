"""An alarm for a stream that has changed: the data are foretold worse than they used to be."""

from dataclasses import dataclass

import numpy as np

BURN_IN = 200
ALLOWANCE = 0.25
THRESHOLD = 25.0
LARGEST = 8.0


@dataclass(frozen=True)
class Drift:
    """A change: first noticed at datum ``at``, begun near datum ``since`` (both counted from 1)."""

    at: int
    since: int


class DriftAlarm:
    """Page's cumulative sum (Page 1954) over predictive log scores, against their own past.

    ``sum <- max(0, sum + z - 0.25)`` with z how many standard deviations a score is below the mean of all scores
    before it, at most 8; alarm above 25. For normal z a false alarm comes once in about
    exp(2 * 0.25 * 25) / (2 * 0.25^2) = 2 million data; a fall of one standard deviation is noticed after 33.
    The first 200 data teach only. After an alarm it starts afresh, with a new past.
    """

    def __init__(self) -> None:
        self.drifts: list[Drift] = []
        self.seen = 0
        self._start()

    def _start(self) -> None:
        self._n, self._mean, self._squares, self._sum, self._zero_at = 0, 0.0, 0.0, 0.0, self.seen

    @property
    def drifting(self) -> bool:
        """Has there been an alarm?"""
        return bool(self.drifts)

    def add(self, scores: np.ndarray) -> Drift | None:
        """Take in scores (n,) in order; the alarm they raised, if any."""
        raised = None
        for score in np.asarray(scores, float).tolist():
            self.seen += 1
            if self._n >= BURN_IN:
                sd = (self._squares / self._n) ** 0.5
                z = min(max((self._mean - score) / sd, -LARGEST), LARGEST) if sd > 0 else 0.0
                self._sum = self._sum + z - ALLOWANCE
                if self._sum <= 0:
                    self._sum, self._zero_at = 0.0, self.seen
                elif self._sum > THRESHOLD:
                    raised = Drift(self.seen, self._zero_at + 1)
                    self.drifts.append(raised)
                    self._start()
                    continue
            self._n += 1
            gap = score - self._mean
            self._mean += gap / self._n
            self._squares += gap * (score - self._mean)
        return raised

    def state(self) -> np.ndarray:
        """Numbers from which ``restore`` goes on."""
        past = [x for drift in self.drifts for x in (drift.at, drift.since)]
        return np.array([self.seen, self._n, self._mean, self._squares, self._sum, self._zero_at, *past], float)

    def restore(self, state: np.ndarray) -> None:
        """Put back what ``state`` gave."""
        values = np.asarray(state, float).tolist()
        self.seen, self._n, self._zero_at = int(values[0]), int(values[1]), int(values[5])
        self._mean, self._squares, self._sum = values[2], values[3], values[4]
        self.drifts = [Drift(int(at), int(since)) for at, since in zip(values[6::2], values[7::2], strict=True)]
