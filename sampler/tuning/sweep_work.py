"""What a sweep has still to do: from what a cell should cost, put right by what the cells so far did cost."""

from collections import defaultdict
from collections.abc import Callable

from sampler.algorithms.online_algorithms import PLAIN
from sampler.arguments import whole_number
from sampler.settings import Settings
from sampler.tuning.algorithm_settings import algorithm_of
from sampler.tuning.forecast import cost

GRADIENT, COORDINATE = 8e-9, 0.5e-9  # seconds of a core a gradient of one term, and a coordinate of it
METRIC = 0.06e-9  # and, preconditioned, as often as d^2 a step and d^3 an epoch
CELL = 0.02  # and a cell's own measures
KEPT = 0.6
"""Share of the cells that is expected to go on from a rung, before any has been judged."""
JUDGED = 2
"""Cells that the expectation counts for, beside those that were judged."""
TRIED = 0.5
"""Seconds of work that the expected speed counts for, beside what was measured."""
RECALL = 0.8
"""What a cell counts for once another has come: settings are tried from the best on, and the last are given up sooner."""


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
    spent = cost(settings) * (GRADIENT + COORDINATE * dim)
    if algorithm_of(settings) != PLAIN:
        steps = (settings.i_max + 1) / 2 if settings.random_length else settings.i_max
        spent += METRIC * dim**2 * (steps + dim)
    return CELL + spent * rows * chains


class SweepWork:
    """Work of a sweep that is still ahead, in seconds of a core.

    Parameters
    ----------
    dim, chains : int
    rungs : tuple of int
        Rows after which a cell is judged.
    prune : bool
        Whether cells are given up at all.
    unstable : callable, optional
        Settings to whether their chains are foretold to run away at once: tried last, they would look like the dear ones
        that went before.
    """

    def __init__(self, dim: int, chains: int, rungs: tuple[int, ...], prune: bool,
                 unstable: Callable[[Settings], bool] = lambda settings: False) -> None:
        self._unstable = unstable
        self._dim, self._chains, self._rungs, self._prune = dim, chains, rungs, prune
        self._expected: dict[str, float] = defaultdict(lambda: TRIED)  # seconds by algorithm
        self._took: dict[str, float] = defaultdict(lambda: TRIED)
        self._judged, self._kept = ([0.0] * len(rungs) for _ in range(2))
        self.known = False  #: whether anything has been measured

    def learn(self, settings: Settings, rung: int, seconds: float, kept: bool) -> None:
        """Take in that a cell was run to the end of a rung, in so many seconds, and whether it goes on."""
        self.known = True
        if self._unstable(settings):  # it says nothing of the others
            return
        name = algorithm_of(settings)
        self._expected[name] = RECALL * self._expected[name] + self._price(settings, rung)
        self._took[name] = RECALL * self._took[name] + seconds
        self._judge(rung, kept)

    def recall(self, settings: Settings, rung: int, seconds: float) -> None:
        """Take in a cell that was finished at a rung in an earlier run: it had gone on from the rungs before."""
        for earlier in range(rung):
            self._judge(earlier, True)
        self.learn(settings, rung, seconds, False)

    def _judge(self, rung: int, kept: bool) -> None:
        self._judged[rung] = RECALL * self._judged[rung] + 1.0
        self._kept[rung] = RECALL * self._kept[rung] + kept

    def ahead(self, work: list[tuple[Settings, int, float]]) -> float:
        """Seconds of a core for ``work``: settings, the next rung, and the share of that rung still to be run."""
        return sum(CELL * share if self._unstable(settings) else
                   self._speed(settings) * (share * self._price(settings, rung) + self._later(settings, rung))
                   for settings, rung, share in work)

    def _later(self, settings: Settings, rung: int) -> float:
        """Seconds expected for the rungs after this one."""
        chance, spent = 1.0, 0.0
        for later in range(rung + 1, len(self._rungs)):
            if self._prune:
                chance *= (self._kept[later - 1] + KEPT * JUDGED) / (self._judged[later - 1] + JUDGED)
            spent += chance * self._price(settings, later)
        return spent

    def _price(self, settings: Settings, rung: int) -> float:
        return core_seconds(settings, self._dim, self._rungs[rung], self._chains)

    def _speed(self, settings: Settings) -> float:
        return self._took[algorithm_of(settings)] / self._expected[algorithm_of(settings)]
