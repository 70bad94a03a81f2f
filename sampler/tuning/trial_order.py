"""The order in which a sweep tries settings: accurate, forgetful and cheap ones by forecast come first."""

import math
from collections.abc import Mapping

from sampler.arguments import instance_of, shown, whole_number
from sampler.metrics.ceiling import MOST_DRAWS
from sampler.settings import Settings, checked_settings
from sampler.tuning.advisor import ENOUGH, REMEMBERED
from sampler.tuning.algorithm_settings import CellKey, key_of
from sampler.tuning.forecast import CellForecast, Forecast, check_forecast
from sampler.tuning.settings_grid import Grid

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
    found = forecast.many([settings.replace(eta0=eta0, i_max=i_max, batch_size=batch) for eta0, i_max, batch in keys], draws)
    return {CellKey(*key, grid.algorithm): said for key, said in zip(keys, found, strict=True)}


class TrialOrder:
    """The `order` of a `Sweep`, made by `trial_order`; it also knows which settings a forecast calls unstable."""

    def __init__(self, forecasts: Mapping[CellKey, CellForecast]) -> None:
        self._forecasts = forecasts
        self._best = max((found.true_accuracy for found in forecasts.values()), default=1.0)

    def __call__(self, settings: Settings) -> float:
        """Number of a setting: those with a larger one are tried first."""
        key = key_of(settings)
        found, algorithm = self._forecasts[key], key.algorithm
        missing = max(0.0, self._best - ENOUGH[algorithm] - found.true_accuracy)
        remembered = max(0.0, found.memory - REMEMBERED[algorithm])
        return -missing - MEMORY_PRICE * remembered - COST_PRICE * math.log(found.cost)

    def missing(self, settings: Settings) -> float | None:
        """Accuracy that a setting is foretold to lack to the best one; None without a forecast."""
        found = self._forecasts.get(key_of(settings))
        return None if found is None else self._best - found.true_accuracy

    def unstable(self, settings: Settings) -> bool:
        """Whether chains are foretold to run away at once: such a cell takes next to no time."""
        found = self._forecasts.get(key_of(settings))
        return found is not None and not found.stable


def trial_order(forecasts: Mapping[CellKey, CellForecast]) -> TrialOrder:
    """Return the `order` of a `Sweep`: settings with a larger number are tried first.

    The number falls with the accuracy missing to within what `advise` gives up of the best of these forecasts, with the
    memory beyond what it allows, and with the logarithm of the cost. Among accurate settings the cheap ones come first.

    Parameters
    ----------
    forecasts : mapping of key to CellForecast
        Of every cell of the sweep's grids, as `forecast_grid` gives them.

    Raises
    ------
    ValueError
        For anything but forecasts by key.
    """
    if not isinstance(forecasts, Mapping) or not all(isinstance(found, CellForecast) for found in forecasts.values()):
        raise ValueError(f"forecasts must be a mapping of keys to CellForecast, got {shown(forecasts)}; use forecast_grid")
    return TrialOrder(forecasts)
