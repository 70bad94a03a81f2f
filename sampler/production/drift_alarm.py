"""`DriftAlarm`: detection of a change in a stream from a decline of the predictive log score."""

from typing import Any, NamedTuple

import numpy as np

from sampler.arguments import real_number

FALSE_ALARM = 1e-3
TRAINING = 200
BLUR = 0.25
LEAST_BLUR = 0.1
POWERS = np.array([0.6, 0.75, 0.85, 0.92, 0.96])
SHARES = np.repeat([0.002, 0.01, 0.05, 0.2, 0.5], 3)
RATES = np.array([2.0, 5.0, 50.0, 1.5, 4.0, 20.0, 1.4, 3.0, 10.0, 1.25, 2.0, 4.0, 1.1, 1.3, 1.7])
BETS = len(POWERS) + len(SHARES)
CELLS = 1024
FINENESS = 8.0
RANDOM = 256  # random numbers made at a time


class Drift(NamedTuple):
    """A change detected at datum ``at``, with estimated start ``since`` (both counted from 1)."""

    at: int
    since: int


def gains(p: float) -> np.ndarray:
    """Return the log payoff of each bet at the p-value ``p``, (20,)."""
    return np.concatenate([np.log(POWERS) + (POWERS - 1.0) * np.log(p),
                           np.where(p < SHARES, np.log(RATES), np.log1p(-SHARES * RATES) - np.log1p(-SHARES))])


class DriftAlarm:
    """Conformal test martingale over predictive log scores, with a guarantee for any distribution of the scores.

    The conformal p-value of a score is its ascending rank among all scores since the start. While the scores are
    exchangeable, as for a stationary stream, p-values are independent and uniform for any distribution
    (Vovk, Gammerman, Shafer 2022, *Algorithmic Learning in a Random World*, section 8.1). An initial capital of 1 is bet
    on small p-values with twenty bets: densities k p^(k-1), for many slightly small values, and step densities, r below c
    and (1 - r c)/(1 - c) above, for a share c that is r times too frequent. Each integrates to 1 and is started at
    every datum n with the share w_n of the capital, w_1 + ... + w_n = 1 - 1/log(e + n). The capital is a martingale, so by
    Ville's inequality the probability that it ever exceeds 1/``false_alarm`` is at most ``false_alarm`` over the whole
    stream. The alarm is then raised, and the martingale restarts without the past.

    After 4,000 data, a decrease of the mean by one standard deviation of the scores is detected after about 50 data, by
    half of it after 200, by a fifth after 1,200.

    The first 200 scores only determine the scale. Normal noise is added to each score, with standard deviation a quarter of
    that of these scores, at least 0.1; otherwise ranks would detect the minute changes of a model that still learns.

    Parameters
    ----------
    false_alarm : float in (0, 1)
        Probability of any alarm ever on a stationary stream.
    """

    def __init__(self, false_alarm: float = FALSE_ALARM) -> None:
        false_alarm = real_number("false_alarm", false_alarm, "0.001 is one stream in a thousand", above=0.0, below=1.0)
        self.threshold = -np.log(false_alarm)
        self.drifts: list[Drift] = []
        self.seen = 0
        self._random: tuple[int, np.ndarray] = (-1, np.empty((0, 2)))
        self._start()

    def _start(self) -> None:
        self._begun = self.seen
        self._lessons: list[Any] = []
        self._centre, self._blur = 0.0, 0.0
        self._n, self._counts = 0, np.zeros(2 * CELLS + 1, np.int64)
        self._capital = np.full(BETS, -np.inf)  # log capital of each bet
        self._best, self._since = np.full(BETS, -np.inf), np.zeros(BETS, np.int64)  # for the best starting datum

    @property
    def log_capital(self) -> float:
        """Natural logarithm of the capital; 0 at the start, ``threshold`` at an alarm."""
        kept = -np.log(np.log(np.e + self._n))  # not yet staked
        return float(np.logaddexp(kept, np.logaddexp.reduce(self._capital - np.log(BETS))))

    def add(self, scores: np.ndarray) -> Drift | None:
        """Add scores (n,) in order; return the last alarm raised, None without one."""
        raised = None
        for score in np.asarray(scores, float).tolist():
            noise, tie = self._randomness()
            self.seen += 1
            if len(self._lessons) < TRAINING:
                self._learn(score)
                continue
            raised = self._bet(self._p_value(score, noise, tie)) or raised
        return raised

    def _learn(self, score: float) -> None:
        self._lessons.append(score)
        if len(self._lessons) == TRAINING:
            scores = np.array(self._lessons)
            self._centre, self._blur = float(np.median(scores)), max(BLUR * float(scores.std()), LEAST_BLUR)

    def _p_value(self, score: float, noise: float, tie: float) -> float:
        """Return the smoothed conformal p-value of a score among itself and its predecessors, and store the score.

        Scores are binned in cells an eighth of the noise wide near the centre, wider outside, so that the cost of a rank
        does not depend on the number of scores.
        """
        place = np.arcsinh(((score - self._centre) / self._blur + noise) / FINENESS) * FINENESS**2
        cell = int(min(max(place, -CELLS), CELLS)) + CELLS if place == place else 0
        below, alike = int(self._counts[:cell].sum()), int(self._counts[cell]) + 1
        self._counts[cell] += 1
        self._n += 1
        return max((below + tie * alike) / self._n, 1e-300)

    def _bet(self, p: float) -> Drift | None:
        n = self._n
        staked = np.log(1.0 / np.log(np.e + n - 1) - 1.0 / np.log(np.e + n))
        won = gains(p)
        self._capital = won + np.logaddexp(self._capital, staked)
        restarted = self._best <= 0.0
        self._since = np.where(restarted, self.seen, self._since)
        self._best = won + np.where(restarted, 0.0, self._best)
        if self.log_capital < self.threshold:
            return None
        drift = Drift(self.seen, int(self._since[self._capital.argmax()]))
        self.drifts.append(drift)
        self._start()
        return drift

    def _randomness(self) -> tuple[float, float]:
        """Return a standard normal and a uniform number that depend only on the index of the datum in the stream."""
        block, place = divmod(self.seen, RANDOM)
        if self._random[0] != block:
            rng = np.random.Generator(np.random.Philox(key=block))
            self._random = block, np.column_stack([rng.standard_normal(RANDOM), 1.0 - rng.random(RANDOM)])
        return tuple(self._random[1][place].tolist())

    def state(self) -> np.ndarray:
        """Return the state as an array for ``restore``."""
        past = [x for drift in self.drifts for x in drift]
        cells = np.flatnonzero(self._counts)
        return np.concatenate([
            [self.seen, self._begun, self._n, self._centre, self._blur, len(past), len(self._lessons), len(cells)], past,
            self._lessons, cells, self._counts[cells], self._capital, self._best, self._since]).astype(float)

    def restore(self, state: np.ndarray) -> None:
        """Restore the array returned by ``state``.

        Raises
        ------
        ValueError
            If ``state`` has the wrong length.
        """
        values = np.asarray(state, float)
        self.seen, self._begun, self._n = (int(value) for value in values[:3])
        self._centre, self._blur = float(values[3]), float(values[4])
        sizes = [int(value) for value in values[5:8]]
        past, lessons, cells, counts, capital, best, since, rest = np.split(
            values[8:], np.cumsum([*sizes, sizes[2], *[BETS] * 3]))
        if len(rest):
            raise ValueError(f"state must be an array from DriftAlarm.state(), got {len(rest)} numbers too many; start with "
                             "a new alarm")
        self.drifts = [Drift(int(at), int(of)) for at, of in zip(past[::2], past[1::2], strict=True)]
        self._lessons, self._counts = lessons.tolist(), np.zeros(2 * CELLS + 1, np.int64)
        self._counts[cells.astype(int)] = counts.astype(int)
        self._capital, self._best, self._since = capital, best, since.astype(np.int64)
