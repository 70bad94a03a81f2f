"""Which cells of a sweep will be given up early: by the accuracy foretold, put right by what became of cells like them."""

import math

from sampler.settings import Settings
from sampler.tuning.trial_order import TrialOrder

HALF = 0.03
"""Accuracy missing to the best foretold at which half of the cells are expected to go on, before any has been judged."""
STEEP = 3.0
"""Power of the accuracy missing with which that chance falls."""
JUDGED = 2.0
"""Cells like it that this expectation counts for, beside those that were judged."""
AWAY = 0.1
"""Accuracy missing from which chains may run away, and the cell take next to no time."""
FLOOR = 0.005
"""Accuracy that makes no difference."""
ALIKE = 0.4
"""Standard deviation, in the logarithm of the accuracy missing, of the weight that another cell's fate has."""
FINE = 8
"""Kinds of cells that are told apart, where the accuracy missing changes by a factor e."""


class GivenUp:
    """The chance that a cell goes on from a rung: between a least and a most.

    Parameters
    ----------
    prune : bool
        Whether cells are given up at all.
    rungs : int
    order : TrialOrder, optional
        Knows the forecasts. Without it nothing is known of a cell that has not been judged.
    """

    def __init__(self, prune: bool, rungs: int, order: TrialOrder | None = None) -> None:
        self._prune, self._order = prune, order
        self._judged: list[dict[int, list[float]]] = [{} for _ in range(rungs)]  # kind -> [judged, went on], of each rung
        self._known: dict[tuple[int, int], tuple[float, float]] = {}  # (rung, kind) -> chance

    def may_run_away(self, settings: Settings) -> bool:
        """Whether chains may run away, for all that is foretold: such a cell takes next to no time."""
        if self._order is None:
            return True
        missing = self._order.missing(settings)
        return missing is None or missing > AWAY

    def learn(self, settings: Settings, rung: int, kept: bool) -> None:
        """Take in whether a cell went on from a rung."""
        kind = self._kind(settings)
        if kind is not None:
            judged = self._judged[rung].setdefault(kind, [0.0, 0.0])
            judged[0], judged[1] = judged[0] + 1.0, judged[1] + kept
            self._known = {key: found for key, found in self._known.items() if key[0] != rung}

    def chance_to_go_on(self, settings: Settings, rung: int) -> tuple[float, float]:
        """Return the least and the most chance that a cell goes on from a rung: a standard deviation to either side."""
        if not self._prune:
            return (0.0 if self.may_run_away(settings) else 1.0), 1.0
        kind = self._kind(settings)
        if kind is None:
            return 0.0, 1.0
        if (rung, kind) not in self._known:
            self._known[rung, kind] = self._chance(rung, kind)
        return self._known[rung, kind]

    def _chance(self, rung: int, kind: int) -> tuple[float, float]:
        missing = math.exp(kind / FINE)
        judged, kept = JUDGED, JUDGED / (1.0 + (missing / HALF) ** STEEP)
        for other, (some, went_on) in self._judged[rung].items():
            weight = math.exp(-0.5 * ((other - kind) / (FINE * ALIKE)) ** 2)
            judged, kept = judged + weight * some, kept + weight * went_on
        chance = kept / judged
        sd = math.sqrt(chance * (1.0 - chance) / (judged + 1.0))
        return max(0.0, chance - sd), min(1.0, chance + sd)

    def _kind(self, settings: Settings) -> int | None:
        """Cells that should fare alike have one number: the logarithm of the accuracy missing."""
        missing = None if self._order is None else self._order.missing(settings)
        return None if missing is None else round(FINE * math.log(FLOOR + missing))
