"""The order in which a sweep tries settings, and which it gives up early."""

import math
from collections.abc import Mapping

from sampler.arguments import instance_of, shown, whole_number
from sampler.metrics.ceiling import MOST_DRAWS
from sampler.settings import Settings, checked_settings
from sampler.tuning.algorithm_settings import CellKey, key_of
from sampler.tuning.forecast import CellForecast, Forecast, check_forecast
from sampler.tuning.settings_grid import Grid

ENOUGH = {"saga-ld": 0.01, "preconditioned": 0.02}
"""Accuracy missing that costs a cell no place. The preconditioned sampler's default gives up 0.02, 9 % of the variance: half
of that takes twice as many steps."""
REMEMBERED = {"saga-ld": 0.3, "preconditioned": 0.4}
"""Share of the start that an epoch may leave; the preconditioned sampler's default leaves 0.4."""
MEMORY_PRICE = 0.2
"""Accuracy that one unit of memory beyond what an epoch may leave is worth."""
COST_PRICE = 0.02
"""Accuracy that an epoch dearer by a factor e is worth."""


def forecast_grid(forecast: Forecast, grid: Grid, settings: Settings, draws: int = 1024) -> dict[CellKey, CellForecast]:
    """Forecast every cell of a grid at once; keys as `key_of` says.

    Parameters
    ----------
    forecast : Forecast
        Of the grid's algorithm.
    grid : Grid
    settings : Settings
        Gives every other knob.
    draws : int
        Samples behind the accuracy that is forecast.
    """
    check_forecast(forecast)
    instance_of("grid", grid, Grid, "make one with Grid(eta0, i_max, batch_size, acceptance_radius)")
    settings, draws = checked_settings(settings), whole_number("draws", draws, 1, MOST_DRAWS)
    keys = [(eta0, i_max, batch) for batch in grid.batch_size for i_max in grid.i_max for eta0 in grid.eta0]
    forecasts = forecast.many([settings.replace(eta0=eta0, i_max=i_max, batch_size=batch) for eta0, i_max, batch in keys],
                              draws)
    return {CellKey(*key, grid.algorithm): cell for key, cell in zip(keys, forecasts, strict=True)}


class TrialOrder:
    """The `order` of a `Sweep`, made by `trial_order`; it also knows what a forecast says a setting lacks."""

    def __init__(self, forecasts: Mapping[CellKey, CellForecast]) -> None:
        self._forecasts = forecasts
        self._best = max((cell.true_accuracy for cell in forecasts.values()), default=1.0)

    def __call__(self, settings: Settings) -> float:
        """Number of a setting: those with a larger one are tried first."""
        key = key_of(settings)
        forecast, algorithm = self._forecasts[key], key.algorithm
        missing = max(0.0, self._best - ENOUGH[algorithm] - forecast.true_accuracy)
        remembered = max(0.0, forecast.memory - REMEMBERED[algorithm])
        return -missing - MEMORY_PRICE * remembered - COST_PRICE * math.log(forecast.cost)

    def missing(self, settings: Settings) -> float | None:
        """Accuracy that a setting is predicted to lack to the best one; None without a forecast."""
        forecast = self._forecasts.get(key_of(settings))
        return None if forecast is None else self._best - forecast.true_accuracy


def trial_order(forecasts: Mapping[CellKey, CellForecast]) -> TrialOrder:
    """Return the `order` of a `Sweep`: settings with a larger number are tried first.

    The number falls with the accuracy missing beyond `ENOUGH` to the best of these forecasts, with the memory beyond
    `REMEMBERED`, and with the logarithm of the cost. Among accurate settings the cheap ones come first.

    Parameters
    ----------
    forecasts : mapping of key to CellForecast
        Of every cell of the sweep's grids, as `forecast_grid` gives them.

    Raises
    ------
    ValueError
        For anything but forecasts by key.
    """
    if not isinstance(forecasts, Mapping) or not all(isinstance(cell, CellForecast) for cell in forecasts.values()):
        raise ValueError(f"forecasts must be a mapping of keys to CellForecast, got {shown(forecasts)}; use forecast_grid")
    return TrialOrder(forecasts)


HALF = 0.03
"""Accuracy missing to the best predicted at which half of the cells are expected to go on, before any has been judged."""
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
        self._chances: dict[tuple[int, int], tuple[float, float]] = {}  # (rung, kind) -> chance

    def may_run_away(self, settings: Settings) -> bool:
        """Whether chains may run away, for all that is predicted: such a cell takes next to no time."""
        if self._order is None:
            return True
        missing = self._order.missing(settings)
        return missing is None or missing > AWAY

    def learn(self, settings: Settings, rung: int, promoted: bool) -> None:
        """Take in whether a cell went on from a rung."""
        kind = self._kind(settings)
        if kind is not None:
            judged = self._judged[rung].setdefault(kind, [0.0, 0.0])
            judged[0], judged[1] = judged[0] + 1.0, judged[1] + promoted
            self._chances = {key: chance for key, chance in self._chances.items() if key[0] != rung}

    def chance_to_go_on(self, settings: Settings, rung: int) -> tuple[float, float]:
        """Return the least and the most chance that a cell goes on from a rung: a standard deviation to either side."""
        if not self._prune:
            return (0.0 if self.may_run_away(settings) else 1.0), 1.0
        kind = self._kind(settings)
        if kind is None:
            return 0.0, 1.0
        if (rung, kind) not in self._chances:
            self._chances[rung, kind] = self._chance(rung, kind)
        return self._chances[rung, kind]

    def _chance(self, rung: int, kind: int) -> tuple[float, float]:
        missing = math.exp(kind / FINE)
        judged, promoted = JUDGED, JUDGED / (1.0 + (missing / HALF) ** STEEP)
        for other, (some, went_on) in self._judged[rung].items():
            weight = math.exp(-0.5 * ((other - kind) / (FINE * ALIKE)) ** 2)
            judged, promoted = judged + weight * some, promoted + weight * went_on
        chance = promoted / judged
        sd = math.sqrt(chance * (1.0 - chance) / (judged + 1.0))
        return max(0.0, chance - sd), min(1.0, chance + sd)

    def _kind(self, settings: Settings) -> int | None:
        """Cells that should fare alike have one number: the logarithm of the accuracy missing."""
        missing = None if self._order is None else self._order.missing(settings)
        return None if missing is None else round(FINE * math.log(FLOOR + missing))
