"""Order of a sweep's cells and estimate of its remaining work: pruning probabilities and times of cells.

Predicted times (`core_seconds`) are scaled by the measured times of finished cells.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sampler.algorithms.algorithm_names import PLAIN
from sampler.arguments import instance_of, shown, whole_number
from sampler.metrics.ceiling import MOST_DRAWS
from sampler.settings import Settings, checked_settings
from sampler.tuning.algorithm_settings import CellKey, key_of
from sampler.tuning.forecast import CellForecast, Forecast, check_forecast, cost
from sampler.tuning.settings_grid import Grid

ENOUGH = {"saga-ld": 0.01, "preconditioned": 0.02}
"""Loss of accuracy without penalty in the order. The preconditioned sampler's default loses 0.02, 9 % of the variance;
halving this doubles the steps."""
REMEMBERED = {"saga-ld": 0.3, "preconditioned": 0.4}
"""Memory without penalty in the order; the preconditioned sampler's default has 0.4."""
MEMORY_PRICE = 0.2
"""Accuracy equivalent to one unit of memory beyond `REMEMBERED`."""
COST_PRICE = 0.02
"""Accuracy equivalent to a factor e in the cost of an epoch."""


def forecast_grid(forecast: Forecast, grid: Grid, settings: Settings, draws: int = 1024) -> dict[CellKey, CellForecast]:
    """Return the forecasts of all cells of a grid, keyed by `CellKey`.

    Parameters
    ----------
    forecast : Forecast
        Forecast of the grid's algorithm.
    grid : Grid
    settings : Settings
        Source of the knobs that are not swept.
    draws : int
        Number of draws of the forecast accuracy.
    """
    check_forecast(forecast)
    instance_of("grid", grid, Grid, "make one with Grid(eta0, i_max, batch_size, acceptance_radius)")
    settings, draws = checked_settings(settings), whole_number("draws", draws, 1, MOST_DRAWS)
    keys = [(eta0, i_max, batch) for batch in grid.batch_size for i_max in grid.i_max for eta0 in grid.eta0]
    forecasts = forecast.many([settings.replace(eta0=eta0, i_max=i_max, batch_size=batch) for eta0, i_max, batch in keys],
                              draws)
    return {CellKey(*key, grid.algorithm): cell for key, cell in zip(keys, forecasts, strict=True)}


class TrialOrder:
    """Callable `order` of a `Sweep`, made by `trial_order`; `missing` provides the predicted loss of accuracy."""

    def __init__(self, forecasts: Mapping[CellKey, CellForecast]) -> None:
        self._forecasts = forecasts
        self._best = max((cell.true_accuracy for cell in forecasts.values()), default=1.0)

    def __call__(self, settings: Settings) -> float:
        """Return the priority of a setting; larger values are tried first."""
        key = key_of(settings)
        forecast, algorithm = self._forecasts[key], key.algorithm
        missing = max(0.0, self._best - ENOUGH[algorithm] - forecast.true_accuracy)
        remembered = max(0.0, forecast.memory - REMEMBERED[algorithm])
        return -missing - MEMORY_PRICE * remembered - COST_PRICE * math.log(forecast.cost)

    def missing(self, settings: Settings) -> float | None:
        """Return the predicted accuracy of the best setting less that of this one; None without a forecast."""
        forecast = self._forecasts.get(key_of(settings))
        return None if forecast is None else self._best - forecast.true_accuracy


def trial_order(forecasts: Mapping[CellKey, CellForecast]) -> TrialOrder:
    """Return the `order` of a `Sweep`: a priority of settings, larger values first.

    The priority decreases with the loss of accuracy beyond `ENOUGH` relative to the best of these forecasts, with the memory
    beyond `REMEMBERED` and with the logarithm of the cost. Among accurate settings the cheapest is first.

    Parameters
    ----------
    forecasts : mapping of CellKey to CellForecast
        Forecasts of all cells of the sweep's grids, see `forecast_grid`.

    Raises
    ------
    ValueError
        If ``forecasts`` is not a mapping to CellForecast.
    """
    if not isinstance(forecasts, Mapping) or not all(isinstance(cell, CellForecast) for cell in forecasts.values()):
        raise ValueError(f"forecasts must be a mapping of keys to CellForecast, got {shown(forecasts)}; use forecast_grid")
    return TrialOrder(forecasts)


HALF = 0.03
"""Loss of accuracy at which the prior probability of promotion is 1/2."""
STEEP = 3.0
"""Exponent of the decrease of this probability with the loss of accuracy."""
JUDGED = 2.0
"""Weight of the prior, in judged cells."""
AWAY = 0.1
"""Loss of accuracy above which chains may diverge, so that the cell takes almost no time."""
FLOOR = 0.005
"""Scale below which losses of accuracy are not distinguished."""
ALIKE = 0.4
"""Standard deviation, in the logarithm of the loss of accuracy, of the kernel that weights the outcomes of other cells."""
FINE = 8
"""Number of bins per factor e of the loss of accuracy."""


class PromotionModel:
    """Lower and upper estimates of the probability that a cell is promoted from a rung.

    Parameters
    ----------
    prune : bool
        Whether cells are pruned at all.
    rungs : int
    order : TrialOrder, optional
        Source of the forecasts. Without it, the bounds are 0 and 1.
    """

    def __init__(self, prune: bool, rungs: int, order: TrialOrder | None = None) -> None:
        self._prune, self._order = prune, order
        self._judged: list[dict[int, list[float]]] = [{} for _ in range(rungs)]  # per rung: bin -> [judged, promoted]
        self._chances: dict[tuple[int, int], tuple[float, float]] = {}  # (rung, bin) -> bounds

    def may_diverge(self, settings: Settings) -> bool:
        """Return whether the forecast admits divergence, in which case the cell takes almost no time."""
        missing = None if self._order is None else self._order.missing(settings)
        return missing is None or missing > AWAY

    def learn(self, settings: Settings, rung: int, promoted: bool) -> None:
        """Record whether a cell was promoted from a rung."""
        kind = self._kind(settings)
        if kind is not None:
            judged = self._judged[rung].setdefault(kind, [0.0, 0.0])
            judged[0], judged[1] = judged[0] + 1.0, judged[1] + promoted
            self._chances = {key: chance for key, chance in self._chances.items() if key[0] != rung}

    def promotion_bounds(self, settings: Settings, rung: int) -> tuple[float, float]:
        """Return the promotion probability from a rung less and plus a standard deviation, within [0, 1]."""
        if not self._prune:
            return (0.0 if self.may_diverge(settings) else 1.0), 1.0
        kind = self._kind(settings)
        if kind is None:
            return 0.0, 1.0
        if (rung, kind) not in self._chances:
            self._chances[rung, kind] = self._chance(rung, kind)
        return self._chances[rung, kind]

    def _chance(self, rung: int, kind: int) -> tuple[float, float]:
        missing = math.exp(kind / FINE)
        judged, promoted = JUDGED, JUDGED / (1.0 + (missing / HALF) ** STEEP)
        for other, (count, successes) in self._judged[rung].items():
            weight = math.exp(-0.5 * ((other - kind) / (FINE * ALIKE)) ** 2)
            judged, promoted = judged + weight * count, promoted + weight * successes
        chance = promoted / judged
        sd = math.sqrt(chance * (1.0 - chance) / (judged + 1.0))
        return max(0.0, chance - sd), min(1.0, chance + sd)

    def _kind(self, settings: Settings) -> int | None:
        """Return the bin of a cell: the rounded logarithm of its loss of accuracy; None without a forecast."""
        missing = None if self._order is None else self._order.missing(settings)
        return None if missing is None else round(FINE * math.log(FLOOR + missing))


GRADIENT, COORDINATE = 8e-9, 0.5e-9  # core seconds per gradient of one term, and per coordinate of it
METRIC = 0.06e-9  # preconditioned: per d^2 of a step and d^3 of an epoch
EPOCH, WHITENED_EPOCH = 45e-6, 90e-6  # per epoch of all chains, independent of gradients; preconditioned
CELL = 2e-3  # per cell, for its measurements
UNSURE = 0.4
"""Standard deviation of the logarithm of measured over predicted time of one cell; divided by sqrt(n) for n cells."""
RECALLS = (0.8, 1.0)
"""Discount factors per cell of two estimates of the speed: from the last few cells, and from all of them."""
OFF = 1.5
"""Factor by which a single cell may deviate from the average time of its kind."""
UNLIKELY = 0.5
"""Promotion probability up to which later rungs are neglected in the time of the longest cell."""
MARGIN = 1.12
"""Factor for effects not modelled: variation between cells, and workers that wait because results are collected in order."""


def core_seconds(settings: Settings, dim: int, rows: int, chains: int) -> float:
    """Return the approximate seconds that one core of the reference machine takes to run a cell over ``rows`` rows.

    Parameters
    ----------
    settings : Settings
    dim : int >= 1
    rows : int >= 0
    chains : int >= 1
    """
    dim, rows, chains = whole_number("dim", dim), whole_number("rows", rows, 0), whole_number("chains", chains)
    spent, epoch = cost(settings) * (GRADIENT + COORDINATE * dim), EPOCH
    if settings.algorithm != PLAIN:
        epoch = WHITENED_EPOCH
        steps = (settings.i_max + 1) / 2 if settings.random_length else settings.i_max
        spent += METRIC * dim**2 * (steps + dim)
    return CELL + (epoch + spent * chains) * rows


@dataclass(frozen=True)
class OpenCell:
    """Cell that is not finished.

    Attributes
    ----------
    settings : Settings
    rung : int
        Next rung to be judged.
    spent : float
        Seconds spent running this rung; infinite if the rung has ended and waits to be judged.
    """

    settings: Settings
    rung: int
    spent: float = 0.0


class SweepWork:
    """Lower and upper estimates of the remaining work of a sweep, in core seconds.

    The speed of the machine is estimated from finished cells, the probability of pruning from predicted accuracies, see
    `PromotionModel`.

    Parameters
    ----------
    dim, chains : int
    rungs : tuple of int
        Rows after which a cell is judged.
    promotion : PromotionModel
    """

    def __init__(self, dim: int, chains: int, rungs: tuple[int, ...], promotion: PromotionModel) -> None:
        self._dim, self._chains, self._rungs, self._promotion = dim, chains, rungs, promotion
        self._expected: dict[float, dict[str, float]] = {recall: defaultdict(float) for recall in RECALLS}
        self._took: dict[float, dict[str, float]] = {recall: defaultdict(float) for recall in RECALLS}
        self._cells: dict[str, int] = defaultdict(int)
        self.measured = False  #: whether any cell has been measured

    def learn(self, settings: Settings, rung: int, seconds: float, promoted: bool | None) -> None:
        """Record the seconds of a cell at the end of a rung, and whether it was promoted; None: diverged."""
        self.measured = True
        if promoted is None:  # the time of a diverged cell is not representative
            self._promotion.learn(settings, rung, False)
            return
        name, price = settings.algorithm, self._price(settings, rung)
        for recall in RECALLS:
            self._expected[recall][name] = recall * self._expected[recall][name] + price
            self._took[recall][name] = recall * self._took[recall][name] + seconds
        self._cells[name] += 1
        self._promotion.learn(settings, rung, promoted)

    def recall(self, settings: Settings, rung: int, seconds: float, diverged: bool) -> None:
        """Record a cell finished at a rung in an earlier run, hence promoted from the rungs before."""
        for earlier in range(rung):
            self._promotion.learn(settings, earlier, True)
        self.learn(settings, rung, seconds, None if diverged else False)

    def ahead(self, cells: Sequence[OpenCell], workers: int = 1) -> tuple[float, float]:
        """Return lower and upper estimates of the core seconds that these cells still take.

        Rungs of one cell run in sequence: the time of the longest cell counts for all workers, idle ones included.
        """
        least = most = shortest = longest = 0.0
        for cell in cells:
            (low, high), (later, at_most, whole) = self._current_rung(cell), self._later_rungs(cell)
            least, most = least + low + later, most + high + at_most
            shortest, longest = max(shortest, low), max(longest, high + whole)
        return max(least, workers * shortest) / MARGIN, MARGIN * max(most, workers * longest)

    def _current_rung(self, cell: OpenCell) -> tuple[float, float]:
        """Return lower and upper estimates of the seconds left of the current rung."""
        if cell.spent == math.inf:
            return 0.0, 0.0
        price, (slow, fast) = self._price(cell.settings, cell.rung), self._speeds(cell.settings)
        low, high = slow * price, fast * price
        if cell.spent:
            low, high = max(0.0, low / OFF - cell.spent), max(OFF * high - cell.spent, cell.spent / 2.0)
        return 0.0 if self._promotion.may_diverge(cell.settings) else low, high

    def _later_rungs(self, cell: OpenCell) -> tuple[float, float, float]:
        """Return lower and upper expected seconds of the later rungs, and their seconds if the cell is promoted."""
        slow, fast = self._speeds(cell.settings)
        if fast == math.inf:
            return 0.0, math.inf, math.inf
        low = high = 1.0  # probabilities to reach the rung
        least = most = whole = 0.0
        for rung in range(cell.rung + 1, len(self._rungs)):
            price, chance = self._price(cell.settings, rung), self._promotion.promotion_bounds(cell.settings, rung - 1)
            low, high = low * chance[0], high * chance[1]
            least, most = least + low * slow * price, most + high * fast * price
            whole += fast * price * (high > UNLIKELY)
        return least, most, whole

    def _price(self, settings: Settings, rung: int) -> float:
        return core_seconds(settings, self._dim, self._rungs[rung], self._chains)

    def _speeds(self, settings: Settings) -> tuple[float, float]:
        name = settings.algorithm
        if not self._cells[name]:
            return 0.0, math.inf
        speeds = [self._took[recall][name] / self._expected[recall][name] for recall in RECALLS]
        unsure = math.exp(UNSURE / math.sqrt(self._cells[name]))
        return min(speeds) / unsure, max(speeds) * unsure
