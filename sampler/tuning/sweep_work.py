"""What a sweep has still to do: from what a cell should cost, put right by what the cells so far did cost."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sampler.algorithms.algorithm_names import PLAIN
from sampler.arguments import whole_number
from sampler.settings import Settings
from sampler.tuning.algorithm_settings import algorithm_of
from sampler.tuning.forecast import cost
from sampler.tuning.trial_order import GivenUp

GRADIENT, COORDINATE = 8e-9, 0.5e-9  # seconds of a core a gradient of one term, and a coordinate of it
METRIC = 0.06e-9  # and, preconditioned, as often as d^2 a step and d^3 an epoch
EPOCH, WHITENED_EPOCH = 45e-6, 90e-6  # and an epoch of all chains, however few its gradients; preconditioned
CELL = 2e-3  # and a cell's own measures
UNSURE = 0.4
"""Standard deviation of the logarithm of what one cell takes, over what it should; of n cells the root of n less."""
RECALLS = (0.8, 1.0)
"""What a cell counts for once another has come: the last few cells, and all of them, each say how fast work goes."""
OFF = 1.5
"""Factor by which a single cell may take longer or shorter than cells of its kind do on average."""
UNLIKELY = 0.5
"""Chance to go on that nobody need reckon with where a single cell is left."""
MARGIN = 1.12
"""Factor for all that is not counted here: chance cell by cell, and workers that wait since results are taken in order."""


def core_seconds(settings: Settings, dim: int, rows: int, chains: int) -> float:
    """Seconds that one core of our own takes, roughly, for a cell run over so many rows.

    Parameters
    ----------
    settings : Settings
    dim : int >= 1
    rows : int >= 0
    chains : int >= 1
    """
    dim, rows, chains = whole_number("dim", dim), whole_number("rows", rows, 0), whole_number("chains", chains)
    spent, epoch = cost(settings) * (GRADIENT + COORDINATE * dim), EPOCH
    if algorithm_of(settings) != PLAIN:
        epoch = WHITENED_EPOCH
        steps = (settings.i_max + 1) / 2 if settings.random_length else settings.i_max
        spent += METRIC * dim**2 * (steps + dim)
    return CELL + (epoch + spent * chains) * rows


@dataclass(frozen=True)
class Piece:
    """A cell that is not finished.

    Attributes
    ----------
    settings : Settings
    rung : int
        The next to be judged.
    spent : float
        Seconds that it has been at work on this rung; infinite when the rung is done and waits to be judged.
    """

    settings: Settings
    rung: int
    spent: float = 0.0


class SweepWork:
    """Work of a sweep that is still ahead, in seconds of a core: a least and a most, far apart where nobody can tell.

    What is not known beforehand is how fast this machine is, which the cells so far say, and which cells will be given up
    early, which follows from the accuracy predicted: see `GivenUp`.

    Parameters
    ----------
    dim, chains : int
    rungs : tuple of int
        Rows after which a cell is judged.
    given_up : GivenUp
    """

    def __init__(self, dim: int, chains: int, rungs: tuple[int, ...], given_up: GivenUp) -> None:
        self._dim, self._chains, self._rungs, self._given_up = dim, chains, rungs, given_up
        self._expected: dict[float, dict[str, float]] = {recall: defaultdict(float) for recall in RECALLS}
        self._took: dict[float, dict[str, float]] = {recall: defaultdict(float) for recall in RECALLS}
        self._cells: dict[str, int] = defaultdict(int)
        self.measured = False  #: whether anything has been measured

    def learn(self, settings: Settings, rung: int, seconds: float, promoted: bool | None) -> None:
        """Take in that a cell was run to a rung's end in so many seconds, and whether it goes on; None: it ran away."""
        self.measured = True
        if promoted is None:  # it ran away, and says nothing of what others take
            self._given_up.learn(settings, rung, False)
            return
        name, price = algorithm_of(settings), self._price(settings, rung)
        for recall in RECALLS:
            self._expected[recall][name] = recall * self._expected[recall][name] + price
            self._took[recall][name] = recall * self._took[recall][name] + seconds
        self._cells[name] += 1
        self._given_up.learn(settings, rung, promoted)

    def recall(self, settings: Settings, rung: int, seconds: float, ran_away: bool) -> None:
        """Take in a cell that was finished at a rung in an earlier run: it had gone on from the rungs before."""
        for earlier in range(rung):
            self._given_up.learn(settings, earlier, True)
        self.learn(settings, rung, seconds, None if ran_away else False)

    def ahead(self, pieces: Sequence[Piece], workers: int = 1) -> tuple[float, float]:
        """Return the least and the most seconds of a core that these pieces still take.

        One cell's rungs come one after the other: while the longest goes on, workers that have nothing else to do count.
        """
        least = most = shortest = longest = 0.0
        for piece in pieces:
            (low, high), (later, at_most, whole) = self._at_work(piece), self._later(piece)
            least, most = least + low + later, most + high + at_most
            shortest, longest = max(shortest, low), max(longest, high + whole)
        return max(least, workers * shortest) / MARGIN, MARGIN * max(most, workers * longest)

    def _at_work(self, piece: Piece) -> tuple[float, float]:
        """Least and most seconds of the rung that comes next."""
        if piece.spent == math.inf:
            return 0.0, 0.0
        price, (slow, fast) = self._price(piece.settings, piece.rung), self._speeds(piece.settings)
        low, high = slow * price, fast * price
        if piece.spent:
            low, high = max(0.0, low / OFF - piece.spent), max(OFF * high - piece.spent, piece.spent / 2.0)
        return 0.0 if self._given_up.may_run_away(piece.settings) else low, high

    def _later(self, piece: Piece) -> tuple[float, float, float]:
        """Seconds of the rungs after the next one: expected at the least and at the most, and of a cell that goes on."""
        slow, fast = self._speeds(piece.settings)
        if fast == math.inf:
            return 0.0, math.inf, math.inf
        low = high = 1.0  # chances to come so far
        least = most = whole = 0.0
        for rung in range(piece.rung + 1, len(self._rungs)):
            price, chance = self._price(piece.settings, rung), self._given_up.chance_to_go_on(piece.settings, rung - 1)
            low, high = low * chance[0], high * chance[1]
            least, most = least + low * slow * price, most + high * fast * price
            whole += fast * price * (high > UNLIKELY)
        return least, most, whole

    def _price(self, settings: Settings, rung: int) -> float:
        return core_seconds(settings, self._dim, self._rungs[rung], self._chains)

    def _speeds(self, settings: Settings) -> tuple[float, float]:
        name = algorithm_of(settings)
        if not self._cells[name]:
            return 0.0, math.inf
        speeds = [self._took[recall][name] / self._expected[recall][name] for recall in RECALLS]
        unsure = math.exp(UNSURE / math.sqrt(self._cells[name]))
        return min(speeds) / unsure, max(speeds) * unsure
