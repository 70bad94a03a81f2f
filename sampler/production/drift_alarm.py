"""An alarm for a stream that has changed: the data are foretold worse than they used to be."""

from dataclasses import dataclass

import numpy as np

BLOCK = 25
BURN_IN = 8
ALLOWANCE = 0.5
THRESHOLD = 15.0
LARGEST = 6.0


@dataclass(frozen=True)
class Drift:
    """A change: first noticed at datum ``at``, begun near datum ``since`` (both counted from 1)."""

    at: int
    since: int


class DriftAlarm:
    """Page's cumulative sum (Page 1954) over predictive log scores, against their own past.

    Scores are averaged by 25, since single ones are far from normal. ``sum <- max(0, sum + z - 0.5)`` with z how
    many standard errors a block is below the mean of all blocks before it, at most 6; alarm above 15. For normal z
    a false alarm comes once in about 25 * exp(2 * 0.5 * 15) / (2 * 0.5^2), 160 million data; a fall of the mean by
    one standard deviation of a score is noticed after 100 data, by a fifth of it after 750. The first 8 blocks
    teach only. After an alarm it starts afresh, with a new past.
    """

    def __init__(self) -> None:
        self.drifts: list[Drift] = []
        self.seen = 0
        self._block: list[float] = []
        self._start()

    def _start(self) -> None:
        self._n, self._mean, self._squares, self._sum, self._zero_at = 0, 0.0, 0.0, 0.0, self.seen

    @property
    def drifting(self) -> bool:
        """Has there been an alarm?"""
        return bool(self.drifts)

    def add(self, scores: np.ndarray) -> Drift | None:
        """Take in scores (n,) in order; the last alarm they raised, if any."""
        raised = None
        for score in np.asarray(scores, float).tolist():
            self.seen += 1
            self._block.append(score)
            if len(self._block) == BLOCK:
                raised = self._look(sum(self._block) / BLOCK) or raised
                self._block = []
        return raised

    def _look(self, score: float) -> Drift | None:
        if self._n >= BURN_IN:
            error = (self._squares / self._n) ** 0.5
            z = min(max((self._mean - score) / error, -LARGEST), LARGEST) if error > 0 else 0.0
            self._sum += z - ALLOWANCE
            if self._sum <= 0:
                self._sum, self._zero_at = 0.0, self.seen
            elif self._sum > THRESHOLD:
                drift = Drift(self.seen, self._zero_at + 1)
                self.drifts.append(drift)
                self._start()
                return drift
        self._n += 1
        gap = score - self._mean
        self._mean += gap / self._n
        self._squares += gap * (score - self._mean)
        return None

    def state(self) -> np.ndarray:
        """Numbers from which ``restore`` goes on."""
        past = [x for drift in self.drifts for x in (drift.at, drift.since)]
        return np.array([self.seen, self._n, self._mean, self._squares, self._sum, self._zero_at, len(past), *past,
                         *self._block], float)

    def restore(self, state: np.ndarray) -> None:
        """Put back what ``state`` gave."""
        values = np.asarray(state, float).tolist()
        self.seen, self._n, self._zero_at = int(values[0]), int(values[1]), int(values[5])
        self._mean, self._squares, self._sum = values[2], values[3], values[4]
        past, self._block = values[7:7 + int(values[6])], values[7 + int(values[6]):]
        self.drifts = [Drift(int(at), int(since)) for at, since in zip(past[::2], past[1::2], strict=True)]
